// Early stopping, with known losses of validation.
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EarlyStopping, type EarlyStoppingOptions, Validation } from "../../src/observe/mod.ts";
import type { TrainingBase } from "../../src/training/mod.ts";
import { doubles, line, trainAnyway, validating } from "./training_line.ts";

/** The number of epochs done with these losses of validation. */
async function epochsOf(
  losses: readonly number[],
  options: EarlyStoppingOptions,
): Promise<number> {
  await using trainer = validating(losses, [new EarlyStopping(options)]);
  await trainAnyway(trainer);
  return trainer.state.currentEpoch;
}

Deno.test("training stops after patience checks without improvement of the loss", async () => {
  assertEquals(await epochsOf([9, 4, 4, 9, 1, 1, 1, 1, 1], { patience: 2 }), 4);
  assertEquals(await epochsOf([9, 4, 4, 9, 1, 1, 1, 1, 1], { patience: 3 }), 8);
  assertEquals(await epochsOf([9, 4, 1, 4], { patience: 2 }), 4);
  assertEquals(await epochsOf([9, 9, 1], { patience: 0 }), 2);
  const twelve = Array.from({ length: 14 }, () => 1);
  assertEquals(await epochsOf(twelve, {}), 11); // the first, and ten more
});

Deno.test('with mode "max" larger values are better', async () => {
  assertEquals(await epochsOf([1, 4, 9, 4, 4, 16], { mode: "max", patience: 2 }), 5);
  assertEquals(await epochsOf([1, 4, 9, 4, 4, 16], { mode: "min", patience: 2 }), 3);
});

Deno.test("a change below minDelta is no improvement; the default is 0.0001", async () => {
  const falling = [4, 2.25, 1, 0.25];
  assertEquals(await epochsOf(falling, { patience: 1, minDelta: 1.5 }), 3); // 1.75, then 1.25
  assertEquals(await epochsOf(falling, { patience: 1, minDelta: 0 }), 4);
  const slowly = [1, (1 - 2 ** -15) ** 2, (1 - 2 ** -14) ** 2, (1 - 2 ** -13) ** 2]; // by 0.00006 each
  assertEquals(await epochsOf(slowly, { patience: 1 }), 2);
  assertEquals(await epochsOf(slowly, { patience: 1, minDelta: 0 }), 4);
});

Deno.test("NaN is no improvement, and any number improves on it, even on a first NaN", async () => {
  assertEquals(await epochsOf([NaN, NaN, 4, 4, 4], { patience: 3 }), 5);
  assertEquals(await epochsOf([4, NaN, NaN, 1], { patience: 2 }), 3);
  assertEquals(await epochsOf([NaN, 4, 1, 0.25], { patience: 2, mode: "min" }), 4);
  assertEquals(await epochsOf([NaN, 1, 4, 9], { patience: 2, mode: "max" }), 4);
});

Deno.test("the outcome names metric, best and the number of checks", async () => {
  await using trainer = validating([1, 4, 4, 4], [new EarlyStopping({ patience: 2 })]);
  const outcome = await trainer.train();
  assertEquals(outcome, {
    status: "stopped",
    step: 3,
    reason: "val/loss did not improve on 1 for 2 checks",
  });
});

Deno.test("a missing metric is an error that names the existing ones; without strict it is ignored", async () => {
  const strict = new EarlyStopping({ monitor: "val/accuracy" });
  await using trainer = validating([1, 1], [strict]);
  await assertRejects(
    () => trainer.train(),
    RangeError,
    'Cannot stop early: its monitor must be one of the metrics, val/loss; got "val/accuracy"',
  );
  assertEquals(
    await epochsOf([1, 1, 1], { monitor: "val/accuracy", strict: false, patience: 1 }),
    3,
  );
});

