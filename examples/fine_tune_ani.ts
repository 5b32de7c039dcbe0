/**
 * Fine-tunes the last layer of ANI-1x on energies and forces of another method, with a few frames of one molecule.
 * Only the named tensors are trained. Without data of your own the other method is made up: bonds are 5 % stronger.
 *
 * Run: `deno run -P=models examples/fine_tune_ani.ts [ani1x_1_e.onnx] [OUT.onnx]`
 */
import {
  adam,
  atomsData,
  Batch,
  decodeModel,
  energyForces,
  exponential,
  initVelocities,
  MemorySink,
  NVTLangevin,
  OnnxModel,
  SnapshotHook,
  System,
  Trainer,
} from "@hooke/hooke";
import { type TensorProto, tensorValues } from "@hooke/hooke/onnx";
import { openPotential } from "@hooke/hooke/training";

const FOLDER = Deno.env.get("HOOKE_MODELS") ??
  `${import.meta.dirname}/../../shared/models`;
const file = Deno.args[0] ?? `${FOLDER}/ani1x_1_e.onnx`;
const path = Deno.args[1] ?? `${Deno.makeTempDirSync()}/tuned.onnx`;
const ELEMENTS = ["H", "C", "N", "O"];

const methanol = new System({
  symbols: ["C", "O", "H", "H", "H", "H"],
  positions: [
    [-0.05, 0.66, 0, -0.05, -0.76, 0, -1.09, 0.98, 0],
    [0.44, 1.07, 0.89, 0.44, 1.07, -0.89, 0.86, -1.06, 0],
  ].flat(),
});

/** Frames of the molecule at 400 K, with the energies and forces of the other method. */
async function frames(count: number, seed: number) {
  await using model = await OnnxModel.open(file, { cutoff: 5.2, reach: 3.5, elements: ELEMENTS });
  const sink = new MemorySink();
  const batch = Batch.from([methanol]);
  initVelocities(batch, 400, { seed });
  const hooks = [new SnapshotHook({ sink, frequency: 10, phase: 9 })];
  await using md = new NVTLangevin({
    model,
    dt: 0.5,
    temperature: 400,
    friction: 0.02,
    seed,
    hooks,
  });
  await md.run(batch, 10 * count);
  return sink.read().systems().map((system) => ({
    numbers: system.numbers,
    positions: system.positions,
    energy: 1.05 * system.get("energy")[0]!,
    forces: Array.from(system.get("forces"), (force) => 1.05 * force),
  }));
}

const potential = await openPotential(file, { cutoff: 5.2, reach: 3.5, elements: ELEMENTS });
const data = { potential, batchSize: 8 };
await using trainer = new Trainer({
  model: potential.model,
  loss: energyForces({ potential, energy: 1, forces: 1, perAtom: true }),
  parameters: ["W3", "b3"], // of W0 … W3, b0 … b3: the layer that gives energies
  data: atomsData(await frames(40, 1), data),
  validation: atomsData(await frames(16, 2), data),
  optimizers: adam({ lr: 2e-3 }),
  schedule: exponential({ gamma: 0.97 }),
  epochs: 20,
});
const before = await trainer.validate();
await trainer.train();
const after = await trainer.validate();
for (const [what, unit] of [["energy", "meV per atom"], ["forces", "meV/Å"]] as const) {
  const [then, now] = [before, after].map((metrics) => {
    return (1000 * Math.sqrt(metrics[`val/loss/${what}`]!)).toFixed(1);
  });
  console.log(`${what} off by ${then} ${unit} before, ${now} after`);
}

await trainer.exportTo(path);
const was = weights(await Deno.readFile(file)), is = weights(await Deno.readFile(path));
const hasMoved = (name: string) => String(was.get(name)) !== String(is.get(name));
const names = trainer.parameters.map(({ name, dims }) => `${name} [${dims.join(", ")}]`);
console.log(`trained: ${names.join(", ")}`);
console.log(`moved: ${[...was.keys()].filter(hasMoved).join(", ")} of ${was.size} tensors`);

function weights(bytes: Uint8Array): Map<string, unknown> {
  const tensors: readonly TensorProto[] = decodeModel(bytes).graph!.initializer;
  return new Map(tensors.map((tensor) => [tensor.name, tensorValues(tensor)]));
}
