// Observables equal those computed from the trajectory, on every device, for each system.
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { Batch, fcc, initVelocities, rattle, System } from "../../src/batch/mod.ts";
import { FIRE, NVE, NVTLangevin } from "../../src/dynamics/mod.ts";
import { lennardJones, potential } from "../../src/models/mod.ts";
import {
  AverageStressHook,
  type Diffusion,
  DiffusionHook,
  RadialDistributionHook,
  SnapshotHook,
  VelocityAutocorrelationHook,
  WrapPeriodicHook,
} from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, argon, atomAt, spring } from "../dynamics/atoms.ts";
import { where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import {
  byLag,
  displacement,
  type Moment,
  momentsOf,
  product,
  radial,
  wholeStress,
} from "./off_line.ts";
import { test } from "../suite.ts";

/** A crystal of two elements in a triclinic cell, and a smaller one; warm enough to diffuse. */
function systems(): Batch {
  const plain = argon(2, 0, 0.3), cell = [...plain.cell];
  cell[3] = 1.5;
  cell[7] = -0.8;
  const leaning = new System({
    numbers: Array.from(plain.numbers, (_, i) => i % 4 === 0 ? 36 : 18),
    positions: plain.positions,
    cell,
    pbc: true,
  });
  const batch = Batch.from([
    leaning,
    rattle(fcc({ element: "Ar", a: 5.4, cells: [2, 1, 1] }), 0.2, 3),
  ]);
  batch.ensure("stress");
  initVelocities(batch, 400, { seed: 1 });
  return batch;
}

/** Throws unless both are equal to `relative` of the largest. */
function assertSame(got: ArrayLike<number>, want: ArrayLike<number>, relative: number): void {
  assertEquals(got.length, want.length);
  const size = Math.max(...Array.from(want, Math.abs));
  for (let i = 0; i < want.length; i++) {
    assertAlmostEquals(got[i]!, want[i]!, relative * size, `${i}`);
  }
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

Deno.test(
  "radial distributions, displacements, autocorrelations and stresses equal those of the trajectory",
  onEngines(async (backend, name) => {
    // A float32 device has the cell in float32, with which atoms are unwrapped.
    const sink = new MemorySink(), frequency = 5, near = name === "reference" ? 1e-9 : 1e-6;
    const choice = { cutoff: 9, bins: 45 };
    const rdf = new RadialDistributionHook({ ...choice, frequency });
    const mixed = new RadialDistributionHook({ ...choice, frequency, elements: ["Ar", 36] });
    const msd = new DiffusionHook({ frequency, lags: 12 });
    const heavy = new DiffusionHook({ frequency, lags: 12, originEvery: 4, element: "Kr" });
    const vacf = new VelocityAutocorrelationHook({ frequency, lags: 9 });
    const stress = new AverageStressHook({ frequency, blockSize: 4 });
    await using md = new NVE({
      model: ARGON,
      dt: 4,
      ...where(backend),
      hooks: [
        new WrapPeriodicHook(),
        rdf,
        msd,
        vacf,
        stress,
        new SnapshotHook({ sink, frequency }),
      ],
    });
    md.hooks.add(mixed as never, { name: "mixed" });
    md.hooks.add(heavy as never, { name: "heavy" });
    await md.run(systems(), 151);
    const frames = sink.read();
    assert(frames.get("images").some((n) => n !== 0), "none was wrapped");
    for (const id of [0, 1]) {
      const moments = momentsOf(frames, id);
      assertEquals(moments.length, 31);
      const distances = (pair: { a?: number; b?: number }) => {
        const each = moments.map((moment) => radial(moment, { ...choice, ...pair }));
        const by = (bins: number[][]) => bins[0]!.map((_, bin) => mean(bins.map((x) => x[bin]!)));
        return { g: by(each.map(({ g }) => g)), n: by(each.map(({ neighbors }) => neighbors)) };
      };
      const one = rdf.results()[id]!, want = distances({});
      assertEquals([one.systemId, one.samples, one.r[0]], [id, 31, 0.1]);
      assertSame(one.g, want.g, near);
      assertAlmostEquals(one.coordination.at(-1)!, want.n.reduce((a, b) => a + b), near);
      if (id === 0) assertSame(mixed.results()[0]!.g, distances({ a: 18, b: 36 }).g, near);
      else assert(mixed.results()[1]!.g.every((g) => g === 0)); // it has no krypton

      const moved = msd.results()[id]!;
      assertSame(moved.msd, byLag(moments, { lags: 12, of: displacement() }), near);
      assertSame(moved.time, Array.from({ length: 12 }, (_, lag) => lag * 20), near);
      assertEquals([...moved.origins], Array.from({ length: 12 }, (_, lag) => 31 - lag));
      const back = vacf.results()[id]!;
      assertSame(back.vacf, byLag(moments, { lags: 9, of: product }), near);
      assertSame(back.normalized, Array.from(back.vacf, (c) => c / back.vacf[0]!), 1e-12);
      const sum = Array.from(back.vacf).reduce((a, b) => a + b) -
        (back.vacf[0]! + back.vacf[8]!) / 2;
      assertAlmostEquals(back.diffusion.at(-1)!, sum * 20 / 3, near * Math.abs(back.vacf[0]! * 20));
      assertStress(stress, id, moments);
    }
    const heavyOnes = heavy.results();
    assertEquals(heavyOnes.map(({ systemId }) => systemId), [0]);
    const of = displacement(36);
    assertSame(
      heavyOnes[0]!.msd,
      byLag(momentsOf(frames, 0), { lags: 12, originEvery: 4, of }),
      near,
    );
  }),
);

function assertStress(hook: AverageStressHook, id: number, moments: readonly Moment[]): void {
  const all = moments.map(wholeStress), got = hook.results()[id]!;
  const scale = Math.max(...all.flat().map(Math.abs));
  for (let k = 0; k < 9; k++) {
    assertAlmostEquals(
      got.stress[k]!,
      mean(all.map((one) => one[k]!)),
      1e-6 * scale,
      `stress ${k}`,
    );
  }
  const pressures = all.map((one) => -(one[0]! + one[4]! + one[8]!) / 3);
  assertAlmostEquals(got.pressure, mean(pressures), 1e-6 * scale);
  const blocks = Array.from({ length: 7 }, (_, i) => mean(pressures.slice(4 * i, 4 * i + 4)));
  const spread = mean(blocks.map((x) => (x - mean(blocks)) ** 2)) * 7 / 6;
  assertAlmostEquals(got.pressureError, Math.sqrt(spread / 7), 1e-6 * scale);
  assertEquals([got.samples, got.blocks, got.blockSize], [31, 7, 4]);
}

test("the shells of a perfect fcc crystal have 12, 6, 24 and 12 atoms, also in a cell smaller than the cutoff", async () => {
  const rdf = new RadialDistributionHook({ cutoff: 8, bins: 800 });
  const batch = Batch.from([1, 2].map((cells) => fcc({ element: "Ar", a: 5, cells })));
  await using md = new NVE({
    model: potential(() => 0),
    dt: 1,
    device: "reference",
    hooks: [rdf],
  });
  await md.run(batch, 1);
  for (const { r, g, coordination } of rdf.results()) {
    const at = (x: number) => coordination[Math.floor(x * 100)]!;
    const shells = [1 / 2, 1, 3 / 2, 2].map((square) => 5 * Math.sqrt(square));
    assertEquals(shells.map((x) => Math.round(at(x + 0.02) * 1e6) / 1e6), [12, 18, 42, 54]);
    const peaks = Array.from(r).filter((_, bin) => g[bin]! > 0);
    assertEquals(
      peaks.filter((x) => shells.every((shell) => Math.abs(x - shell) > 0.011)).filter((x) =>
        x < 7.5
      ),
      [],
    );
  }
});

test("g is 1 at every distance in an ideal gas", async () => {
  let state = 5;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const gas = () =>
    new System({
      symbols: new Array<string>(150).fill("Ar"),
      positions: Array.from({ length: 450 }, () => 10 * random()),
      cell: [10, 10, 10],
      pbc: true,
    });
  const rdf = new RadialDistributionHook({ cutoff: 6, bins: 6 });
  await using md = new NVE({ model: potential(() => 0), dt: 1, device: "reference", hooks: [rdf] });
  await md.run(Batch.from(Array.from({ length: 60 }, gas)), 1);
  const results = rdf.results();
  for (let bin = 1; bin < 5; bin++) { // an atom's own image at 5 Å is near the end of bin 5
    const g = mean(results.map((one) => one.g[bin]!));
    const pairs = 60 * 150 * 150 / 1000 * 4 / 3 * Math.PI * ((bin + 1) ** 3 - bin ** 3) / 2;
    assertAlmostEquals(g, 149 / 150, 4 / Math.sqrt(pairs), `bin ${bin}`);
  }
});

test("a free atom moves by its speed times the time, wrapped or not", async () => {
  const batch = Batch.from([{
    symbols: ["H"],
    positions: [0.5, 0.5, 0.5],
    velocities: [0.03, -0.02, 0.01],
    cell: [2, 3, 4],
    pbc: true,
  }]);
  const msd = new DiffusionHook({ frequency: 1, lags: 300 });
  await using md = new NVE({
    model: potential(() => 0),
    dt: 2,
    device: "reference",
    hooks: [new WrapPeriodicHook(), msd],
  });
  await md.run(batch, 400);
  assert(batch.get("images").some((n) => n !== 0));
  const { time, msd: squares } = msd.results()[0]!;
  assertEquals(time[299], 598);
  for (const [lag, square] of squares.entries()) {
    assertAlmostEquals(square, 0.0014 * time[lag]! ** 2, 1e-9 * Math.max(1, square));
  }
});

test("no lag spans a gap between samples", async () => {
  for (const pauses of [[100], [5], [5, 8, 61]]) {
    const batch = Batch.from([{
      symbols: ["H"],
      positions: [0, 0, 0],
      velocities: [0.03, -0.02, 0.01],
    }]);
    const msd = new DiffusionHook({ frequency: 4, lags: 20, originEvery: 3 });
    await using md = new NVE({ model: potential(() => 0), dt: 2, device: "reference" });
    const handle = md.hooks.add(msd);
    for (const steps of pauses) {
      await md.run(batch, steps);
      handle.disable();
      await md.run(batch, 37);
      handle.enable();
    }
    await md.run(batch, 200);
    const { time, msd: squares, origins } = msd.results()[0]!;
    assertEquals([time.length, time[19], origins[0]! > 15], [20, 152, true]);
    for (const [lag, square] of squares.entries()) {
      assertEquals(time[lag], 8 * lag);
      assertAlmostEquals(square, 0.0014 * time[lag]! ** 2, 1e-9 * Math.max(1, square));
    }
  }
});

test("a system that begins a new run has new origins, and the mean covers both runs", async () => {
  const atom = () =>
    Batch.from([{ symbols: ["H"], positions: [0, 0, 0], velocities: [0.03, -0.02, 0.01] }]);
  const msd = new DiffusionHook({ frequency: 5, lags: 6 });
  await using md = new NVE({
    model: potential(() => 0),
    dt: 2,
    device: "reference",
    hooks: [msd],
  });
  await md.run(atom(), 100);
  await md.run(atom(), 100);
  const { time, msd: squares, origins } = msd.results()[0]!;
  assertEquals([...origins], Array.from({ length: 6 }, (_, lag) => 2 * (20 - lag)));
  for (const [lag, square] of squares.entries()) {
    assertAlmostEquals(square, 0.0014 * time[lag]! ** 2, 1e-9 * Math.max(1, square));
  }
});

test("for a system that has left only sums are kept; it may return, before a resume and after", async () => {
  const atom = (id: number) => ({
    symbols: ["H"],
    positions: [id, 0, 0],
    velocities: [0.03, -0.02, 0.01],
  });
  const hook = () => new DiffusionHook({ frequency: 5, lags: 6 });
  const first = hook(), second = hook();
  const both = Batch.from([atom(0), atom(1)]), model = potential(() => 0);
  const run = async (msd: DiffusionHook, batch: Batch) => {
    await using md = new NVE({ model, dt: 2, device: "reference", hooks: [msd] });
    await md.run(batch, 100);
  };
  const kept = (msd: DiffusionHook) =>
    msd.save().systems.map(({ origins }) => (origins as Float64Array).length);
  await run(first, both);
  assertEquals(kept(first), [18, 18]);
  second.load(first.save());
  for (const msd of [first, second]) {
    await run(msd, both.select([0]));
    assertEquals(kept(msd), [18, 0]);
  }
  second.load(first.save());
  for (const msd of [first, second]) {
    await run(msd, both.clone());
    assertEquals(kept(msd), [18, 18]);
    const [, { time, msd: squares, origins }] = msd.results() as [Diffusion, Diffusion];
    assertEquals([...origins], Array.from({ length: 6 }, (_, lag) => 2 * (20 - lag)));
    for (const [lag, square] of squares.entries()) {
      assertAlmostEquals(square, 0.0014 * time[lag]! ** 2, 1e-9 * Math.max(1, square));
    }
  }
});

test("the velocity autocorrelation of an oscillator is the cosine of ω τ", async () => {
  const stiffness = 0.05, omega = Math.sqrt(stiffness * 1.602176634e-19 / 1.6605390666e-27) * 1e-5;
  const period = 2 * Math.PI / omega, dt = period / 400;
  const vacf = new VelocityAutocorrelationHook({ frequency: 4, lags: 101 });
  await using md = new NVE({ model: spring(stiffness), dt, device: "reference", hooks: [vacf] });
  await md.run(atomAt(0.1), 400 * 20);
  const { time, normalized } = vacf.results()[0]!;
  assertAlmostEquals(time[100]!, period, 1e-6 * period);
  for (const [lag, c] of normalized.entries()) {
    assertAlmostEquals(c, Math.cos(2 * Math.PI * lag / 100), 0.02, `lag ${lag}`);
  }
});

test("free atoms in a bath diffuse by kT / m γ, by displacements and by velocities", async () => {
  const batch = Batch.from([{
    symbols: new Array<string>(1000).fill("Ar"),
    positions: new Array<number>(3000).fill(0),
  }]);
  initVelocities(batch, 300, { seed: 2 });
  const choice = { frequency: 5, lags: 60 };
  const [msd, vacf] = [new DiffusionHook(choice), new VelocityAutocorrelationHook(choice)];
  await using md = new NVTLangevin({
    model: potential(() => 0),
    dt: 2,
    temperature: 300,
    friction: 0.02,
    seed: 4,
    device: "reference",
    hooks: [msd, vacf],
  });
  await md.run(batch, 1500);
  const want = 8.617333262e-5 * 300 / (39.95 * 103.642696) / 0.02; // amu Å²/fs² is 103.64 eV
  assertAlmostEquals(msd.results()[0]!.diffusion, want, 0.06 * want);
  assertAlmostEquals(vacf.results()[0]!.diffusion.at(-1)!, want, 0.06 * want);
});

test("blocks are merged if there are many, and the mean does not change", async () => {
  const [short, long] = [1, 4].map((blockSize) =>
    new AverageStressHook({ frequency: 1, blockSize })
  );
  await using md = new NVE({ model: ARGON, dt: 4, device: "reference" });
  md.hooks.add(short as never, { name: "short" });
  md.hooks.add(long as never, { name: "long" });
  const batch = systems();
  await md.run(batch, 258);
  const [one] = short!.results(), [other] = long!.results();
  assertEquals([one!.samples, one!.blocks, one!.blockSize], [258, 64, 4]);
  assertEquals([other!.blocks, other!.blockSize], [64, 4]);
  assertAlmostEquals(one!.pressure, other!.pressure, 1e-15);
  assertAlmostEquals(one!.pressureError, other!.pressureError, 1e-15);
  assert(one!.pressureError > 0);
});

test("errors name systems that cannot be sampled (no volume, no time) and wrong options", async () => {
  const warnings: string[] = [];
  const onWarning = ({ error }: { readonly error: unknown }) => warnings.push(String(error));
  const free = Batch.from([{ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.8, 0, 0] }]);
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  {
    await using md = new NVE({ model, dt: 1, device: "reference", onWarning });
    md.hooks.add(new RadialDistributionHook({ cutoff: 5 }), { onError: "warn" });
    md.hooks.add(new AverageStressHook(), { onError: "warn" });
    await md.run(free, 1);
  }
  await using relax = new FIRE({
    model,
    dt: 0.5,
    device: "reference",
    onWarning,
  });
  relax.hooks.add(new DiffusionHook(), { onError: "warn" });
  await relax.run(free, 1);
  assertEquals(
    warnings.map((text) =>
      /system 0 is not periodic|system 0 has no volume|relaxation/.exec(text)?.[0]
    ),
    [
      "system 0 is not periodic",
      "system 0 has no volume",
      "relaxation",
    ],
  );
  assertThrows(() => new RadialDistributionHook({ cutoff: -1 }), RangeError, "cutoff must be");
  assertThrows(() => new DiffusionHook({ lags: 1 }), RangeError, "lags must be");
  assertThrows(() => new DiffusionHook({ fit: [2, 1] }), TypeError, "fit must be");
  assertThrows(() => new VelocityAutocorrelationHook({ element: "Xy" }), RangeError, "Xy");
  assertThrows(() => new AverageStressHook({ blocks: 3 } as never), TypeError, "blocks");
});
