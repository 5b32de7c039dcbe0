/**
 * The command `hooke bench`.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { fcc, rattle } from "../../batch/crystal.ts";
import { initVelocities } from "../../batch/velocities.ts";
import { findNavigator } from "../../platform/page.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { batchOf } from "../run/batch_of.ts";
import { printDryRun } from "../run/dry_run.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { notice } from "../run/notices.ts";
import { openPotential } from "../run/potential.ts";
import { elementsOf, readStructures, type Structure } from "../run/structures.ts";
import { autoChoice, BENCH_DEVICES, type BenchCase, benchCases } from "./cases.ts";
import { measure } from "./measure.ts";
import { type BenchResult, type BenchRow, benchText } from "./report.ts";
import type { BenchSettings } from "./settings.ts";

/** Measures a potential on each device of the machine. */
export async function bench(settings: BenchSettings, run: CommandRun): Promise<number> {
  checkDevices(settings.device);
  const isOnnx = settings.model !== undefined && !/^lj(:|$)/i.test(settings.model);
  const structure = await structureOf(settings, run, isOnnx);
  const processors = findNavigator()?.hardwareConcurrency ?? 1;
  const { threads = processors, device: only } = settings;
  const cases = await benchCases({ isOnnx, threads, only });
  const what = `${structure.label}: ${structure.system.nodeCount} atoms`;
  if (settings.dryRun) {
    const names = cases.filter(({ missing }) => missing === undefined).map(({ name }) => name);
    return printDryRun(run, "bench", settings, `Would measure ${what} on ${names.join("; ")}`);
  }
  const rows: BenchRow[] = [];
  const measured = cases.filter(({ missing }) => missing === undefined).length;
  let model = settings.model ?? "lj";
  for (const each of cases) {
    run.signal.throwIfAborted();
    if (each.missing !== undefined) {
      rows.push({ name: each.name, missing: each.missing });
      continue;
    }
    notice(run, settings, `Measuring ${each.name}`);
    const budget = settings.time * 1000 / measured;
    const { row, name } = await rowOf(each, structure, { settings, run, budget });
    rows.push(row);
    model = name ?? model;
  }
  const result: BenchResult = {
    model,
    structure: structure.label,
    atoms: structure.system.nodeCount * settings.copies,
    copies: settings.copies,
    dt: settings.dt,
    processors,
    rows,
    auto: await autoChoice(isOnnx),
    isOnnx,
  };
  run.completed();
  if (settings.json) run.terminal.print(JSON.stringify({ type: "bench", ...result }));
  else for (const line of benchText(result)) run.terminal.print(line);
  return rows.some(({ figures }) => figures !== undefined) ? ExitCode.DONE : ExitCode.FAILED;
}

function checkDevices(names: readonly string[]): void {
  const unknown = names.find((name) => !BENCH_DEVICES.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `Cannot use --device ${unknown}: it must be one of ${BENCH_DEVICES.join(", ")}${
      didYouMean(unknown, BENCH_DEVICES)
    }`,
  );
}

/** Number of unit cells of the default crystal along each axis: more than 4,096 atoms, so that threads can share it. */
const CELLS = 12;

async function structureOf(
  settings: BenchSettings,
  run: CommandRun,
  isOnnx: boolean,
): Promise<Structure> {
  const [file, ...others] = settings.files;
  if (others.length > 0) throw new UsageError("Cannot measure several files: pass one structure");
  if (file !== undefined) {
    const formats = await formatOptionsOf(settings, (message) => run.terminal.complain(message));
    return (await readStructures(file, formats, run.signal))[0]!;
  }
  if (isOnnx) {
    throw new UsageError(
      `Cannot measure --model ${settings.model} without a structure: pass one with elements of the model, such as water.xyz`,
    );
  }
  const system = rattle(fcc({ element: "Ar", a: 5.4, cells: CELLS }), 0.05, 1);
  return { system, file: "argon", frame: 0, label: "crystal of argon" };
}

/** Measures a case. An error of the device becomes its reason; interruptions and wrong usage end the command. */
async function rowOf(
  { name, settings: device }: BenchCase,
  structure: Structure,
  { settings, run, budget }: {
    readonly settings: BenchSettings;
    readonly run: CommandRun;
    readonly budget: number;
  },
): Promise<{ readonly row: BenchRow; readonly name?: string }> {
  const batch: Batch = batchOf(new Array(settings.copies).fill(structure), {
    dropVelocities: true,
  });
  initVelocities(batch, settings.temperature, { seed: 1 });
  let opened: string | undefined;
  const open = async () => {
    const potential = await openPotential(
      { ...settings, ...device },
      elementsOf([structure]),
      { warn: () => {} },
    );
    opened = potential.name;
    return potential;
  };
  try {
    const { dt } = settings, { signal } = run;
    const figures = await measure(open, batch, { budget, dt, signal });
    return { row: { name, figures }, ...(opened !== undefined && { name: opened }) };
  } catch (error) {
    if (run.signal.aborted || error instanceof UsageError) throw error;
    return { row: { name, missing: error instanceof Error ? error.message : String(error) } };
  }
}
