/** A real model of molecules in engines: energies, relaxation, dynamics. */
import { assert, assertEquals } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  type DynamicsContext,
  DynamicsStage,
  FIRE,
  initVelocities,
  NVE,
  parseExtxyz,
} from "@hooke/hooke";
import { OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { assertWithin, largest } from "../onnx/assert_within.ts";
import { readModel } from "../onnx/shared_models.ts";
import { slow } from "../suite.ts";
import { storedBatch } from "./onnx_references.ts";
import { lacks } from "../machine.ts";

const ANI: OnnxModelOptions = { cutoff: 5.2, reach: 3.5, elements: ["H", "C", "N", "O"] };
const open = (options: OnnxModelOptions = {}) =>
  OnnxModel.open(readModel("ani1x_1_ef.onnx"), { name: "ani1x", ...ANI, ...options });
const molecules = () => storedBatch("ani1x_1", "species", [1, 6, 7, 8]);
const BACKENDS = ["reference", "wasm"] as const;

/** Differences of Python's onnxruntime 1.31.1 from PyTorch in float64, relative to the largest value. */
const PYTHON = { energy: 1.13e-6, forces: 9.96e-7 };

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, ignore: lacks("models") });

async function evaluated(
  model: OnnxModel,
  systems: Parameters<typeof Batch.from>[0],
  device: "wasm" | "reference" = "wasm",
): Promise<Batch> {
  const batch = Batch.from(systems);
  await using md = new NVE({ model, dt: 1, device });
  return await md.run(batch, 0);
}

for (const backend of BACKENDS) {
  test(`ANI-1x gives PyTorch's energies and forces, together and alone, on ${backend}`, async () => {
    const { systems, energies, forces } = molecules();
    const tolerance = {
      energy: (1e-6 + 3 * PYTHON.energy) * largest(energies),
      forces: (1e-6 + 3 * PYTHON.forces) * largest(forces),
    };
    await using model = await open();
    const together = await evaluated(model, systems, backend);
    assertWithin("energies", together.get("energy"), energies, tolerance.energy);
    assertWithin("forces", together.get("forces"), forces, tolerance.forces);
    for (const [s, system] of systems.entries()) {
      const alone = await evaluated(model, [system], backend);
      assertWithin(`energy ${s}`, alone.get("energy"), [energies[s]!], tolerance.energy);
      const [from, to] = together.nodeOffsets.slice(s, s + 2);
      const own = forces.slice(3 * from!, 3 * to!);
      assertWithin(`forces ${s}`, alone.get("forces"), own, tolerance.forces);
    }
  });
}

test("padding changes no bit of any energy or force; one system at a time only the last", async () => {
  const { systems } = molecules();
  await using padded = await open();
  const expected = await evaluated(padded, systems);
  await using bare = await open({ padding: false });
  const same = await evaluated(bare, systems);
  assertEquals(same.get("energy"), expected.get("energy"));
  assertEquals(same.get("forces"), expected.get("forces"));
  await using single = await open({ batch: "single" });
  const batch = await evaluated(single, systems);
  for (const field of ["energy", "forces"] as const) {
    const limit = 1e-6 * largest(expected.get(field));
    assertWithin(field, batch.get(field), expected.get(field), limit);
  }
});

const frames = parseExtxyz(
  await Deno.readTextFile(new URL("../data/ani1x_ase.xyz", import.meta.url)),
);
const labeled = (name: string) =>
  frames.filter(({ info }) => `${info.label}`.replace(/\d+$/, "") === name);

/** Returns the frames of a name as a batch. */
const framed = (name: string) =>
  Batch.from(labeled(name).map(({ numbers, positions }) => ({ numbers, positions })));

const ALL = Array.from({ length: 10 }, (_, s) => s);
/** Small molecules, because the evaluator, which runs models on the reference backend, is slow. */
const FEW = [0, 4];

async function relaxed(
  fmax: number,
  device: "wasm" | "reference",
  which: readonly number[] = ALL,
): Promise<Batch> {
  await using model = await open();
  const hooks = [ConvergenceHook.fromFmax(fmax)];
  await using opt = new FIRE({ model, dt: 0.1, nSteps: 1000, device, hooks });
  const batch = await opt.run(framed("start").select(which));
  assertEquals([...batch.get("status")], which.map(() => 1));
  return batch;
}

