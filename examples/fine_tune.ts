/**
 * Fine-tunes a potential on frames of one's own, then simulates what came out, at constant energy. What the .json beside
 * the potential says of it (cutoff, elements, …) its data are made by, and is written beside the new file, too. Without
 * arguments: a small potential of pairs that knows nothing yet, and shaken crystals of argon.
 *
 * Run: `deno run -P=onnx-files examples/fine_tune.ts [MODEL.onnx FRAMES.xyz [OUT.onnx [PARAMETERS…]]]`, as in
 * `… ani.onnx frames.xyz tuned.onnx 'W*' 'b*'`: without names constants of the graph that look like weights move as well.
 */
import { Batch, fcc, lennardJones, NVE, parseExtxyz, rattle, writeExtxyz } from "@hooke/hooke";
import { initVelocities, kineticEnergies, NanGuard } from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { GraphBuilder } from "@hooke/hooke/onnx";
import { adam, atomsData, cosine, energyForces, Trainer } from "@hooke/hooke/training";

const [file, xyz, out = `${Deno.makeTempDirSync()}/tuned.onnx`, ...names] = Deno.args;
const LR = file ? 1e-3 : 2e-3, EPOCHS = file ? 50 : 100, BATCH = 4;

// Energies in eV, forces in eV/Å; if they are called otherwise, add `energy: "REF_energy", forces: "REF_forces"` below.
const frames = parseExtxyz(xyz ? await Deno.readTextFile(xyz) : await argon());
const manifest = file
  ? JSON.parse(await Deno.readTextFile(file.replace(/\.onnx$/, ".json")))
  : { cutoff: 5 };
const { cutoff, reach, elements, atomEnergies, inputs } = manifest;
const units = [manifest.energyUnit ?? "eV", manifest.lengthUnit ?? "Å"].join(", ");
if (units !== "eV, Å") {
  throw new RangeError(`Cannot train as units must be eV, Å: they are ${units}`);
}
const options = {
  cutoff,
  batchSize: BATCH,
  seed: 1,
  ...(reach && { tripletCutoff: reach }),
  ...(elements && { elements }),
  ...(atomEnergies && { elementEnergies: atomEnergies }),
  ...(inputs && { names: inputs }), // such as { "numbers": "species" }
};
const every = 5; // each fifth frame is not trained with
const data = atomsData(frames.filter((_, i) => i % every > 0), options);

await using trainer = new Trainer({
  model: file ?? pairs(),
  loss: energyForces({ energy: 1, forces: 1, perAtom: true }),
  parameters: names.length > 0 ? names : file ? "*" : "heights", // or its constants move as well
  data,
  validation: atomsData(frames.filter((_, i) => i % every === 0), options),
  optimizers: adam({ lr: LR }),
  schedule: cosine({ steps: EPOCHS * data.length! }),
  epochs: EPOCHS,
  hooks: [new NanGuard()], // or a rate that is too high ends in a file of NaN
});
const before = await trainer.validate();
console.log(`trains ${trainer.parameters.map(({ name }) => name).join(", ")}`);
await trainer.train();
const after = await trainer.validate();
for (const [what, unit] of [["energy", "meV per atom"], ["forces", "meV/Å"]] as const) {
  const [then, now] = [before, after].map((metrics) => {
    return (1000 * Math.sqrt(metrics[`val/loss/${what}`]!)).toFixed(1);
  });
  console.log(`${what} off by ${then} ${unit} before, ${now} after`);
}
await trainer.exportTo(out);
await Deno.writeTextFile(out.replace(/\.onnx$/, ".json"), JSON.stringify(manifest));

await using model = await OnnxModel.open(out); // finds the .json
const batch = Batch.from([frames[0]!]);
initVelocities(batch, 50, { seed: 1 });
await using md = new NVE({ model, dt: 0.5 });
const energy = () => batch.get("energy")[0]! + kineticEnergies(batch)[0]!;
await md.run(batch, 0);
const start = energy();
await md.run(batch, 200);
const drift = 1000 * Math.abs(energy() - start) / batch.nodeCount;
console.log(`${model.name}: ${md.stepCount} steps, energy within ${drift.toFixed(2)} meV per atom`);

/** Such a file of frames, with energies and forces. */
async function argon(): Promise<string> {
  const crystal = fcc({ element: "Ar", a: 5.3, cells: 2 });
  const batch = Batch.from(Array.from({ length: 40 }, (_, seed) => rattle(crystal, 0.15, seed)));
  await using teacher = new NVE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 }),
    dt: 1,
  });
  await teacher.run(batch, 0);
  return writeExtxyz(batch);
}

/** Such a potential: pairs whose energy is a sum of Gaussians of r². The heights are the parameters. */
function pairs(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("pairs"), count = 16;
  const positions = g.input("positions", "f32", ["N", 3]);
  const edges = g.input("edge_index", "i64", [2, "E"]), shifts = g.input("shifts", "f32", ["E", 3]);
  const systems = g.input("batch_idx", "i64", ["N"]), zeros = g.input("energy0", "f32", ["B"]);
  const [from, to] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));
  const vectors = g.add(g.sub(g.gather(positions, to!), g.gather(positions, from!)), shifts);
  const squares = g.reduceSum(g.mul(vectors, vectors), [1], true); // [E, 1]
  const centers = g.constant("f32", Array.from({ length: count }, (_, k) => 8 + k));
  const away = g.sub(squares, centers);
  const gaussians = g.op("Exp", [g.op("Neg", [g.mul(away, away)], "f32")], "f32");
  const heights = g.parameter("heights", new Float32Array(count), [count, 1]);
  const energies = g.squeeze(g.op("MatMul", [gaussians, heights], "f32"), [1]);
  g.output("energy", g.scatterAdd(zeros, g.gather(systems, from!), energies), ["B"]);
  return g.build();
}
