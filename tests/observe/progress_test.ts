// Progress reports of a run: content, output and times.
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  ConvergenceHook,
  Dynamics,
  fireRelaxer,
  fuse,
  SizeAwareSampler,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { potential } from "../../src/models/mod.ts";
import { type BaseContext, Loop, stages } from "../../src/hooks/mod.ts";
import { ProgressHook, type ProgressHookOptions } from "../../src/observe/mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { meanSquaredError, sgd, tensorData, Trainer } from "../../src/training/mod.ts";
import { progressLine } from "../../src/observe/any/progress_line.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, atomAt, bitsOf, crystals } from "../dynamics/atoms.ts";
import { BACKENDS, on, where } from "../dynamics/backends.ts";
import { until } from "../timers.ts";
import { engine } from "./modified.ts";

const OFTEN = { everySeconds: 1e-9 };

/**
 * A hook with everything that it has written, and a clock that advances by half a second with each call. Reports of a
 * timer, which come if a step takes long on this machine, are left out.
 */
function watched(options: Partial<ProgressHookOptions> = {}) {
  const texts: string[] = [];
  let time = 5e6;
  const write = (text: string) => void (text.includes("computing for") || texts.push(text));
  const now = () => time += 500;
  return { texts, progress: new ProgressHook({ write, now, ...options }) };
}

const still = potential(() => -1.25);

Deno.test("without a terminal each report is a line without escape codes", async () => {
  const { texts, progress } = watched({ ...OFTEN, nSteps: 4 });
  const hooks = [progress];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: still, device: "reference", hooks });
  await md.run(crystals(2), 4);
  assertEquals(texts, [
    "step 0/4 (0 %)\n",
    "step 1/4 (25 %)  energy -2.500000 eV  fmax 0.00 eV/Å  40.0 K  2 steps/s  0.173 ns/day  0:02 left\n",
    "step 2/4 (50 %)  energy -2.500000 eV  fmax 0.00 eV/Å  40.0 K  2 steps/s  0.173 ns/day  0:01 left\n",
    "step 3/4 (75 %)  energy -2.500000 eV  fmax 0.00 eV/Å  40.0 K  2 steps/s  0.173 ns/day  0:01 left\n",
    "step 4/4 (100 %)  energy -2.500000 eV  fmax 0.00 eV/Å  40.0 K  2 steps/s  0.173 ns/day\n",
  ]);
});

Deno.test("on a terminal one line is repainted, no longer than the terminal is wide, and ended at the end", async () => {
  const { texts, progress } = watched({ ...OFTEN, isTerminal: true, columns: 30 });
  const hooks = [progress];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: still, device: "reference", hooks });
  await md.run(crystals(1), 2);
  assertEquals(texts, [
    "\rstep 0\x1b[K",
    "\rstep 1  40.0 K  0.173 ns/day\x1b[K", // less important parts are left out
    "\rstep 2  40.0 K  0.173 ns/day\x1b[K",
    "\n",
  ]);
});

Deno.test("for a stream it reports the finished systems and their number, up to the last", async () => {
  const { texts, progress } = watched(OFTEN);
  const hooks = [progress];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: still, device: "reference", hooks });
  const sampler = new SizeAwareSampler(crystals(5).systems(), { maxSystems: 2 });
  await md.stream(sampler, { sinks: [new MemorySink()], maxSteps: 2 });
  assertEquals(
    texts.slice(1).map((text) => /^step \d+ {2}(\d\/5) done {2}energy/.exec(text)?.[1]),
    ["0/5", "0/5", "2/5", "2/5", "2/5", "4/5", "4/5", "4/5", "5/5"], // a system that enters gets its forces first
  );
  await md.run(crystals(1), 1);
  assert(!texts.at(-1)!.includes("done"));
});

