// Files of checkpoints, and their content.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Checkpoint } from "../../src/observe/checkpoints/checkpoint.ts";
import { ModelCheckpoint, type ModelCheckpointOptions } from "../../src/observe/mod.ts";
import { checkpointName } from "../../src/observe/checkpoints/checkpoint_name.ts";
import type { CheckpointContext } from "../../src/training/mod.ts";
import { doubles, line, trainAnyway, validating } from "./training_line.ts";

function filesIn(dir: string | URL): string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name.replace(/\.hooke$/, "")).sort();
}

/** The files after validations with these losses. */
async function filesOf(
  losses: readonly number[],
  options: Partial<ModelCheckpointOptions> = {},
): Promise<string[]> {
  const dir = Deno.makeTempDirSync();
  await using trainer = validating(losses, [
    new ModelCheckpoint({ dir, filename: "e{epoch}", ...options }),
  ]);
  await trainAnyway(trainer);
  return filesIn(dir);
}

Deno.test("the best three are kept, the others deleted, and the last one is kept, too", async () => {
  assertEquals(await filesOf([9, 4, 16, 1, 25, 2.25]), ["e1", "e3", "e5", "last"]);
  assertEquals(await filesOf([9, 4, 16, 1, 25, 2.25], { mode: "max" }), ["e0", "e2", "e4", "last"]);
});

Deno.test("saveTopK is the number to keep: 1, all, or 0; saveLast is independent", async () => {
  const losses = [9, 4, 16, 1];
  assertEquals(await filesOf(losses, { saveTopK: 1, saveLast: false }), ["e3"]);
  assertEquals(await filesOf(losses, { saveTopK: -1 }), ["e0", "e1", "e2", "e3", "last"]);
  assertEquals(await filesOf(losses, { saveTopK: 0 }), ["last"]);
  assertEquals(await filesOf(losses, { saveTopK: 0, saveLast: false }), []);
});

Deno.test("last.hooke is that of the last epoch, whether it is among the best or not", async () => {
  for (const [losses, saveTopK] of [[[9, 4, 1], 3], [[1, 4, 9], 1]] as const) {
    const dir = Deno.makeTempDirSync();
    await using trainer = validating(losses, [new ModelCheckpoint({ dir, saveTopK })]);
    await trainer.train();
    await using other = validating([1], [new ModelCheckpoint({ dir })]);
    await other.loadCheckpoint(`${dir}/last.hooke`);
    assertEquals(other.state.currentEpoch, 3);
    assertEquals(await other.parameter("w"), await trainer.parameter("w"));
  }
});

Deno.test("NaN never ranks before a number; of two equal ones the older one stays", async () => {
  const options = { saveTopK: 1, saveLast: false };
  assertEquals(await filesOf([NaN, 4, NaN], options), ["e1"]);
  assertEquals(await filesOf([4, NaN, 4, 4], options), ["e0"]);
  assertEquals(await filesOf([NaN, 4, NaN], { ...options, mode: "max" }), ["e1"]);
  const dir = Deno.makeTempDirSync(), hook = new ModelCheckpoint({ dir });
  await using trainer = validating([NaN], [hook]);
  await trainAnyway(trainer);
  assertEquals([hook.best, hook.kept.length], [undefined, 1]);
});

Deno.test("the worse one is deleted only after the better one is on disk", async () => {
  const dir = Deno.makeTempDirSync(), seen: string[][] = [];
  const hook = new ModelCheckpoint({ dir, filename: "e{epoch}", saveTopK: 1, saveLast: false });
  const looking = { name: "looking", onCheckpointSave: () => void seen.push(filesIn(dir)) };
  await using trainer = validating([9, 4, 1], [looking, hook]); // runs before the hook
  await trainer.train();
  assertEquals(seen, [["e0"], ["e0", "e1"], ["e1", "e2"]]);
  assertEquals(hook.best, { path: `${dir}/e2.hooke`, score: 1, step: 3 });
});

