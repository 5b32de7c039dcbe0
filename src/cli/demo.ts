/**
 * `hooke demo`: relaxes crystals of argon in one batch, keeps them at a temperature, and says what came of it.
 *
 * @module
 */

import { Batch } from "../batch/batch.ts";
import { fcc, rattle } from "../batch/crystal.ts";
import { Profiler } from "../observe/profiler.ts";
import { assertWritable, openDemoFiles } from "./demo_files.ts";
import { type Dynamics, heat } from "./demo_heat.ts";
import { relax, type Relaxation } from "./demo_relax.ts";
import { aboutDynamics, aboutFiles, aboutRelaxation, NEXT } from "./demo_report.ts";
import type { DemoOptions, DemoRun } from "./demo_run.ts";
import { type Command, readCount, readNumber } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** The command's options. */
export const DEMO: Command = {
  name: "demo",
  summary: "relaxes shaken crystals of argon in one batch, then keeps them at 40 K",
  options: {
    systems: { value: "N", help: "Crystals, of 32 atoms each (default 64)" },
    fmax: { value: "F", help: "Relaxed when no force is larger, eV/Å (default 0.005)" },
    steps: {
      value: "N",
      help: "Steps of dynamics afterwards, 4 fs each; 0 for none (default 1000)",
    },
    seed: {
      value: "N",
      help: "Whose equal gives the same crystals and the same noise (default 1)",
    },
    out: {
      value: "FOLDER",
      help: "Where the files go; what is there stays (default hooke-demo, or hooke-demo-2, …)",
    },
    trace: { value: "FILE", help: "Write a trace that https://ui.perfetto.dev opens; slower" },
    quiet: { help: "Neither progress nor pictures" },
  },
  examples: [
    ["demo", "relaxes 64 crystals, and heats them for 4 ps"],
    ["demo --systems 512 --fmax 0.001", "more of them, and more exactly"],
    ["demo --steps 0 --trace trace.json", "relaxation only, and writes where the time went"],
  ],
};

/** Runs the demo. */
export async function demo(
  values: ReadonlyMap<string, string>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const options = readDemo(values), trace = values.get("trace");
  if (trace !== undefined) assertWritable("the trace", trace);
  const files = openDemoFiles(values.get("out"));
  const profiler = trace === undefined ? undefined : new Profiler({ tracePath: trace });
  const run: DemoRun = { options, files, terminal, signal, profiler };

  const { print } = terminal;
  const batch = crystals(options);
  print(
    `Relaxation: ${
      options.systems === 1 ? "1 crystal" : `${options.systems} crystals`
    } of 32 argon atoms, each atom displaced by about 0.1 Å, ` +
      `by FIRE until\nno force is above ${options.fmax} eV/Å.\n`,
  );
  const relaxation: Relaxation = await relax(batch, run);
  print(aboutRelaxation(relaxation, options));
  let dynamics: Dynamics | undefined;
  if (!signal.aborted && options.steps > 0) {
    print(`\nDynamics: ${options.steps} steps of 4 fs in a Langevin bath of 40 K.\n`);
    dynamics = await heat(batch, run);
    print(aboutDynamics(dynamics, options));
  }
  if (profiler !== undefined) {
    print(`\nWhere the time went, from one stage to the next:\n\n${profiler.summary()}`);
  }
  print(aboutFiles(files, relaxation, dynamics, trace));
  if (!options.isQuiet && !signal.aborted) print(NEXT);
}

function readDemo(values: ReadonlyMap<string, string>): DemoOptions {
  return {
    systems: readCount(values, "systems", 64, 1),
    fmax: readNumber(values, "fmax", 0.005),
    steps: readCount(values, "steps", 1000, 0),
    seed: readCount(values, "seed", 1, 0),
    isQuiet: values.has("quiet"),
  };
}

/** Each shaken in its own way; those of one seed have nothing to do with those of another. */
function crystals({ systems, seed }: DemoOptions): Batch {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  return Batch.from(
    Array.from({ length: systems }, (_, i) => rattle(crystal, 0.1, (seed * 2 ** 20 + i) % 2 ** 53)),
  );
}
