// ONNX models and training in Node, over the installed package.
import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { adam, GraphBuilder, meanSquaredError, normalNumbers, openRunFolder } from "@hooke/hooke";
import { resume, tensorData, Trainer } from "@hooke/hooke";
import { openTrainingGroup } from "@hooke/hooke/training";
import { dataOf, openSession, openSessionInWorker } from "@hooke/hooke/onnx";

/** Returns a trainer of y = tanh(x · first + bias) · second on the four cases of XOR. */
function xor(epochs: number): Trainer {
  const g = new GraphBuilder("xor");
  const [first, bias, second] = [16, 8, 8].map((n, seed) => normalNumbers(n, { seed }));
  const layer = [g.input("x", "f32", ["B", 2]), g.parameter("first", first!, [2, 8])];
  const sum = g.op("Gemm", [...layer, g.parameter("bias", bias!, [8])], "f32");
  const last = g.parameter("second", second!, [8, 1]);
  g.output("y", g.op("MatMul", [g.op("Tanh", [sum], "f32"), last], "f32"));
  return new Trainer({
    model: g.build(),
    loss: meanSquaredError({ target: "wanted" }),
    data: tensorData({
      x: { data: Float32Array.of(0, 0, 0, 1, 1, 0, 1, 1), dims: [4, 2] },
      wanted: { data: Float32Array.of(0, 1, 1, 0), dims: [4, 1] },
    }, { batchSize: 4 }),
    optimizers: adam({ lr: 0.01 }),
    epochs,
    threads: 1,
  });
}

/** Trains in a run folder, from its last checkpoint. Returns the last loss. */
async function train(path: string, epochs: number): Promise<number> {
  let loss = NaN;
  const trainer = xor(epochs);
  trainer.hooks.add({ onEpochEnd: ({ metrics }) => void (loss = metrics["train/loss"]!) });
  const folder = await openRunFolder(path);
  folder.attach(trainer);
  await resume(folder, trainer);
  await trainer.train();
  for (const one of [trainer, folder]) await one[Symbol.asyncDispose]();
  return loss;
}

test("a session in a worker gives what a session gives here", async () => {
  const g = new GraphBuilder("double"), x = g.input("x", "f32", ["N"]);
  g.output("y", g.op("Add", [x, x], "f32"));
  const feeds = { x: { data: Float32Array.of(1, 2.5), dims: [2] } };
  for (const open of [openSession, openSessionInWorker]) {
    const session = await open(g.build(), { device: "wasm", runtime: "web" });
    deepEqual(dataOf(await session.run(feeds), "y", "float32"), Float32Array.of(2, 5));
    await session.dispose();
  }
});

test("a trainer learns, and continues with the same bits", async () => {
  const root = mkdtempSync(`${tmpdir()}/hooke-node-`);
  await train(`${root}/parted`, 100);
  const parted = await train(`${root}/parted`, 200);
  const whole = await train(`${root}/whole`, 200);
  equal(parted, whole);
  ok(whole < 0.05, `the loss is ${whole}`);
});

test("two machines add their shards over a connection", async () => {
  const rendezvous = mkdtempSync(`${tmpdir()}/hooke-node-`);
  const open = (rank: number) =>
    openTrainingGroup({ shards: 2, nodes: 2, rank, rendezvous, host: "127.0.0.1" });
  const groups = await Promise.all([open(0), open(1)]);
  const sums = await Promise.all(groups.map(async (group) => {
    const array = new Float32Array(100_000);
    await group.sum({
      means: new Float64Array(1),
      addMeans: () => {},
      length: array.length,
      array: () => array,
      add: (from, to) => {
        for (let k = from; k < to; k++) array[k]! += k;
      },
    });
    return array[99_999];
  }));
  deepEqual(sums, [199_998, 199_998]);
  for (const group of groups) await group.close();
});
