import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { openServer } from "../../bench/peers/contender.ts";
import { isMeasured } from "../../bench/row.ts";
import { makeFrames } from "../../bench/sinks/frames.ts";
import rows from "../../bench/sinks_table.ts";

Deno.test("writing frames has the limits that were promised, and is not measured without peers", async () => {
  const limits = new Map(rows.map(({ id, limit }) => [id, limit]));
  for (const [id, limit] of [["sinks/1", 1], ["sinks/2", 0.33], ["sinks/3", 0.1]] as const) {
    assertEquals(limits.get(id), limit);
    const row = rows.find((one) => one.id === id)!;
    const result = await row.run({ work: "/there/is/no/such/folder", makes: false });
    assert(!isMeasured(result) && result.missing.includes("--peers"));
  }
  assertEquals(limits.get("sinks/5"), 8);
});

Deno.test("Hooke's side writes the given number of frames of 4000 atoms, and reports their cost", async () => {
  const script = fileURLToPath(new URL("../../bench/sinks/ours.ts", import.meta.url));
  // It ends by itself where a store has not as many frames.
  const args = ["run", "-A", script, "frames zstd", JSON.stringify({ steps: 20 })];
  const ours = await openServer({ program: Deno.execPath(), args, env: {} });
  const { cpu, wall } = await ours.turn();
  await ours.close();
  assertEquals([ours.about.dtype, ours.about.compression], ["float32", "zstd"]);
  assert(cpu > 1e4 && wall > 1e4, `${cpu} and ${wall} ns a frame`);
});

Deno.test("frames differ, and are what float32 can hold", () => {
  const [a, b] = makeFrames(10, 2);
  const positions = a!.get("positions");
  assert(positions.every((x, i) => x !== b!.get("positions")[i] && x === Math.fround(x)));
});