Deno.test("at the end of epochs metrics of training can be monitored, without validation", async () => {
  const stopping = new EarlyStopping({
    monitor: "train/loss",
    checkOnTrainEpochEnd: true,
    patience: 2,
    minDelta: 1e6,
  });
  await using trainer = line([stopping], { epochs: 9 });
  await trainer.train();
  assertEquals(trainer.state.currentEpoch, 3);
  await using blind = line([new EarlyStopping()], { epochs: 2 });
  await assertRejects(
    () => blind.train(),
    RangeError,
    "the run had no validation",
  );
  await blind.train(); // nothing remains to be done, so nothing was missed
  await using lenient = line([new EarlyStopping({ strict: false })], { epochs: 2 });
  assertEquals((await lenient.train()).status, "completed");
});

Deno.test("verbose writes each check to `write`; otherwise nothing is written", async () => {
  const said: string[] = [], write = (text: string) => void said.push(text);
  await epochsOf([4, 9], { patience: 1, verbose: true, write });
  assertEquals(said, [
    "val/loss has improved: 4, the first value",
    "val/loss has not improved: 9 (best 4), 1 check without improvement of 1 allowed",
    "stopping: val/loss did not improve on 4 for 1 check",
  ]);
  said.length = 0;
  await epochsOf([4, 9], { patience: 1, write });
  assertEquals(said, []);
});

Deno.test("checkpoints contain the number of checks without improvement", async () => {
  const first = new EarlyStopping({ patience: 3 });
  await using trainer = validating([1, 4, 4], [first]);
  await trainer.train();
  assertEquals([first.waited, first.best], [2, 1]);
  const next = new EarlyStopping({ patience: 3 });
  await using resumed = validating([4, 4, 4], [next], { epochs: 9 });
  await resumed.load(await trainer.save());
  assertEquals([next.waited, next.best], [2, 1]);
  await resumed.train();
  assertEquals(resumed.state.currentEpoch, 4);
  assertThrows(() => next.load({ best: 1 }), TypeError, "its state must be a result of save()");
});

Deno.test("the schedule selects the validations that are checked", async () => {
  // 4 at the validations 0, 2 and 4; the others are not checked
  assertEquals(await epochsOf([4, 1, 4, 1, 4, 1, 1], { patience: 2, frequency: 2 }), 5);
  assertEquals(await epochsOf([1, 4, 4, 4, 4], { patience: 2, enableAfterEpoch: 2 }), 5);
  assertEquals(await epochsOf([1, 4, 4, 4, 4], { patience: 2, name: "mine" }), 3);
});

Deno.test("wrong options are refused", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new EarlyStopping(options), error, text);
  refused({ mode: "least" }, TypeError, 'mode must be "min" or "max"');
  refused({ monitor: "" }, TypeError, "monitor must be the name of a metric");
  refused({ patience: 1.5 }, RangeError, "patience must be a non-negative integer");
  refused({ minDelta: -1 }, RangeError, "minDelta must be 0 or more");
  refused({ strict: 1 }, TypeError, "strict must be true or false");
  refused({ verbose: 1 }, TypeError, "verbose must be true or false");
  refused({ checkOnTrainEpochEnd: 1 }, TypeError, "checkOnTrainEpochEnd must be");
  refused({ write: 1 }, TypeError, "write must be a function");
  refused({ patients: 1 }, TypeError, 'got "patients"; did you mean');
  assertEquals(new EarlyStopping().name, "early_stopping");
});

Deno.test("validations outside of a run, and those of an epoch that hooks request, count where they belong", async () => {
  const stopping = new EarlyStopping({ patience: 1, minDelta: 100 });
  const epochs: number[] = [];
  const looking = {
    name: "looking",
    onValidationEnd: (ctx: TrainingBase) => void epochs.push(ctx.epoch),
  };
  await using trainer = line([stopping, looking, new Validation({ data: doubles([1]) })], {
    epochs: 5,
  });
  for (let i = 0; i < 3; i++) await trainer.validate(doubles([1]));
  assertEquals([stopping.waited, stopping.best], [0, NaN]);
  const outcome = await trainer.train();
  assertEquals([outcome.status, epochs.slice(3)], ["stopped", [0, 1]]);
});