Deno.test("it reports by the clock, not by the step, and once more at the end", async () => {
  const { texts, progress } = watched({ now: () => 0 });
  assertEquals(progress.everySeconds, 10);
  assertEquals(watched({ isTerminal: true }).progress.everySeconds, 0.1);
  let visits = 0;
  const count = hook({
    name: "count",
    everySeconds: 3600,
    on: { dynamics: { AFTER_STEP: () => void visits++ } },
  });
  const hooks = [progress, count];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: ARGON, device: "wasm", hooks });
  const batch = await md.run(crystals(1), 2000);
  assertEquals([texts.length, visits], [2, 0]);
  assertEquals(texts[0], "step 0\n");
  assert(
    texts[1]!.startsWith(`step 2000  energy ${batch.get("energy")[0]!.toFixed(6)} eV`),
    texts[1],
  );
});

Deno.test("converged systems are counted; the largest force is that of the others, until all have converged", async () => {
  const { texts, progress } = watched({ ...OFTEN, nSteps: 500 });
  const hooks = [ConvergenceHook.fromFmax(0.01), progress];
  await using opt = engine(fireRelaxer({ dt: 0.5 }), { model: ARGON, device: "reference", hooks });
  await opt.run(crystals(3, 0), 500);
  assertEquals(texts.shift(), "step 0/500 (0 %)\n");
  const counts = texts.map((text) => Number(/(\d)\/3 converged/.exec(text)![1]));
  assertEquals([counts[0], counts.at(-1)], [0, 3]);
  assert(counts.every((count, i) => count >= (counts[i - 1] ?? 0)) && new Set(counts).size > 2);
  const fmax = texts.map((text) => Number(/fmax (\S+)/.exec(text)![1]));
  // A system is known to have converged one step after its forces were seen.
  assert(fmax.slice(0, -2).some((force) => force > 0.01) && fmax.at(-1)! < 0.01, fmax.join());
  assertEquals(texts.at(-1)!.split("  ")[0], texts.at(-2)!.split("  ")[0]);
  assertMatch(texts.at(-1)!, /3\/3 converged.*steps\/s\n$/);
  const other = watched({ ...OFTEN, convergedStatus: 2 });
  await using again = engine(fireRelaxer({ dt: 0.5 }), {
    model: ARGON,
    device: "reference" as const,
    hooks: [ConvergenceHook.fromFmax(0.01), other.progress],
  });
  await again.run(crystals(1, 0), 500);
  assert(other.texts.at(-1)!.includes("0/1 converged"));
});

Deno.test("convergence is left out unless a hook or a stage decides it, or a system has the status", async () => {
  const lineOf = async (
    engineWith: (hooks: readonly object[]) => Dynamics,
    status = 0,
  ): Promise<string> => {
    const { texts, progress } = watched(OFTEN);
    await using md = engineWith([progress]);
    const batch = crystals(1);
    batch.set("status", [status]);
    await md.run(batch, 1);
    return texts[1]!.split("  ")[1]!;
  };
  const place = { model: still, device: "reference" } as const;
  const nve = velocityVerlet({ dt: 1 });
  const never = new ConvergenceHook({ criteria: { key: "fmax", threshold: -1 } });
  const engineOf = (hooks: readonly object[]) => engine(nve, { ...place, hooks });
  assertMatch(await lineOf(engineOf), /^energy/);
  assertEquals(await lineOf(engineOf, 1), "1/1 converged");
  assertEquals(await lineOf((hooks) => engineOf([never, ...hooks])), "0/1 converged");
  const disabled = (hooks: readonly object[]) => {
    const md = engineOf([never, ...hooks]);
    md.hooks.disable("ConvergenceHook");
    return md;
  };
  assertMatch(await lineOf(disabled), /^energy/);
  const staged = (hooks: readonly object[]) =>
    fuse(new Dynamics(nve, { ...place, nSteps: 3 }), { hooks: hooks as never });
  assertEquals(await lineOf(staged), "0/1 converged");
});

Deno.test("a step that takes long is reported again, with the time that it already takes", async () => {
  const texts: string[] = [], write = (text: string) => void texts.push(text);
  const { progress } = watched({ everySeconds: 0.5, nSteps: 2, write });
  const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
  const loop = new Loop({
    kinds: WalkStage,
    async step(loop) {
      await until(() => texts.length > 1);
      await loop.fire(WalkStage.AFTER_STEP);
    },
  }, { hooks: [progress] });
  await loop.run(1);
  assert(texts.length >= 3, texts.join(""));
  assertMatch(texts[1]!, /^step 0\/2 \(0 %\) {2}computing for ([2-9]|\d\d+) s\n$/);
});

