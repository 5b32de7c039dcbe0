// Frames that a run writes directly to a Zarr store, against copies of the batch in memory, bit by bit.
import { assert, assertEquals } from "@std/assert";
import { FileSystemStore } from "@zarrita/storage";
import * as zarr from "zarrita";
import { Batch, initVelocities } from "../../src/batch/mod.ts";
import { type DynamicsContext, DynamicsStage, fixAtoms, NVE } from "../../src/dynamics/mod.ts";
import { SnapshotHook, type SnapshotHookOptions, TrajectoryHook } from "../../src/observe/mod.ts";
import { MemorySink, verifySink, ZarrSink, type ZarrSinkOptions } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";

/** Crystals of different sizes, whose velocities and positions are no float32 numbers. */
function moving(): Batch {
  const batch = crystals(2);
  initVelocities(batch, 40, { seed: 3 });
  batch.set("kept", batch.get("positions").map((x) => x / 3), {
    level: "node",
    dtype: "f64",
    width: 3,
  });
  return batch;
}

async function runInto(
  path: string,
  batch: Batch,
  { device = "wasm", constraints = [], fields, ...options }:
    & ZarrSinkOptions
    & Pick<ConstructorParameters<typeof NVE>[0], "device" | "constraints">
    & Pick<SnapshotHookOptions, "fields"> = {},
): Promise<{ readonly memory: MemorySink; readonly sink: ZarrSink }> {
  const memory = new MemorySink(), sink = new ZarrSink(path, options);
  await using md = new NVE({ model: ARGON, dt: 2, device, constraints });
  for (const into of [memory, sink]) {
    md.hooks.add(new SnapshotHook({ sink: into, frequency: 3, ...fields && { fields } }));
  }
  await md.run(batch, 30);
  await md.run(batch, 7);
  return { memory, sink };
}

function assertSameFrames(now: Batch, expected: Batch): void {
  assertEquals(
    now.fields().map(({ name }) => name).sort(),
    expected.fields().map(({ name }) => name).sort(),
  );
  assertEquals(now.nodeOffsets, expected.nodeOffsets);
  for (const { name } of expected.fields()) {
    if (name === "systemId") continue; // systems of one batch get ids of their own
    const values = now.get(name), others = expected.get(name);
    const wrong = others.findIndex((value, i) => !Object.is(value, values[i]));
    assert(wrong === -1 && values.length === others.length, `${name} at ${wrong}`);
  }
}

async function arrayAt(
  path: string,
  name: string,
): Promise<{ dtype: string; data: ArrayLike<number> }> {
  const root = zarr.root(new FileSystemStore(path));
  const array = await zarr.open(root.resolve(name), { kind: "array" });
  return { dtype: array.dtype, data: (await zarr.get(array)).data as unknown as ArrayLike<number> };
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

for (const device of ["wasm", "reference"] as const) {
  Deno.test(`frames of a run on ${device} have the bits of copies, in arrays of the precision of the run`, async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/x.zarr`;
      const { memory, sink } = await runInto(path, moving(), { device });
      assertSameFrames(await sink.read(), memory.read());
      await sink.close();
      const { dtype } = await arrayAt(path, "core/positions");
      assertEquals(dtype, device === "wasm" ? "float32" : "float64");
      assertEquals((await arrayAt(path, "core/energy")).dtype, "float64");
      assertEquals((await arrayAt(path, "custom/kept")).dtype, "float64");
      assert(!await exists(`${path}/custom/positions_residual`));
      assertEquals((await verifySink(path)).damage, []);
    });
  });
}

Deno.test("digits that a run keeps are in residuals, which other programs add, and no digit is lost", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`, batch = moving();
    const { memory, sink } = await runInto(path, batch, { constraints: [fixAtoms([0, 5])] });
    assertSameFrames(await sink.read(), memory.read());
    const late = await sink.slice({ from: 9, to: 12 });
    assertEquals(late.get("positions"), memory.read().select([9, 10, 11]).get("positions"));
    await sink.close();
    const [single, residual] = await Promise.all(
      ["core/positions", "custom/positions_residual"].map((name) => arrayAt(path, name)),
    );
    assertEquals([single!.dtype, residual!.dtype], ["float32", "float64"]);
    const sum = Float64Array.from(single!.data, (x, i) => x + residual!.data[i]!);
    assertEquals(sum, memory.read().get("positions"));
    assertEquals((await verifySink(path)).damage, []);
  });
});

