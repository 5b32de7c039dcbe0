/** Systems that come and go while their batch is on a backend. */
import { assertEquals } from "@std/assert";
import { openBackend } from "../../src/backend/mod.ts";
import { Batch } from "../../src/batch/mod.ts";
import { ResidentBatch } from "../../src/batch/resident/resident_batch.ts";
import { consecutive } from "../../src/batch/resident/system_rows.ts";

/** Three systems of 1, 2 and 3 atoms with as many edges, and a field at each level. */
function three(): Batch {
  const batch = Batch.from([1, 2, 3].map((atoms) => ({
    numbers: new Array(atoms).fill(18),
    positions: Array.from({ length: 3 * atoms }, (_, i) => i),
    edges: Array.from({ length: 2 * atoms }, () => 0),
  })));
  batch.set("charge", [10, 20, 30], { level: "system" });
  batch.set("site", [1, 2, 3, 4, 5, 6], { level: "node" });
  batch.set("bond", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], { level: "edge" });
  return batch;
}

const FIELDS = ["charge", "site", "bond"] as const;

Deno.test("systems carry the rows of every level over to their next batch", async () => {
  const backend = openBackend("reference"), batch = three();
  const before = new ResidentBatch(batch, backend);
  for (const name of FIELDS) {
    const values = Float64Array.from(batch.get(name) as Float64Array, (value) => 2 * value);
    backend.write(before.field(name), values);
    before.markChanged(name);
  }
  const kept = before.state("kept", { dtype: "i32", level: "node", initial: 7 });
  backend.write(kept, [1, 2, 3, 4, 5, 6]);
  batch.drop([false, true, false]); // the first and the last stay
  const after = new ResidentBatch(batch, backend);
  const shape = { dtype: "i32", level: "node", initial: 7 } as const;
  after.state("kept", shape);
  await after.carryOver(before, [0, 2]);
  assertEquals([...backend.view(after.field("charge"))], [20, 60]);
  assertEquals([...backend.view(after.field("site"))], [2, 8, 10, 12]);
  assertEquals([...backend.view(after.field("bond"))], [0.2, 0.8, 1, 1.2]);
  assertEquals([...backend.view(after.state("kept", shape))], [1, 4, 5, 6]);
  assertEquals(Object.keys(await after.download()).sort(), [...FIELDS, "stepsDone"].sort());
});

Deno.test("an upload writes what has changed, and tells in which systems", async () => {
  const backend = openBackend("reference"), batch = three();
  const state = new ResidentBatch(batch, backend);
  for (const name of FIELDS) state.field(name);
  batch.set("site", [1, 2, 9, 4, 5, 6]);
  batch.set("bond", [0.1, 0.2, 0.3, 0.4, 0.5, 8]);
  assertEquals(
    await state.upload(),
    new Map([["site", new Set([1])], ["bond", new Set([2])]]),
  );
  assertEquals([...backend.view(state.field("site"))], [1, 2, 9, 4, 5, 6]);
  assertEquals(await state.upload(), new Map());
});

Deno.test("zeros of float64 keep the sign of the batch, and no other value does", async () => {
  const backend = openBackend("wasm"),
    batch = Batch.from([{ symbols: ["H"], positions: [0, 0, 0] }]);
  batch.set("stress", [-0, 0, -0, -1, 5, NaN, -0, 0, 2]);
  const state = new ResidentBatch(batch, backend), buffer = state.field<"f64">("stress");
  backend.write(buffer, [0, -0, 3, 1, 5, 0, -0, NaN, -0]);
  state.markChanged("stress");
  const { stress } = await state.download();
  assertEquals([...stress!], [-0, 0, 3, 1, 5, 0, -0, NaN, -0]); // assertEquals distinguishes signs
  state.free();
  backend.dispose();
});

Deno.test("initial values return to chosen systems, states and scopes", () => {
  const backend = openBackend("reference");
  const state = new ResidentBatch(three(), backend);
  const shape = { dtype: "i32", level: "node", initial: [1, 2, 3, 4, 5, 6] } as const;
  const [plain, scoped] = [
    state.state("a", shape),
    state.within("s", () => state.state("a", shape)),
  ];
  for (const buffer of [plain, scoped]) backend.write(buffer, new Int32Array(6));
  state.resetScoped(new Set([0, 2]));
  assertEquals([...backend.view(plain)], [0, 0, 0, 0, 0, 0]);
  assertEquals([...backend.view(scoped)], [1, 0, 0, 4, 5, 6]);
  state.resetState("a", new Set([1]));
  assertEquals([...backend.view(plain)], [0, 2, 3, 0, 0, 0]);
  assertEquals([...backend.view(scoped)], [1, 2, 3, 4, 5, 6]);
});

Deno.test("consecutive() groups numbers in any order into runs", () => {
  assertEquals(consecutive([]), []);
  assertEquals(consecutive([5, 1, 2, 0, 7, 6]), [[0, 3], [5, 8]]);
});
