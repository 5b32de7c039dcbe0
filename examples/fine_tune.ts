/**
 * Fine-tunes a potential on your frames, then simulates the result at constant energy. The manifest beside the
 * potential determines cutoff, elements and inputs; the new file gets a manifest, too. Without arguments it uses a
 * small untrained pair potential and rattled crystals of argon.
 *
 * Run: `deno run -P=onnx-files examples/fine_tune.ts [MODEL.onnx FRAMES.xyz [OUT.onnx [PARAMETERS…]]]`, as in
 * `… ani.onnx frames.xyz tuned.onnx 'W*' 'b*'`: without names constants of the graph that look like weights move as well.
 */
import {
  adam,
  Batch,
  cosine,
  fcc,
  fineTune,
  GraphBuilder,
  initVelocities,
  kineticEnergies,
  lennardJones,
  NanGuard,
  NVE,
  OnnxModel,
  parseExtxyz,
  rattle,
  writeExtxyz,
} from "@hooke/hooke";

const [file, xyz, out = `${Deno.makeTempDirSync()}/tuned.onnx`, ...names] = Deno.args;
if (!out.endsWith(".onnx")) {
  console.error(`OUT must end with .onnx, so that its .json can be beside it: ${out}`);
  Deno.exit(2);
}
if (await Deno.stat(out).then(() => true, () => false)) {
  console.error(`${out} exists: remove it, or name another`);
  Deno.exit(2);
}
const LR = file ? 1e-3 : 2e-3, EPOCHS = file ? 50 : 100, BATCH = 4;

// Energies in eV, forces in eV/Å. If your fields have other names, add `energy: "REF_energy", forces: "REF_forces"`
// below.
const frames = parseExtxyz(xyz ? await Deno.readTextFile(xyz) : await argon());
const every = 5; // every fifth frame is not used for training
const train = frames.filter((_, i) => i % every > 0);
const { parameters, before, after } = await fineTune({
  model: file ?? pairs(),
  ...(!file && { manifest: { cutoff: 5 } }), // the manifest is beside the file
  train,
  valid: frames.filter((_, i) => i % every === 0),
  elementEnergies: file ? "shift" : "keep", // an untrained potential leaves no offset to fit
  weights: { energy: 1, forces: 1 },
  parameters: names.length > 0 ? names : file ? "*" : "heights", // otherwise its constants would be trained, too
  optimizers: adam({ lr: LR }),
  schedule: cosine({ steps: EPOCHS * Math.ceil(train.length / BATCH) }),
  epochs: EPOCHS,
  batchSize: BATCH,
  seed: 1,
  hooks: [new NanGuard()], // otherwise a rate that is too high would end in a file of NaN
  out, // with its manifest and a reference beside it
});
console.log(`trains ${parameters.map(({ name }) => name).join(", ")}`);
for (const [what, unit] of [["energy", "meV per atom"], ["forces", "meV/Å"]] as const) {
  const [then, now] = [before, after].map((errors) => errors![`val/${what}RMSE`]!.toFixed(1));
  console.log(`${what} off by ${then} ${unit} before, ${now} after`);
}

await using model = await OnnxModel.open(out); // finds the .json, and compares it with the .ref.json
const batch = Batch.from([frames[0]!]);
initVelocities(batch, 50, { seed: 1 });
await using md = new NVE({ model, dt: 0.5 });
const energy = () => batch.get("energy")[0]! + kineticEnergies(batch)[0]!;
await md.run(batch, 0);
const start = energy();
await md.run(batch, 200);
const drift = 1000 * Math.abs(energy() - start) / batch.nodeCount;
console.log(`${model.name}: ${md.stepCount} steps, energy within ${drift.toFixed(2)} meV per atom`);

/** Creates such a file of frames, with energies and forces. */
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

/** Creates such a potential: pairs whose energy is a sum of Gaussians of r². Their heights are the parameters. */
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
