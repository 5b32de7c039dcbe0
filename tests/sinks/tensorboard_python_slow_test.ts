// TensorBoard's own loader reads files of Hooke, and Hooke reads files of TensorBoard's writer.
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { readTensorBoard, TensorBoardFile } from "../../src/sinks/mod.ts";
import { openPython, pythonTest } from "../python.ts";

const READ = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "histograms": 0})
events.Reload()
tags = events.Tags()
print(json.dumps({
    "scalars": {tag: [[e.wall_time, e.step, e.value] for e in events.Scalars(tag)] for tag in tags["scalars"]},
    "histograms": {
        tag: [
            [e.step, h.min, h.max, h.num, h.sum, h.sum_squares, list(h.bucket_limit), list(h.bucket)]
            for e in events.Histograms(tag) for h in [e.histogram_value]
        ] for tag in tags["histograms"]
    },
}))
`;

const WRITE = `
import sys
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
writer = EventFileWriter(sys.argv[1])
for step in range(100):
    values = [Summary.Value(tag="loss/total", simple_value=1 / (step + 1))]
    writer.add_event(Event(wall_time=1e9 + step, step=step, summary=Summary(value=values)))
writer.close()
`;

pythonTest(
  "TensorBoard's own loader reads the scalars and histograms, of several runs in one folder",
  async () => {
    const python = await openPython("tensorboard");
    const folder = await Deno.makeTempDir();
    for (const run of [0, 1]) {
      await using board = new TensorBoardFile(folder);
      await board.open();
      for (let i = 0; i < 500; i++) {
        const step = 500 * run + i;
        await board.add(step, { "loss/total": 1 / (step + 1), lr: 2 ** -run }, {
          wallTime: 1e9 + step,
        });
      }
      board.addHistogram(500 * run, "forces", [-1, 0, 0.5, 3], { ranges: 4 });
    }
    const { scalars, histograms } = JSON.parse(await python.run(READ, [folder]));
    assertEquals(Object.keys(scalars).sort(), ["loss/total", "lr"]);
    assertEquals(scalars["loss/total"].length, 1000);
    for (const [step, [time, seen, value]] of scalars["loss/total"].entries()) {
      assertEquals([time, seen], [1e9 + step, step]);
      assertAlmostEquals(value, Math.fround(1 / (step + 1)), 1e-9);
    }
    const spread = [-1, 3, 4, 2.5, 10.25, [0, 1, 2, 3], [1, 2, 0, 1]];
    assertEquals(histograms, { forces: [[0, ...spread], [500, ...spread]] });
    await Deno.remove(folder, { recursive: true });
  },
);

pythonTest("files of TensorBoard's writer are read", async () => {
  const python = await openPython("tensorboard");
  const folder = await Deno.makeTempDir();
  await python.run(WRITE, [folder]);
  const events = await readTensorBoard(folder);
  assertEquals(events.length, 100);
  for (const [step, event] of events.entries()) {
    assertEquals([event.step, event.wallTime], [step, 1e9 + step]);
    assertEquals(event.scalars, { "loss/total": Math.fround(1 / (step + 1)) });
  }
  await Deno.remove(folder, { recursive: true });
});