Deno.test("an error of a report during a long step is handled by onError, and stops those reports", async () => {
  let calls = 0;
  const write = () => {
    if (++calls === 2) throw new Error("the terminal is closed"); // the report of the timer
  };
  const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
  const warnings: string[] = [];
  const loop = new Loop({
    kinds: WalkStage,
    async step(loop) {
      await until(() => calls === 2);
      await new Promise((resolve) => setTimeout(resolve, 1100)); // time for another report
      await loop.fire(WalkStage.AFTER_STEP);
    },
  }, { onWarning: ({ error }) => void warnings.push(String(error)) });
  loop.hooks.add(new ProgressHook({ write, everySeconds: 0.1 }), { onError: "warn" });
  await loop.run(1);
  assertEquals([calls, warnings.length], [2, 1]);
  assertMatch(warnings[0]!, /the terminal is closed/);
});

Deno.test("simulated time per day is that of the steps since the last report", async () => {
  const batch = crystals(1);
  batch.set("time", 0, { level: "system", unit: "fs" });
  const place = { model: still, device: "reference", hooks: [] } as const;
  await using relaxer = engine(fireRelaxer({ dt: 0.1 }), place);
  await relaxer.run(batch, 30);
  const { texts, progress } = watched(OFTEN);
  const hooks = [progress];
  await using md = engine(velocityVerlet({ dt: 2 }), { model: still, device: "reference", hooks });
  await md.run(batch, 3);
  assertEquals(batch.get("time")[0], 6);
  assertMatch(texts.at(-1)!, / 2 steps\/s {2}0\.346 ns\/day/); // 2 fs per step, 2 steps/s
  assert(!texts[1]!.includes("ns/day"), texts[1]); // its steps are not known to take the time of earlier ones
});

Deno.test("as JSON each report is an object on one line", async () => {
  const { texts, progress } = watched({ ...OFTEN, nSteps: 4, format: "json", isTerminal: true });
  const hooks = [progress];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: still, device: "reference", hooks });
  await md.run(crystals(2), 1);
  const [first, last] = texts.map((text) => JSON.parse(text));
  assertEquals(first, { type: "progress", step: 0, of: 4, seconds: 0, warnings: 0 });
  const { temperature, nsPerDay, ...others } = last;
  assertEquals([temperature.toFixed(3), nsPerDay.toFixed(4)], ["40.000", "0.1728"]);
  assertEquals(others, {
    type: "progress",
    step: 1,
    of: 4,
    seconds: 0.5,
    stepsPerSecond: 2,
    secondsLeft: 1.5,
    systems: 2,
    energy: -2.5,
    fmax: 0,
    warnings: 0,
  });
});

Deno.test("a second run measures its own speed, and shows the steps of both", async () => {
  const { texts, progress } = watched({ ...OFTEN, nSteps: 10 });
  const hooks = [progress];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: still, device: "reference", hooks });
  const batch = await md.run(atomAt(0), 5);
  await md.run(batch, 5);
  assertMatch(texts[5]!, /^step 5\/10 .* 2 steps\/s .* 0:03 left/);
  assertEquals(texts[6], "step 5/10 (50 %)\n");
  await md.run(batch, 0);
  assertEquals(texts.length, 12); // no line if nothing is left to do
  assertMatch(texts[7]!, /^step 6\/10 .* 2 steps\/s .* 0:02 left/);
});

