// Fields that stay the same from frame to frame are stored once, and read with each frame.
import { assert, assertEquals } from "@std/assert";
import { FileSystemStore } from "@zarrita/storage";
import * as zarr from "zarrita";
import { Batch } from "../../src/batch/mod.ts";
import { verifySink, ZarrSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const ATOMS = 100;

/** Returns a frame whose positions depend on the step; `number` is the atomic number of its last atom. */
function frame(step: number, number: number): Batch {
  const numbers = Array.from({ length: ATOMS }, (_, i) => i === ATOMS - 1 ? number : 1 + i % 9);
  const positions = Float64Array.from({ length: 3 * ATOMS }, (_, i) => step + Math.sqrt(i));
  const batch = Batch.from([{ numbers, positions, cell: [9, 9, 9] }]);
  batch.set("step", step, { level: "system", dtype: "i32", fill: -1 });
  return batch;
}

async function write(path: string, from: number, to: number, number: number): Promise<void> {
  await using sink = new ZarrSink(path, { compression: "none", chunkBytes: 8000 });
  for (let step = from; step < to; step++) {
    await sink.write(frame(step, number));
    if (step % 32 === 0) await sink.flush();
  }
}

/** Returns the atomic numbers of all frames as another program reads them. */
async function numbersOf(path: string): Promise<number[]> {
  const array = await zarr.open(
    zarr.root(new FileSystemStore(path)).resolve("core/atomic_numbers"),
    { kind: "array" },
  );
  return Array.from((await zarr.get(array)).data as BigInt64Array, Number);
}

Deno.test("equal chunks are stored once, and each frame is complete after changes and truncation", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`, numbers = `${path}/core/atomic_numbers/c/0`;
    await write(path, 0, 100, 18);
    assert(Deno.statSync(numbers).size < 4 * 8000, `${Deno.statSync(numbers).size} bytes`);
    assert(Deno.statSync(`${path}/core/positions/c/0/0`).size > 100 * 24 * ATOMS);
    await write(path, 100, 120, 36);
    const sink = new ZarrSink(path);
    await sink.truncate(55); // in the middle of a chunk that equals the one before it
    await sink.close();
    await write(path, 55, 130, 54);

    const expected = Array.from({ length: 130 }, (_, step) => frame(step, step < 55 ? 18 : 54));
    const all = await new ZarrSink(path).read();
    assertEquals(all.size, 130);
    for (const [step, system] of all.systems().entries()) {
      for (const name of ["numbers", "positions", "masses", "cell", "step"] as const) {
        assertEquals(system.get(name), expected[step]!.system(0).get(name), `${name} of ${step}`);
      }
    }
    assertEquals(await numbersOf(path), expected.flatMap((one) => [...one.get("numbers")]));
    assertEquals((await verifySink(path)).damage, []);
  });
});
