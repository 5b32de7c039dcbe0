/** Writes steps until it is killed, and prints their number after each flush. Started by a test. */
import { TensorBoardFile } from "../../src/sinks/mod.ts";

if (import.meta.main) {
  const board = new TensorBoardFile(Deno.args[0]!);
  await board.open();
  for (let step = 0;; step++) {
    board.add(step, { "loss/total": step / 2, lr: 0.5 });
    if (step % 3 === 0) {
      await board.flush();
      Deno.stdout.writeSync(new TextEncoder().encode(`${step}\n`));
    }
  }
}
