/** ANI-1x from its file of energies, in engines: it gives the results of the file with traced forces. */
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
import { openWebGpu } from "../../src/backend/mod.ts";
import { device, lacksGpu } from "../backend/gpu.ts";
import { assertWithin, largest } from "../onnx/assert_within.ts";
import { readModel } from "../onnx/shared_models.ts";
import { few, slow } from "../suite.ts";
import { storedBatch } from "./onnx_references.ts";
import { lacks } from "../machine.ts";

const ANI: OnnxModelOptions = { cutoff: 5.2, reach: 3.5, elements: ["H", "C", "N", "O"] };
const open = (file: "ani1x_1_e" | "ani1x_1_ef" = "ani1x_1_e") =>
  OnnxModel.open(readModel(`${file}.onnx`), ANI);

const onModels = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, ignore: lacks("models") });

const frames = parseExtxyz(
  await Deno.readTextFile(new URL("../data/ani1x_ase.xyz", import.meta.url)),
);
const labeled = (name: string) =>
  frames.filter(({ info }) => `${info.label}`.replace(/\d+$/, "") === name);
const framed = (name: string) =>
  Batch.from(labeled(name).map(({ numbers, positions }) => ({ numbers, positions })));

/**
 * Tolerance relative to the largest value: three times the difference of Python's onnxruntime for the traced
 * file.
 */
const AWAY = { energy: 4.4e-6, forces: 4e-6 };

for (const where of ["wasm", "reference"] as const) {
  onModels(
    `ANI-1x of energies gives PyTorch's forces, in a batch and alone, on ${where}`,
    async () => {
      const { systems, energies, forces } = storedBatch("ani1x_1", "species", [1, 6, 7, 8]);
      await using model = await open();
      const run = async (of: typeof systems) => {
        await using md = new NVE({ model, dt: 1, device: where });
        return await md.run(Batch.from(of), 0);
      };
      const together = await run(systems);
      assertWithin("energies", together.get("energy"), energies, AWAY.energy * largest(energies));
      assertWithin("forces", together.get("forces"), forces, AWAY.forces * largest(forces));
      for (const s of [0, 4, 9]) {
        const alone = await run([systems[s]!]);
        const [from, to] = together.nodeOffsets.slice(s, s + 2);
        const own = forces.slice(3 * from!, 3 * to!);
        assertWithin(`forces ${s}`, alone.get("forces"), own, AWAY.forces * largest(forces));
      }
    },
  );
}

slow(onModels)(
  "ANI-1x of energies relaxes molecules to the minima that ASE's BFGS finds",
  async () => {
    await using model = await open();
    await using opt = new FIRE({
      model,
      dt: 0.1,
      nSteps: 1000,
      hooks: [ConvergenceHook.fromFmax(1e-3)],
    });
    const batch = await opt.run(framed("start"));
    assertEquals([...batch.get("status")], Array(10).fill(1));
    const systems = batch.systems();
    // The others have methyl and hydroxyl groups, which rotate slowly during a relaxation.
    for (const s of [0, 1, 4, 5, 6, 7, 9]) {
      const { positions, energy } = labeled("minimum")[s]!;
      assertWithin(`positions ${s}`, systems[s]!.positions, positions, 1e-2);
      assertWithin(`energy ${s}`, [systems[s]!.energy!], [energy!], 1e-5);
    }
  },
);

slow(onModels)(
  "ANI-1x of energies relaxes as the file with traced forces does, step by step",
  async () => {
    const run = async (file: "ani1x_1_e" | "ani1x_1_ef") => {
      await using model = await open(file);
      const hooks = [ConvergenceHook.fromFmax(0.01)];
      await using opt = new FIRE({ model, dt: 0.1, nSteps: 1000, hooks });
      return await opt.run(framed("start"));
    };
    const [own, traced] = [await run("ani1x_1_e"), await run("ani1x_1_ef")];
    assertWithin("steps", own.get("stepsDone"), traced.get("stepsDone"), 1);
    assertWithin("positions", own.get("positions"), traced.get("positions"), 1e-3);
    assertWithin("energies", own.get("energy"), traced.get("energy"), 1e-5);
  },
);

slow(onModels)(
  "dynamics with ANI-1x of energies conserves energy without drift",
  async () => {
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
        void totals.push(
          Array.from(read.energy, (energy, s) => energy + read.kineticEnergy.at(s)!),
        ),
    });
    await md.run(batch, 800);
    const mean = (values: readonly number[]) =>
      values.reduce((sum, x) => sum + x, 0) / values.length;
    for (let s = 0; s < batch.size; s++) {
      const perAtom = totals.map((row) => row[s]! / batch.select([s]).nodeCount);
      assert(Math.max(...perAtom) - Math.min(...perAtom) < 2.5e-4, `system ${s} wanders`);
      const drift = mean(perAtom.slice(100)) - mean(perAtom.slice(0, 100));
      assert(Math.abs(drift) < 1e-4, `system ${s} drifts by ${drift}`);
    }
  },
);

const gpuTest = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, ignore: lacks("models") || lacksGpu() });

// The fast suite runs the smallest.
for (const name of few(["schnet"], ["mlp", "schnet", "painnx"])) {
  gpuTest(
    `${name} of energies runs on WebGPU, recorded, and gives what it gives on wasm`,
    async () => {
      const { systems } = storedBatch(name, "z");
      await using model = await OnnxModel.open(readModel(`${name}_e.onnx`), { cutoff: 5 });
      const backend = await openWebGpu({ device: device! });
      const run = async (on: { backend: typeof backend } | { device: "wasm" }) => {
        await using opt = new FIRE({ model, dt: 0.05, ...on });
        return await opt.run(Batch.from(systems), 5);
      };
      try {
        const [fast, slow] = [await run({ backend }), await run({ device: "wasm" })];
        for (const field of ["energy", "forces", "positions"] as const) {
          const expected = slow.get(field);
          assertWithin(field, fast.get(field), expected, 2e-5 * largest(expected));
        }
      } finally {
        backend.dispose();
      }
      const notes = model.describe().split("\n").slice(-2);
      assert(/^webgpu against wasm: they (agree|are equal)/.test(notes[0]!), notes[0]);
      assert(/^captured against uncaptured: they (agree|are equal)/.test(notes[1]!), notes[1]);
    },
  );
}
