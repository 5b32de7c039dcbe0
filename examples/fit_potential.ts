/**
 * Goes from data to dynamics in one file: argon is simulated with the Lennard-Jones model, a network learns its
 * energies and forces from the frames and is written as an .onnx file, and that file is simulated at constant energy.
 *
 * The network gives energies only. Forces are their gradients, made by differentiating the graph. To train on forces,
 * the trainer differentiates it once more.
 *
 * Run: `deno run -P=onnx-files examples/fit_potential.ts [OUT.onnx]`
 */
import {
  adam,
  atomsData,
  Batch,
  cosine,
  energyForces,
  fcc,
  GraphBuilder,
  hook,
  initVelocities,
  lennardJones,
  MemorySink,
  normalNumbers,
  NVE,
  NVTLangevin,
  OnnxModel,
  SnapshotHook,
  type System,
  Trainer,
} from "@hooke/hooke";

const path = Deno.args[0] ?? `${Deno.makeTempDirSync()}/argon.onnx`;
const CUTOFF = 5; // Å
const crystal = fcc({ element: "Ar", a: 5.3, cells: 2 });

/** Frames of a simulation, with the energies and forces to learn. */
async function frames(temperature: number, seed: number): Promise<System[]> {
  const sink = new MemorySink();
  const batch = Batch.from([crystal]);
  initVelocities(batch, temperature, { seed });
  await using md = new NVTLangevin({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: CUTOFF, truncation: "switch" }),
    dt: 4,
    temperature,
    friction: 0.05,
    seed,
    hooks: [new SnapshotHook({ sink, frequency: 20, after: 100 })],
  });
  await md.run(batch, 1100);
  return sink.read().systems();
}

const BASIS = 24; // Gaussians over distances
const HIDDEN = 16;

/** E = Σᵢ vᵀ tanh(W gᵢ + b) + uᵀ gᵢ, where gᵢ counts the neighbors of atom i at each distance. */
function network(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("argon");
  const positions = g.input("positions", "f32", ["N", 3]);
  const edges = g.input("edge_index", "i64", [2, "E"]);
  const shifts = g.input("shifts", "f32", ["E", 3]);
  const systems = g.input("batch_idx", "i64", ["N"]);
  const energy0 = g.input("energy0", "f32", ["B"]);
  const [from, to] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));

  const vectors = g.add(g.sub(g.gather(positions, to!), g.gather(positions, from!)), shifts);
  const square = g.reduceSum(g.mul(vectors, vectors), [1], true); // [E, 1]
  const distance = g.op("Sqrt", [square], "f32");
  // (1 − r²/c²)³ below the cutoff, 0 beyond it, so that energies and forces end smoothly.
  const inside = g.op("Relu", [g.sub(1, g.mul(square, 1 / CUTOFF ** 2))], "f32");
  const envelope = g.mul(g.mul(inside, inside), inside);
  const width = (CUTOFF - 2.8) / BASIS;
  const centers = g.constant(
    "f32",
    Float32Array.from({ length: BASIS }, (_, k) => 2.8 + k * width),
  );
  const away = g.mul(g.sub(distance, centers), 1 / width); // [E, BASIS]
  const gauss = g.op("Exp", [g.mul(g.mul(away, away), -0.5)], "f32");

  const weights = (name: string, from: number, to: number, seed: number) =>
    g.parameter(name, normalNumbers(from * to, { seed, stdev: 0.3 / Math.sqrt(from) }), [from, to]);
  const zeros = g.expand(g.mul(g.gather(positions, g.constant("i64", [0]), 1), 0), [1, BASIS]);
  const places = g.expand(g.unsqueeze(from!, [1]), [1, BASIS]);
  const neighbors = g.scatterAdd(zeros, places, g.mul(gauss, envelope)); // [N, BASIS]
  const bias = g.parameter("net.b", new Float32Array(HIDDEN), [HIDDEN]);
  const inner = g.op("Gemm", [neighbors, weights("net.w", BASIS, HIDDEN, 1), bias], "f32");
  const bent = g.op(
    "MatMul",
    [g.op("Tanh", [inner], "f32"), weights("net.v", HIDDEN, 1, 2)],
    "f32",
  );
  const straight = g.op("MatMul", [neighbors, weights("net.u", BASIS, 1, 3)], "f32");
  const perAtom = g.squeeze(g.add(bent, straight), [1]);
  g.output("energy", g.scatterAdd(energy0, systems, perAtom), ["B"]);
  return g.build();
}

const data = { cutoff: CUTOFF, batchSize: 5, seed: 1 };
await using trainer = new Trainer({
  model: network(),
  loss: energyForces({ energy: 1, forces: 1, perAtom: true }),
  parameters: "net.*", // the centers are constants
  data: atomsData([...await frames(60, 1), ...await frames(150, 2)], data),
  validation: atomsData(await frames(100, 3), data),
  optimizers: adam({ lr: 0.02 }),
  schedule: cosine({ steps: 400, to: 0.01 }),
  epochs: 20,
});
trainer.addHook({
  name: "progress",
  frequency: 5,
  phase: 4, // the fifth epoch, the tenth, …
  onEpochEnd({ epoch, metrics }) {
    const off = (what: string) => 1000 * Math.sqrt(metrics[`val/loss/${what}`]!);
    const [energy, forces] = [off("energy").toFixed(3), off("forces").toFixed(2)];
    console.log(`epoch ${epoch + 1}: off by ${energy} meV per atom, ${forces} meV/Å`);
  },
});
await trainer.train();
await trainer.exportTo(path);

await using model = await OnnxModel.open(path, { cutoff: CUTOFF });
const batch = Batch.from([crystal]);
initVelocities(batch, 80, { seed: 4 });
const totals: number[] = [];
const watch = hook({
  name: "watch",
  reads: ["energy", "kineticEnergy"],
  on: {
    dynamics: {
      AFTER_STEP: ({ read }) => void totals.push(read.energy[0]! + read.kineticEnergy[0]!),
    },
  },
});
await using md = new NVE({ model, dt: 2, hooks: [watch] });
await md.run(batch, 500);
const drift = Math.max(...totals.map((total) => Math.abs(total - totals[0]!))) / 32;
console.log(
  `${model.name}: ${totals.length} steps, energy within ${(1e6 * drift).toFixed(0)} µeV per atom`,
);
