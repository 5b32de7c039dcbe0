/**
 * A machine of a group that trains a small network, as a program: machine.ts FOLDER SHARDS NODES RANK OUT. The
 * shards `workers` stand for a trainer with four workers.
 *
 * @module
 */

import process from "node:process";
import { adam, cosine, openTrainingGroup, Trainer } from "../../../src/training/mod.ts";
import { parts, samples } from "../networks.ts";

if (import.meta.main) await main();

async function main(): Promise<void> {
  const [folder, shards, nodes, rank, out] = process.argv.slice(2);
  const group = shards === "workers" ? undefined : await openTrainingGroup({
    shards: Number(shards),
    nodes: Number(nodes),
    rank: Number(rank),
    ...(Number(nodes) > 1 && { rendezvous: folder! }),
    host: "127.0.0.1",
    timeout: 20,
    patience: 60,
  });
  const data = samples(50, { batchSize: 7, seed: 2 });
  const trainer = new Trainer(parts({
    data,
    validation: samples(13, { batchSize: 6 }),
    optimizers: adam({ lr: 0.01, schedule: cosine({ steps: 40 }) }),
    ema: { decay: 0.9, validate: true },
    clip: { norm: 0.5 },
    epochs: 4,
    accumulate: 2,
    ...(group === undefined ? { workers: 4 } : { group, signal: group.stopped }),
  }));
  await trainer.train();
  await trainer.saveCheckpoint(`${out}`);
  console.log(JSON.stringify({ step: trainer.stepCount, traffic: group?.traffic }));
  await trainer.close();
  await group?.close();
}
