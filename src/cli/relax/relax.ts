/**
 * The command `hooke relax`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import type { Batch } from "../../batch/batch.ts";
import { DivergedError } from "../../dynamics/diverged_error.ts";
import { SnapshotHook } from "../../observe/atoms/snapshot_hook.ts";
import { openSink } from "../../sinks/open_sink.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { inFlags } from "../frame/failure.ts";
import { UsageError } from "../frame/usage_error.ts";
import { batchOf, resultsOf } from "../run/batch_of.ts";
import { counted } from "../run/counted.ts";
import { warnOfCloseAtoms } from "../run/close_atoms.ts";
import { checkConstraints, constraintsOf } from "../run/constraints.ts";
import { printDryRun } from "../run/dry_run.ts";
import { notice, progressHooks } from "../run/notices.ts";
import { checkModelExists } from "../run/model_file.ts";
import { type OpenPotential, openPotential } from "../run/potential.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import {
  checkFormats,
  checkTrajectory,
  planResults,
  type ResultFile,
  type Saved,
  saveResults,
} from "../run/results.ts";
import { checkDistinct } from "../run/planned_paths.ts";
import { replacing } from "../run/replaced_file.ts";
import { elementsOf, readAllStructures, splitRange, type Structure } from "../run/structures.ts";
import { inputsOf } from "../run/table.ts";
import { stemOf } from "../run/path_kind.ts";
import { userHooks } from "../run/user_hooks.ts";
import { warnOf, watched } from "../watch/watch.ts";
import { cellOption, checkCellOptions, openEngine } from "./engine.ts";
import { readable } from "./readable.ts";
import { relaxationsOf, relaxedLine } from "./relaxation.ts";
import type { RelaxSettings } from "./settings.ts";
import { convergenceHook } from "./stress_criterion.ts";
import { stressHook } from "../run/stress_hook.ts";
import { checkWritable } from "../run/writable.ts";

/** Relaxes structures, prints a line for each, and writes them. */
export async function relax(settings: RelaxSettings, run: CommandRun): Promise<number> {
  checkCellOptions(settings, run);
  const warn = (message: string) => run.terminal.complain(message);
  const formats = await formatOptionsOf(settings, warn);
  const structures = await readAllStructures(settings.files, formats, run.signal);
  await checkConstraints(settings.constraints, structures);
  checkModelExists(settings.model);
  warnOfMolecules(settings, run, structures);
  await warnOfCloseAtoms(structures, run);
  const { output: outputs, overwrite, traj } = settings;
  const plan = planResults(structures, { outputs, what: "relaxed", overwrite });
  await checkFormats(plan, structures, formats);
  checkPaths(plan, settings);
  if (!settings.dryRun) {
    await checkWritable(
      [...plan.map(({ path }) => path), ...traj === undefined ? [] : [traj]],
      run,
    );
  }
  if (settings.model !== undefined) notice(run, settings, `Opening ${settings.model}`);
  const potential = await openPotential(settings, elementsOf(structures), {
    warn,
    stressFor: cellOption(settings),
    structures,
  });
  return await disposing(potential, async (potential) => {
    if (settings.dryRun) return printPlan(settings, run, { structures, plan, potential });
    const facts = { name: stemOf(structures[0]!.file), kind: "relax" } as const;
    return await watched(settings, run, facts, async (run) => {
      const { batch, kept } = await replacing(
        traj,
        () => relaxed(settings, run, potential, structures),
      );
      if (batch === undefined) {
        if (!settings.json) {
          run.terminal.print(
            `${structures.length} of ${structures.length} have diverged; wrote no files`,
          );
        }
        return ExitCode.INCOMPLETE;
      }
      const left = plan.map(({ path, structures }) => ({
        path,
        structures: structures.filter((i) => kept.includes(i)).map((i) => kept.indexOf(i)),
      })).filter(({ structures }) => structures.length > 0);
      const saved = await saveResults(left, resultsOf(batch, false), formats, warn);
      const diverged = structures.length - kept.length;
      return printResults(settings, run, {
        structures: kept.map((i) => structures[i]!),
        saved,
        batch,
        diverged,
      });
    });
  });
}

/** Throws a UsageError if a result would replace another one, or a file that is read during the run. */
function checkPaths(plan: readonly ResultFile[], settings: RelaxSettings): void {
  const { traj, overwrite, files } = settings;
  const others = inputsOf(settings).filter((path) => !files.includes(path));
  const frames = traj === undefined ? [] : [traj];
  if (traj !== undefined) {
    checkTrajectory(traj, overwrite);
    checkDistinct(frames, files.map((path) => splitRange(path).file));
  }
  checkDistinct([...plan.map(({ path }) => path), ...frames], others);
}

