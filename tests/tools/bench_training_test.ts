import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { openServer } from "../../bench/peers/contender.ts";
import { isMeasured } from "../../bench/row.ts";
import { mlpInput } from "../../bench/training/inputs.ts";
import { openNetwork } from "../../bench/training/networks.ts";
import rows from "../../bench/training_table.ts";

const FUSED = rows.find(({ id }) => id === "training/6")!;

Deno.test("the fused AdamW has the limit that was promised, and is not measured without C", async () => {
  assertEquals(FUSED.limit, 1.3);
  const result = await FUSED.run({ work: "/there/is/no/such/folder", makes: false });
  assert(!isMeasured(result) && result.missing.includes("--peers"));
});

Deno.test("steps of the large network have the limits that were promised, by batch and runtime", () => {
  const large = rows.filter(({ id }) => id.startsWith("training/8"));
  assertEquals(large.map(({ id, limit }) => [id, limit]), [
    ["training/8-64", 2],
    ["training/8n-64", 0.6],
    ["training/8-1024", 3],
    ["training/8n-1024", 0.6],
  ]);
});

Deno.test("mlpInput() has a weight and a bias for each layer, and its network trains", async () => {
  const input = mlpInput({ batch: 4, layers: [6, 5, 3, 2] });
  assertEquals(Object.keys(input.parameters), ["w1", "b1", "w2", "b2", "w3", "b3"]);
  assertEquals(Object.values(input.parameters).map(({ dims }) => dims), [
    [5, 6],
    [5],
    [3, 5],
    [3],
    [2, 3],
    [2],
  ]);
  assertEquals(input.inputs.x!.dims, [4, 6]);
  const { trainer, batch } = await openNetwork(input);
  const [first, second] = [(await trainer.step(batch)).loss, (await trainer.step(batch)).loss];
  // Cross entropy of two classes that the network does not know yet.
  assert(Math.abs(first - Math.LN2) < 0.3 && second < first, `${first}, then ${second}`);
  await trainer.close();
});

Deno.test("Hooke's side of the fused AdamW makes the given number of steps of 1e7 parameters, and reports their cost", async () => {
  const script = fileURLToPath(new URL("../../bench/training/adamw.ts", import.meta.url));
  // It ends by itself where the parameters are not what its steps make of them.
  const args = ["run", "-A", script, "adamw 1e7", JSON.stringify({ steps: 2 })];
  const ours = await openServer({ program: Deno.execPath(), args, env: {} });
  const { cpu, wall } = await ours.turn();
  await ours.close();
  assertEquals(ours.about.dtype, "float32");
  assert(cpu > 0.01 && wall > 0.01, `${cpu} and ${wall} ns`);
});
