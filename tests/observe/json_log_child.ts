// Trains until it is killed, with a log of every batch in the given folder.
import { JsonLog } from "../../src/observe/mod.ts";
import { sgd } from "../../src/training/mod.ts";
import { line } from "./training_line.ts";

if (import.meta.main) {
  const log = new JsonLog({ outputDir: Deno.args[0]!, fileName: "run.jsonl", logEveryNBatches: 1 });
  await using trainer = line([log], { epochs: Infinity, optimizers: sgd({ lr: 1e-9 }) });
  await trainer.train();
}