/** Throws a UsageError if cells are to relax and there are none. Warns of structures without a periodic cell. */
function warnOfMolecules(
  settings: RelaxSettings,
  { terminal }: CommandRun,
  structures: readonly Structure[],
): void {
  const option = cellOption(settings);
  if (option === undefined) return;
  const open = structures.filter(({ system }) => !system.pbc.includes(1));
  if (open.length === structures.length) {
    throw new UsageError(`Cannot use ${option}: no structure is periodic`);
  }
  for (const { label } of open) {
    terminal.complain(`Warning: ${label} is not periodic, so ${option} has no effect on it`);
  }
}

/**
 * Relaxes structures. If some diverge, they are named, and the others are relaxed again from the start, which gives
 * the same results as without them. Returns the batch, which is undefined if all have diverged, and the indices of
 * its structures.
 */
async function relaxed(
  settings: RelaxSettings,
  run: CommandRun,
  potential: OpenPotential,
  structures: readonly Structure[],
): Promise<{ readonly batch: Batch | undefined; readonly kept: readonly number[] }> {
  let kept = structures.map((_, i) => i);
  while (kept.length > 0) {
    const batch = batchOf(kept.map((i) => structures[i]!), { dropVelocities: true });
    try {
      await runEngine(settings, run, potential, batch);
      return { batch, kept };
    } catch (error) {
      if (!(error instanceof DivergedError) || error.systems.length === 0) throw error;
      run.terminal.complain(inFlags(error.message));
      kept = kept.filter((_, slot) => !error.systems.includes(slot));
    }
  }
  return { batch: undefined, kept };
}

async function runEngine(
  settings: RelaxSettings,
  run: CommandRun,
  potential: OpenPotential,
  batch: Batch,
): Promise<void> {
  const { steps, traj, constraints, hooks } = settings;
  const sink = traj === undefined ? undefined : await openSink(traj);
  const engine = await openEngine(settings, {
    model: potential.model,
    ...potential.engine,
    signal: run.signal,
    constraints: await constraintsOf(constraints),
    onWarning: ({ error }) => warnOf(run, error),
    hooks: [
      convergenceHook(settings),
      ...stressHook(potential.model, batch),
      ...(sink === undefined ? [] : [new SnapshotHook({ sink })]),
      ...progressHooks(run, settings, steps, { hasCells: cellOption(settings) !== undefined }),
    ],
  });
  try {
    await disposing(engine, async (engine) => {
      for (const hook of await userHooks(hooks)) engine.hooks.add(hook as never);
      run.page?.attach(engine);
      await engine.run(batch, steps);
    });
  } catch (error) {
    if (error instanceof DivergedError) await sink?.truncate(0); // the others start again
    throw error;
  } finally {
    await sink?.close();
  }
}

function printPlan(
  settings: RelaxSettings,
  run: CommandRun,
  { structures, plan, potential }: {
    readonly structures: readonly Structure[];
    readonly plan: readonly ResultFile[];
    readonly potential: OpenPotential;
  },
): number {
  const resolved = { ...readable(settings), model: potential.name, ...potential.engine };
  const atoms = structures.reduce((sum, { system }) => sum + system.nodeCount, 0);
  return printDryRun(
    run,
    "relax",
    resolved,
    `Would relax ${counted(structures.length, "structure")} of ${
      counted(atoms, "atom")
    } in all, and write ${plan.map(({ path }) => path).join(", ")}`,
  );
}

function printResults(
  settings: RelaxSettings,
  { terminal, signal, completed }: CommandRun,
  { structures, saved, batch, diverged }: {
    readonly structures: readonly Structure[];
    readonly saved: Saved;
    readonly batch: Batch;
    /** Number of structures that have diverged, and are not among `structures`. */
    readonly diverged: number;
  },
): number {
  const results = relaxationsOf(batch, structures, cellOption(settings) !== undefined);
  for (const result of results) {
    terminal.print(settings.json ? JSON.stringify(result) : relaxedLine(result, results));
  }
  const missing = results.filter(({ converged }) => !converged).length;
  const paths = saved.paths.join(", ");
  if (!settings.json) {
    if (diverged > 0) {
      terminal.print(
        `${diverged} of ${results.length + diverged} have diverged, and are not written`,
      );
    }
    terminal.print(
      missing === 0
        ? `Wrote ${paths}`
        : `${missing} of ${results.length} have not converged; wrote ${paths}`,
    );
  }
  if (missing === 0) completed();
  else if (signal.aborted) {
    terminal.complain(`Interrupted. To continue, relax ${paths}`);
  }
  if (saved.isElsewhere) return ExitCode.FAILED;
  return missing + diverged === 0 ? ExitCode.DONE : ExitCode.INCOMPLETE;
}