Deno.test("files have the documented name by default, and templates have formats", async () => {
  const dir = Deno.makeTempDirSync();
  await using trainer = validating([2.25, 1], [new ModelCheckpoint({ dir })]);
  await trainer.train();
  assertEquals(filesIn(dir), ["epoch_0_loss_2.25", "epoch_1_loss_1.00", "last"]);
  const values = { epoch: 7, step: 1234, "val/loss": 0.126, "train/loss": -2 };
  const name = (template: string, isNamed = false) => checkpointName(template, values, isNamed);
  assertEquals(name("{epoch:03d}-{val/loss:.2f}-{step}"), "007-0.13-1234");
  assertEquals(name("{val/loss:.1e} {val/loss} {val/loss:f}"), "1.3e-1 0.126 0.126000");
  assertEquals(name("{train/loss:06.2f}"), "-02.00");
  assertEquals(name("{epoch}_{val/loss:.2f}", true), "epoch=7_val_loss=0.13");
  assertEquals(name("a/b:c?{epoch}"), "a_b_c_7");
  assertThrows(
    () => name("{val/los}"),
    RangeError,
    'names in filename must be one of epoch, step, val/loss, train/loss; got "val/los"; did you mean',
  );
  assertThrows(() => name("{epoch:.2d}"), SyntaxError, "formats must be like .2f, 03d or .1e");
});

Deno.test("autoInsertMetricName puts names before values; metrics of training are known in mid-epoch", async () => {
  const named = { filename: "{epoch}_{val/loss:.1f}", autoInsertMetricName: true, saveLast: false };
  assertEquals(await filesOf([4], named), ["epoch=0_val_loss=4.0"]);
  const both = { filename: "{train/loss:.0f}_{step}", saveLast: false };
  assertEquals(await filesOf([4], both), ["4_1"]); // (0 − 2)² of the only batch
});

Deno.test("a taken name gets -v2: taken by the run, or by a file that existed", async () => {
  assertEquals(await filesOf([4, 1], { filename: "x", saveLast: false }), ["x", "x-v2"]);
  const dir = Deno.makeTempDirSync();
  await Deno.writeTextFile(`${dir}/x.hooke`, "mine");
  await using trainer = validating([4], [new ModelCheckpoint({ dir, filename: "x" })]);
  await trainer.train();
  assertEquals(await Deno.readTextFile(`${dir}/x.hooke`), "mine");
  assertEquals(filesIn(dir), ["last", "x", "x-v2"]);
});

Deno.test("everyNEpochs skips epochs; saveOnTrainEpochEnd needs no validation", async () => {
  assertEquals(await filesOf([9, 4, 1, 0.25, 16], { everyNEpochs: 2 }), ["e1", "e3", "last"]);
  const dir = Deno.makeTempDirSync();
  const hook = new ModelCheckpoint({
    dir,
    monitor: "train/loss",
    filename: "e{epoch}",
    saveOnTrainEpochEnd: true,
    saveTopK: 1,
  });
  await using trainer = line([hook], { epochs: 3 });
  await trainer.train();
  assertEquals(filesIn(dir), ["e2", "last"]);
});

Deno.test("weights: the model alone, or both, are written, ranked and deleted together", async () => {
  const filesWith = (weights: "onnx" | "both") => filesOf([9, 4, 16], { weights, saveTopK: 1 });
  assertEquals(await filesWith("onnx"), ["e1.onnx", "last.onnx"]);
  assertEquals(await filesWith("both"), ["e1", "e1.onnx", "last", "last.onnx"]);
});

Deno.test("checkpoints contain the ranking: a resumed run deletes the worse ones", async () => {
  const dir = Deno.makeTempDirSync(), options = { dir, filename: "e{epoch}", saveTopK: 2 };
  await using trainer = validating([9, 4], [new ModelCheckpoint(options)]);
  await trainer.train();
  const hook = new ModelCheckpoint(options);
  await using resumed = validating([1, 16], [hook], { epochs: 4 });
  await resumed.loadCheckpoint(`${dir}/e1.hooke`);
  assertEquals(hook.kept.map(({ score }) => score), [4, 9]); // including the one that it was read from
  await resumed.train();
  assertEquals(filesIn(dir), ["e1", "e2", "last"]);
  assertThrows(() => hook.load(undefined), TypeError, "its state must be a result of save()");
});

Deno.test("a run that failed leaves no ranking of files that do not exist", async () => {
  const dir = Deno.makeTempDirSync();
  const hook = new ModelCheckpoint({ dir, filename: "e{epoch}", saveTopK: 1, saveLast: false });
  let failures = 0;
  const failing = {
    name: "failing",
    onError: "throw",
    onEpochEnd() {
      if (failures++ === 0) throw new Error("once");
    },
  };
  await using trainer = validating([1, 4, 9], [hook, failing], { epochs: 2 });
  await assertRejects(() => trainer.train(), Error, "once"); // the first was requested, but not written
  assertEquals([filesIn(dir), hook.kept.length], [[], 0]);
  await trainer.train();
  assert(
    hook.kept.every(({ path }) => filesIn(dir).includes(path.split("/").at(-1)!.slice(0, -6))),
  );
  assertEquals(hook.kept.length, 1);
});

