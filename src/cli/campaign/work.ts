/**
 * The command `hooke work`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import { readCampaign } from "../../campaign/folder/campaign_folder.ts";
import { campaignIds, readItems, shareOf } from "../../campaign/folder/item_files.ts";
import { runCampaign } from "../../campaign/run/run_campaign.ts";
import type { ItemResult } from "../../campaign/store/result.ts";
import { openResultStore, type ResultStore } from "../../campaign/store/result_store.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { programFor, shellWord } from "../frame/permission.ts";
import { UsageError } from "../frame/usage_error.ts";
import { assertPlace } from "./place.ts";
import { ProgressLine } from "../run/progress_line.ts";
import { checkFolderPermission } from "../run/writable.ts";
import { stopOnSignal } from "../stop.ts";
import type { WorkerSettings, WorkSettings } from "./settings.ts";
import { faultText } from "./status.ts";

/** Computes the structures of a campaign that have no result. */
export async function work(settings: WorkSettings, run: CommandRun): Promise<number> {
  assertPlace(settings, run, ["store", "untilEmpty", "tries", "grace", "checkpoint"], [
    "task",
    "tasks",
    "signal",
  ]);
  if (settings.queue !== undefined) {
    return await (await import("../queue/work.ts")).work(settings, run);
  }
  const [folder, ...rest] = settings.files;
  if (folder === undefined || rest.length > 0) {
    throw new UsageError("Cannot work on a campaign: pass one folder of a campaign");
  }
  const { task, tasks } = settings;
  if (task !== undefined && task >= tasks) {
    throw new UsageError(`--task must be below --tasks ${tasks}; got ${task}`);
  }
  return await workOn(folder, settings, run, task === undefined ? undefined : { task, tasks });
}

/** Computes the items of a campaign, or those of one of several tasks. Returns the exit code. */
export async function workOn(
  folder: string,
  settings: WorkerSettings,
  run: CommandRun,
  share?: { readonly task: number; readonly tasks: number },
): Promise<number> {
  checkFolderPermission(folder, run);
  stopOnSignal(run, settings.signal);
  const recipe = await readCampaign(folder);
  const all = await campaignIds(folder);
  const ids = share === undefined ? all : shareOf(all, share.task, share.tasks);
  const label = share === undefined ? "local" : `task${share.task}of${share.tasks}`;
  const store = await openResultStore(folder, {
    label,
    onFault: (fault) => run.terminal.complain(faultText(fault)),
  });
  return await disposing(store, async () => {
    const missing = new Set(ids.filter((id) => !store.has(id)));
    const progress = new ProgressLine(run, settings);
    let ended = 0;
    const counts = { failed: 0, "not converged": 0, done: 0 };
    const { computed, isDone } = await runCampaign(
      recipe,
      readItems(folder, recipe, (id) => missing.has(id)),
      store,
      {
        batchAtoms: settings.batchAtoms,
        signal: run.signal,
        // A task of an array has its share alone. Other processes may run at the same time, and save nothing.
        ...share !== undefined && { checkpoint: `${folder}/work/${label}.hooke` },
        onNotice: (message) => run.terminal.complain(message),
        modules: settings.allowModules,
        onWarning: ({ error }) =>
          run.terminal.complain(
            `Warning: ${error instanceof Error ? error.message : String(error)}`,
          ),
        onResult: (result) => {
          counts[result.status]++;
          ended++;
          if (settings.json) printResult(result, run);
          progress.show(() => `${ended} of ${missing.size} structures computed`);
        },
      },
    );
    progress.clear();
    if (isDone) run.completed();
    printEnd(settings, run, { folder, computed, isDone, counts, store });
    if (store.faults.length > 0) return ExitCode.FAILED;
    return counts.failed > 0 ? ExitCode.INCOMPLETE : ExitCode.DONE;
  });
}

function printResult({ id, status, energy, reason }: ItemResult, { terminal }: CommandRun): void {
  const known = Number.isNaN(energy) ? null : energy;
  terminal.print(JSON.stringify({ type: "result", id, status, energy: known, reason }));
}

function printEnd(
  { json }: WorkerSettings,
  { terminal, program }: CommandRun,
  { folder, computed, isDone, counts, store }: {
    readonly folder: string;
    readonly computed: number;
    readonly isDone: boolean;
    readonly counts: Readonly<Record<string, number>>;
    readonly store: ResultStore;
  },
): void {
  const { done, failed, "not converged": notConverged } = counts;
  if (json) {
    const faults = store.faults.length;
    const end = { type: "end", folder, computed, done, notConverged, failed, faults };
    terminal.print(JSON.stringify({ ...end, interrupted: !isDone }));
  } else {
    terminal.print(
      `Computed ${computed} structure${
        computed === 1 ? "" : "s"
      }: ${done} done, ${notConverged} not converged, ${failed} failed`,
    );
  }
  if (isDone) return;
  terminal.complain(
    `Interrupted. To continue, run: ${programFor(program, folder)} work ${shellWord(folder)}`,
  );
}
