/**
 * `hooke demo`: a step loop of one's own, three hooks and a profiler, their plan, and a profile.
 *
 * @module
 */

import { hook } from "../hook.ts";
import type { BaseContext } from "../hooks/context.ts";
import { Loop } from "../hooks/loop.ts";
import type { Plan } from "../hooks/listing.ts";
import type { Hook } from "../hooks/table.ts";
import { type Observe, type Stages, stagesOf } from "../hooks/stage.ts";
import { Profiler } from "../observe/profiler.ts";
import { type Command, readCount, UsageError } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** The command's options. */
export const DEMO: Command = {
  name: "demo",
  summary: "a mass on a spring as a step loop, with three hooks and a profiler, and their plan",
  options: {
    steps: { value: "N", help: "Steps to do at most (default 2000)" },
    turns: { value: "N", help: "Stop when the mass has turned round so often (default 5)" },
    trace: { value: "FILE", help: "Write a trace that https://ui.perfetto.dev opens" },
  },
  examples: [
    ["demo", "swings for two and a half periods"],
    ["demo --turns 11 --trace trace.json", "swings longer, and writes where the time went"],
  ],
};

/** A mass of 1 on a spring of stiffness 1, in units in which its period is 2π. */
interface SpringContext extends BaseContext {
  /** Time since the beginning. */
  readonly time: number;
  /** Position; the spring is relaxed at 0. */
  readonly x: number;
  /** Velocity. */
  readonly v: number;
}

interface SpringStages {
  readonly BEFORE_STEP: Observe<SpringContext>;
  readonly AFTER_STEP: Observe<SpringContext>;
  readonly ON_TURN: Observe<SpringContext>;
}

const SpringStage: Stages<"spring", SpringStages> = stagesOf("spring", {
  BEFORE_STEP: "observe",
  AFTER_STEP: "observe",
  ON_TURN: "observe",
});

const DT = 0.01;

/** Runs the demo. */
export async function demo(
  values: ReadonlyMap<string, string>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const nSteps = readCount(values, "steps", 2000, 1), turns = readCount(values, "turns", 5, 1);
  const trace = values.get("trace");
  if (trace !== undefined) assertWritable(trace);
  const profiler = new Profiler({ ...(trace !== undefined && { tracePath: trace }) });
  const loop = springLoop(nSteps, signal);
  const rows = table(terminal), drift = energyDrift(terminal);
  for (const hook of [rows, drift, turnCounter(turns, terminal)]) loop.hooks.add(hook);
  loop.hooks.add(profiler, { order: "first" });

  terminal.print("A mass on a spring, let go at x = 1. Three hooks and a profiler watch it.");
  terminal.print("What happens at each stage of a step, in this order:\n");
  const plan = loop.hooks.plan();
  terminal.print(`${planTitles(plan)}\n${plan}\n`);
  const outcome = await loop.run();
  const why = outcome.status === "stopped" ? `: ${outcome.reason}` : "";
  terminal.print(`\n${loop.stepCount} steps, ${outcome.status}${why}.`);
  terminal.print(
    "Where the time went, from one stage to the next; the first steps are slower, the code is being compiled:\n",
  );
  terminal.print(String(profiler.summary()));
  if (trace !== undefined) {
    terminal.print(`\nThe trace is in ${trace}; https://ui.perfetto.dev opens it.`);
  }
  terminal.print(
    "\nNext: src/cli/demo.ts is the source of this, --trace FILE writes a trace of it, and README.md" +
      '\nbegins with a loop of your own under "Use it in your own folder".',
  );
}

/** Throws a UsageError when no file can be made at a path, before anything has run. */
function assertWritable(path: string): void {
  const folder = path.replace(Deno.build.os === "windows" ? /[^/\\]*$/ : /[^/]*$/, "") || ".";
  if (!isFolder(folder)) {
    throw new UsageError(
      `Cannot write the trace to ${path} as its folder must exist: there is no folder ${folder}`,
    );
  }
  if (path === folder || isFolder(path)) {
    throw new UsageError(`Cannot write the trace to ${path} as it must be a file: it is a folder`);
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** What the columns of a plan are, as wide as they are in it. */
function planTitles({ stages }: Plan): string {
  const steps = [...stages.values()].flat();
  const columns = [
    ["stage", ...stages.keys()],
    ["hook", ...steps.map(({ hook }) => hook)],
    ["when", ...steps.map(({ when }) => when)],
  ];
  const titles = columns.map((column) =>
    column[0]!.padEnd(Math.max(...column.map(({ length }) => length)))
  );
  return [...titles, "handler"].join("  ");
}

/** Velocity Verlet for x'' = -x: kick, drift, kick. Fires ON_TURN when the velocity changes its sign. */
function springLoop(nSteps: number, signal: AbortSignal): Loop<typeof SpringStage> {
  return new Loop({
    name: "spring",
    kinds: SpringStage,
    nSteps,
    signal,
    context: { time: 0, x: 1, v: 0 },
    async step(loop) {
      const { context } = loop;
      await loop.fire(SpringStage.BEFORE_STEP);
      const before = context.v;
      const half = context.v - context.x * DT / 2;
      context.x += half * DT;
      context.v = half - context.x * DT / 2;
      context.time += DT;
      await loop.fire(SpringStage.AFTER_STEP);
      if (before * context.v < 0) await loop.fire(SpringStage.ON_TURN);
    },
  });
}

/** Prints a row every hundred steps, with a picture of where the mass is. */
function table({ print }: Terminal): Hook<"spring"> {
  return hook({
    name: "table",
    frequency: 100,
    kinds: [SpringStage],
    open: () =>
      print(
        `${"step".padStart(6)}${"time".padStart(8)}${"x".padStart(9)}   -1${" ".repeat(17)}0${
          " ".repeat(18)
        }1`,
      ),
    on: {
      spring: {
        AFTER_STEP: ({ stepCount, time, x }) => {
          const picture = [..."·".repeat(39)].with(Math.round((x + 1) * 19), "●").join("");
          print(
            `${String(stepCount).padStart(6)}${time.toFixed(2).padStart(8)}${
              x.toFixed(4).padStart(9)
            }   ${picture}`,
          );
        },
      },
    },
  });
}

/** Watches the energy at every step, and says at the end how much it strayed. */
function energyDrift({ print }: Terminal): Hook<"spring"> {
  let worst = 0;
  return hook({
    name: "drift",
    kinds: [SpringStage],
    on: {
      spring: {
        AFTER_STEP: ({ x, v }) =>
          void (worst = Math.max(worst, Math.abs((x * x + v * v) / 2 - 0.5))),
      },
    },
    close: () => print(`The energy of 0.5 strayed by ${worst.toExponential(1)} at most.`),
  });
}

/** Asks to stop after some turning points, and compares the period with 2π. */
function turnCounter(turns: number, { print }: Terminal): Hook<"spring"> {
  const times: number[] = [];
  return hook({
    name: "turns",
    kinds: [SpringStage],
    on: {
      spring: {
        ON_TURN: (ctx) => {
          // Round a turning point v is -x times the time since: that tells when between two steps it was.
          times.push(ctx.time + ctx.v / ctx.x);
          if (times.length === turns) ctx.stop(`${turns} turning points`);
        },
      },
    },
    close: () => {
      print("");
      if (times.length < 2) return;
      const period = 2 * (times.at(-1)! - times[0]!) / (times.length - 1);
      print(`Its period is ${period.toFixed(4)}; 2π is ${(2 * Math.PI).toFixed(4)}.`);
    },
  });
}
