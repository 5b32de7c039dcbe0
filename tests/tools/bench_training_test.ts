import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { openServer } from "../../bench/peers/contender.ts";
import { isMeasured } from "../../bench/row.ts";
import rows from "../../bench/training_table.ts";

const FUSED = rows.find(({ id }) => id === "training/6")!;

Deno.test("the fused AdamW has the limit that was promised, and is not measured without C", async () => {
  assertEquals(FUSED.limit, 1.3);
  const result = await FUSED.run({ work: "/there/is/no/such/folder", makes: false });
  assert(!isMeasured(result) && result.missing.includes("--peers"));
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