Deno.test("a missing metric is an error that names the existing ones", async () => {
  const dir = Deno.makeTempDirSync();
  await using trainer = validating([1], [new ModelCheckpoint({ dir, monitor: "val/los" })]);
  await assertRejects(
    () => trainer.train(),
    RangeError,
    'Cannot keep checkpoints: its monitor must be one of the metrics, val/loss; got "val/los"; did you mean',
  );
});

Deno.test("a run without any validation is an error if the hook needs one", async () => {
  const dir = Deno.makeTempDirSync();
  await using trainer = line([new ModelCheckpoint({ dir })]);
  await assertRejects(
    () => trainer.train(),
    RangeError,
    "the run had no validation",
  );
  await trainer.train(); // nothing remains to be done
});

Deno.test("a validation outside of a run keeps nothing", async () => {
  const dir = Deno.makeTempDirSync();
  await using trainer = validating([1], [new ModelCheckpoint({ dir })]);
  await trainer.open();
  await trainer.validate();
  await trainer.train(0);
  assertEquals(filesIn(dir), []);
});

Deno.test("wrong options are refused", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new ModelCheckpoint({ dir: "x", ...options }), error, text);
  refused({ dir: undefined }, TypeError, "dir is required: the folder");
  refused({ saveTopK: -2 }, RangeError, "saveTopK must be −1, 0 or a positive integer");
  refused({ mode: "most" }, TypeError, "mode must be");
  refused({ saveLast: 1 }, TypeError, "saveLast must be true or false");
  refused({ saveOnTrainEpochEnd: 1 }, TypeError, "saveOnTrainEpochEnd must be");
  refused({ autoInsertMetricName: 1 }, TypeError, "autoInsertMetricName must be");
  refused({ everyNEpochs: 0 }, RangeError, "everyNEpochs must be");
  refused({ filename: "{epoch:xyz}" }, SyntaxError, "formats must be like");
  refused({ weights: "all" }, TypeError, "weights must be");
  refused({ saveTopk: 3 }, TypeError, "did you mean");
  assertEquals(new ModelCheckpoint({ dir: "x" }).name, "model_checkpoint");
  assertThrows(() => new Checkpoint({} as never), TypeError, "outputDir is required: the folder");
  assertThrows(
    () => new Checkpoint({ outputDir: "x", saveEveryNEpochs: 0 }),
    RangeError,
    "saveEveryNEpochs must be",
  );
  assertThrows(
    () => new Checkpoint({ outputDir: "x", saveBest: 1 as never }),
    TypeError,
    "saveBest must be",
  );
  assertEquals(new Checkpoint({ outputDir: "x" }).name, "checkpoint");
});

Deno.test("a simple checkpoint is written every few epochs, and whenever the loss is lower than before", async () => {
  const written = async (losses: readonly number[], options: object) => {
    const outputDir = `${Deno.makeTempDirSync()}/deep/er`, paths: string[] = [];
    const noting = {
      name: "noting",
      onCheckpointSave: ({ path }: CheckpointContext) => void paths.push(path.split("/").at(-1)!),
    };
    await using trainer = validating(losses, [new Checkpoint({ outputDir, ...options }), noting]);
    await trainer.train();
    return paths.map((path) => path.replace(/\.hooke$/, "").replace("checkpoint_epoch_", "e"));
  };
  assertEquals(await written([4, 9, 1, NaN, 1], {}), [
    "best_model",
    "e1",
    "e2",
    "best_model",
    "e3",
    "e4",
    "e5",
  ]);
  assertEquals(await written([4, 9, 1], { saveEveryNEpochs: 2, saveBest: false }), ["e2"]);
  assertEquals(await written([NaN, 9], { saveEveryNEpochs: 9 }), ["best_model"]);
});

Deno.test("without validation the best is that of training; checkpoints contain the best", async () => {
  const outputDir = new URL(`file://${Deno.makeTempDirSync()}/`);
  const hook = new Checkpoint({ outputDir });
  await using trainer = line([hook], { epochs: 2, data: doubles([1]) });
  await trainer.train();
  assertEquals(filesIn(outputDir), ["best_model", "checkpoint_epoch_1", "checkpoint_epoch_2"]);
  assertEquals(hook.bestLoss, trainer.state.metrics["train/loss"]);
  const next = new Checkpoint({ outputDir });
  await using resumed = line([next]);
  await resumed.loadCheckpoint(new URL("checkpoint_epoch_2.hooke", outputDir));
  assertEquals(next.bestLoss, hook.bestLoss);
  assertThrows(() => next.load({}), TypeError, "its state must be a result of save()");
});