Deno.test("a trajectory with the initial structures has the bits of copies", async () => {
  await withFolder(async (folder) => {
    const memory = new MemorySink(), sink = new ZarrSink(`${folder}/x.zarr`);
    await using md = new NVE({ model: ARGON, dt: 2, device: "wasm" });
    for (const [i, into] of [memory, sink].entries()) {
      md.hooks.add(new TrajectoryHook({ sink: into, every: 4, name: `trajectory ${i}` }));
    }
    await md.run(moving(), 12);
    const read = await sink.read();
    assertEquals([...read.get("step")], [0, 0, 4, 4, 8, 8, 12, 12]);
    assertSameFrames(read, memory.read());
    await sink.close();
  });
});

Deno.test("residuals begin late, and stay through truncation and reopening", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    const { memory, sink } = await runInto(path, moving(), { chunkBytes: 600 });
    const frames = memory.read();
    const wide = frames.select([frames.size - 1]); // its fields, and any digits
    wide.get("positions").set([1 / 3, -0, 1e-300, 1e300, 5e-39, -1 / 7]);
    await sink.write(wide);
    assertSameFrames(await sink.read(), Batch.from([...frames.systems(), ...wide.systems()]));
    await sink.truncate(20);
    await sink.close();
    await using again = new ZarrSink(path);
    await again.write(frames.select([20, 21]));
    await again.write(wide);
    const expected = Batch.from([
      ...frames.select(Array.from({ length: 22 }, (_, i) => i)).systems(),
      ...wide.systems(),
    ]);
    assertSameFrames(await again.read(), expected);
    assertEquals((await verifySink(path)).damage, []);
  });
});

Deno.test("chosen fields, other precisions, and systems of other runs follow each other in one store", async () => {
  await withFolder(async (folder) => {
    const some = await runInto(`${folder}/some.zarr`, moving(), { fields: ["velocities", "kept"] });
    assertSameFrames(await some.sink.read(), some.memory.read());
    const wide = await runInto(`${folder}/wide.zarr`, moving(), { precision: "f64" });
    assertSameFrames(await wide.sink.read(), wide.memory.read());
    assertEquals((await arrayAt(`${folder}/wide.zarr`, "core/forces")).dtype, "float64");
    const short = await runInto(`${folder}/short.zarr`, moving(), { precision: "f32" });
    const rounded = (await short.sink.read()).get("kept");
    assertEquals(rounded, short.memory.read().get("kept").map(Math.fround));
    for (const { sink } of [some, wide, short]) await sink.close();
  });
});

Deno.test("zeros have the sign that copies have, if a run changes it", async () => {
  for (const precision of ["auto", "f32"] as const) {
    await withFolder(async (folder) => {
      const memory = new MemorySink(), sink = new ZarrSink(`${folder}/x.zarr`, { precision });
      await using md = new NVE({ model: ARGON, dt: 2, device: "wasm" });
      md.hooks.add({
        stage: DynamicsStage.BEFORE_POST_UPDATE,
        frequency: 1,
        writes: ["forces"] as const,
        call: ({ write }: DynamicsContext<never, "forces">) => void write.forces.fill(-0),
      });
      for (const into of [memory, sink]) {
        md.hooks.add(new SnapshotHook({ sink: into, frequency: 1, fields: ["forces"] }));
      }
      const batch = crystals(2);
      batch.set("forces", new Float64Array(3 * batch.nodeCount));
      await md.run(batch, 2);
      const [written, copied] = [await sink.read(), memory.read()].map((all) => all.get("forces"));
      assert(copied!.every((force, i) => force === 0 && Object.is(force, written![i])));
      await sink.close();
    });
  }
});
