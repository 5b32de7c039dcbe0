// The progress of training on terminals.
import { assertEquals } from "@std/assert";
import { EpochTable } from "../../src/cli/train/epoch_table.ts";

Deno.test("the plots of the errors begin with the value before training", () => {
  const lines: string[] = [];
  const run = { terminal: { print: (line: string) => void lines.push(line) } };
  const settings = { quiet: true, json: false, epochs: 2, stressWeight: 0 };
  const table = new EpochTable(settings as never, run as never, { title: "" });
  for (const [epoch, value] of [2, 3].entries()) {
    const metrics = { "val/energyMAE": value };
    table.onEpochEnd({ epoch, metrics, outcome: { status: "completed" } } as never);
  }
  table.printSummary({ "val/energyMAE": 9 } as never, { "val/energyMAE": 3 } as never);
  assertEquals(lines, ["validation energy MAE: 9.000 → 3.000 meV/atom  █▁▂"]);
});

for (const isTerminal of [true, false]) {
  Deno.test(`the progress of training is cut to the width of a terminal: ${isTerminal}`, () => {
    let text = "";
    const progress = { write: (part: string) => void (text += part), isTerminal, columns: 30 };
    const run = { terminal: { progress, print() {} } };
    const settings = { quiet: false, json: false, epochs: 5, stressWeight: 0 };
    const table = new EpochTable(settings as never, run as never, { title: "" });
    Object.assign(performance, { now: () => 1e9 }); // the last line is old
    try {
      table.onBatchEnd({ epoch: 1, batchIdx: 41, loss: 0.25 } as never);
    } finally {
      Reflect.deleteProperty(performance, "now");
    }
    const whole = "epoch 2/5  batch 42  loss 0.25";
    if (isTerminal) assertEquals(text, `\r${whole.slice(0, 29)}\x1b[K`);
    else assertEquals(text.slice(0, whole.length), whole);
  });
}