for (const backend of BACKENDS) {
  slow(test)(
    `molecules relax along ASE's path to ASE's structures with the same file, on ${backend}`,
    async () => {
      const which = backend === "reference" ? FEW : ALL;
      const batch = await relaxed(0.01, backend, which);
      const expected = which.map((s) => labeled("fire")[s]!);
      for (const [s, { positions, energy }] of batch.systems().entries()) {
        assertWithin(`positions ${s}`, positions, expected[s]!.positions, 1e-3);
        assertWithin(`energy ${s}`, [energy!], [expected[s]!.energy!], 1e-5);
      }
      const steps = expected.map(({ info }) => Number(info.steps));
      assertWithin("steps", batch.get("stepsDone"), steps, 1);
    },
  );
}

slow(test)("molecules relax to the minima that ASE's BFGS finds", async () => {
  const systems = (await relaxed(1e-3, "wasm")).systems();
  // The others have methyl and hydroxyl groups, which rotate slowly during a relaxation.
  for (const s of [0, 1, 4, 5, 6, 7, 9]) {
    const { positions, energy } = labeled("minimum")[s]!;
    assertWithin(`positions ${s}`, systems[s]!.positions, positions, 1e-2);
    assertWithin(`energy ${s}`, [systems[s]!.energy!], [energy!], 1e-5);
  }
});

slow(test)("dynamics of molecules conserves energy without drift", async () => {
  await using model = await open();
  const batch = framed("minimum").select([0, 5, 8]);
  initVelocities(batch, 300, { seed: 1 });
  await using md = new NVE({ model, dt: 0.25 });
  const totals: number[][] = [];
  md.hooks.add({
    stage: DynamicsStage.AFTER_STEP,
    frequency: 4,
    reads: ["energy", "kineticEnergy"] as const,
    call: ({ read }: DynamicsContext<"energy" | "kineticEnergy">) =>
      void totals.push(Array.from(read.energy, (energy, s) => energy + read.kineticEnergy.at(s)!)),
  });
  await md.run(batch, 800);
  const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  for (let s = 0; s < batch.size; s++) {
    const perAtom = totals.map((row) => row[s]! / batch.select([s]).nodeCount);
    // Drift in eV per atom over 0.2 ps, with 0.039 eV of kinetic energy; means of halves of 2 ps differ by at
    // most 1e-4.
    assert(Math.max(...perAtom) - Math.min(...perAtom) < 2.5e-4, `system ${s} wanders`);
    const drift = mean(perAtom.slice(100)) - mean(perAtom.slice(0, 100));
    assert(Math.abs(drift) < 1e-4, `system ${s} drifts by ${drift}`);
  }
});

slow(test)(
  "40 runs of several engines at once do not hang, and give what they give alone",
  async () => {
    await using one = await open();
    await using other = await open({ batch: "single", name: "ani1x, one by one" });
    const { systems } = molecules();
    const run = async (i: number) => {
      const batch = Batch.from([systems[i % 10]!, systems[(3 * i + 1) % 10]!]);
      const options = { model: i % 2 === 0 ? one : other, dt: 0.2 } as const;
      await using engine = i % 3 === 0 ? new FIRE(options) : new NVE(options);
      await engine.run(batch, 4);
      return [...batch.get("positions"), ...batch.get("energy")];
    };
    const together = await Promise.all(Array.from({ length: 40 }, (_, i) => run(i)));
    for (const i of [0, 7, 18, 39]) assertEquals(together[i], await run(i));
  },
);

test("a checkpoint of dynamics with a model resumes bitwise identically", async () => {
  await using model = await open();
  const options = { model, dt: 0.5 };
  const start = () => {
    const batch = framed("start").select([0, 3]);
    initVelocities(batch, 300, { seed: 2 });
    return batch;
  };
  await using whole = new NVE(options);
  const expected = await whole.run(start(), 20);
  await using first = new NVE(options);
  await first.run(start(), 8);
  const saved = await first.save();
  await using second = new NVE(options);
  const batch = await second.load(saved);
  await second.run(batch, 12);
  for (const name of ["positions", "velocities", "energy"] as const) {
    assertEquals(batch.get(name), expected.get(name), name);
  }
});
