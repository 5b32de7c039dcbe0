// Trains from a checkpoint on and writes one after every step, and never ends: to be killed by kill_slow_test.ts.
import { adam, Trainer } from "../../src/training/mod.ts";
import { parts, samples } from "./networks.ts";

/** A trainer that is the same in every process. */
export function endlessTrainer(): Trainer {
  return new Trainer(parts({
    optimizers: adam({ lr: 1e-3 }),
    epochs: Infinity,
    ema: { decay: 0.99 },
    data: samples(20, { batchSize: 4, seed: 9 }),
  }));
}

if (import.meta.main) {
  const path = Deno.args[0]!, trainer = endlessTrainer();
  await trainer.loadCheckpoint(path);
  trainer.addHook({ onStepEnd: ({ trainer }) => trainer.checkpointSoon(path) }, { name: "saves" });
  await trainer.train();
}