Deno.test("for training it reports steps, epoch and loss, and for other loops steps", async () => {
  const { texts, progress } = watched({ ...OFTEN, nSteps: 4 });
  const g = new GraphBuilder("line"); // y = w x
  const w = g.parameter("w", [0], [1, 1]);
  g.output("y", g.op("MatMul", [g.input("x", "f32", ["B", 1]), w], "f32"), ["B", 1]);
  const column = (...data: number[]) => ({ data: Float32Array.from(data), dims: [data.length, 1] });
  const data = tensorData({ x: column(1, 1), wanted: column(2, 2) }, { batchSize: 1 });
  await using trainer = new Trainer({
    model: g.build(),
    loss: meanSquaredError({ target: "wanted" }),
    data,
    optimizers: sgd({ lr: 0 }),
    epochs: 2,
    hooks: [progress],
  });
  await trainer.train();
  assertEquals(texts, [
    "step 0/4 (0 %)\n",
    "step 1/4 (25 %)  epoch 1  loss 4  2 steps/s  0:02 left\n",
    "step 2/4 (50 %)  epoch 1  loss 4  2 steps/s  0:01 left\n",
    "step 3/4 (75 %)  epoch 2  loss 4  2 steps/s  0:01 left\n",
    "step 4/4 (100 %)  epoch 2  loss 4  2 steps/s\n",
  ]);
  const other = watched({ ...OFTEN, isTerminal: true });
  const WalkStage = stages<BaseContext>()("walk", ["BEFORE_STEP", "AFTER_STEP"]);
  const loop = new Loop({
    kinds: WalkStage,
    async step(loop) {
      await loop.fire(WalkStage.BEFORE_STEP);
      await loop.fire(WalkStage.AFTER_STEP);
    },
  }, { hooks: [other.progress] });
  await loop.run(2);
  assertEquals(other.texts, [
    "\rstep 0\x1b[K",
    "\rstep 1  2 steps/s\x1b[K",
    "\rstep 2  2 steps/s\x1b[K",
    "\n",
  ]);
});

Deno.test("numbers have as many digits as needed", () => {
  const line = (rate: number, steps = 10, of?: number) =>
    progressLine({
      steps,
      of,
      converged: 0,
      systems: 1,
      energy: -1 / 3,
      fmax: 1234.5,
      rate: { steps: rate, seconds: 1 },
    });
  assertEquals(
    line(1234.5),
    "step 10  0/1 converged  energy -0.333333 eV  fmax 1.23e+3 eV/Å  1235 steps/s",
  );
  assertMatch(line(0.123), / 0\.12 steps\/s$/);
  assertMatch(line(10, 10, 10_000), /\(0 %\).* 10 steps\/s {2}16:39 left$/);
  assertMatch(line(1, 1, 3724), / 1:02:03 left$/);
  assertMatch(line(0, 10, 100), / 0 steps\/s$/);
});

Deno.test(
  "the hook does not change the results",
  on(BACKENDS, async (backend) => {
    const run = async (hooks: readonly object[], verify = false) => {
      const onWarning = ({ error }: { error: unknown }) => {
        throw error;
      };
      await using md = engine(velocityVerlet({ dt: 1 }), {
        model: ARGON,
        ...where(backend),
        hooks,
        verify,
        onWarning,
      });
      return bitsOf(await md.run(crystals(2), 15));
    };
    assertEquals(await run([watched(OFTEN).progress], true), await run([]));
  }),
);

Deno.test("wrong options of a progress hook are named", () => {
  const write = () => {};
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [3, TypeError, "options must be an object"],
    [{ write, format: "xml" }, TypeError, 'format must be "text" or "json"'],
    [{ write: 3 }, TypeError, "write must be a function"],
    [{ write, isTerminal: 1 }, TypeError, "true or false"],
    [{ write, nSteps: 0 }, RangeError, "nSteps must be a positive integer"],
    [{ write, nSteps: Infinity }, RangeError, "Infinity"],
    [{ write, everySeconds: 0 }, RangeError, "above 0 and finite"],
    [{ write, columns: -1 }, RangeError, "columns"],
    [{ write, convergedStatus: 0.5 }, RangeError, "convergedStatus"],
    [{ write, now: 5 }, TypeError, "now must be a function"],
    [{ write, isTTY: true }, TypeError, "among write"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(() => new ProgressHook(options as ProgressHookOptions), error, message);
  }
});
