/**
 * The command `hooke status`.
 *
 * @module
 */

import { readCampaign } from "../../campaign/folder/campaign_folder.ts";
import { statusOf } from "../../campaign/folder/campaign_status.ts";
import { campaignIds } from "../../campaign/folder/item_files.ts";
import {
  openResultStore,
  type ResultStore,
  type StoreFault,
} from "../../campaign/store/result_store.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { StatusSettings } from "./settings.ts";

/** Prints the numbers of structures of a campaign by their state. */
export async function status(settings: StatusSettings, run: CommandRun): Promise<number> {
  const folder = folderOf(settings.files, "show the status of");
  const { store } = await openCampaign(folder);
  const counts = statusOf(await campaignIds(folder), store);
  if (settings.json) {
    run.terminal.print(JSON.stringify({ type: "status", folder, ...counts }));
  } else {
    const { items, done, notConverged, failed, missing } = counts;
    run.terminal.print(
      `${items} structures: ${done} done, ${notConverged} not converged, ${failed} failed, ${missing} missing`,
    );
  }
  complainOfFaults(store, run);
  run.completed();
  if (counts.faults > 0) return ExitCode.FAILED;
  return counts.missing + counts.failed > 0 ? ExitCode.INCOMPLETE : ExitCode.DONE;
}

/** Returns the folder in the arguments of a command. Throws a UsageError unless there is exactly one. */
export function folderOf(files: readonly string[], action: string): string {
  const [folder, ...rest] = files;
  if (folder !== undefined && rest.length === 0) return folder;
  throw new UsageError(`Cannot ${action} a campaign: pass one folder of a campaign`);
}

/** Opens a campaign for reading. */
export async function openCampaign(folder: string): Promise<{
  readonly recipe: Awaited<ReturnType<typeof readCampaign>>;
  readonly store: ResultStore;
}> {
  const recipe = await readCampaign(folder);
  return { recipe, store: await openResultStore(folder) };
}

/** Reports results that differ, and damaged records. */
export function complainOfFaults({ faults, damage }: ResultStore, { terminal }: CommandRun): void {
  for (const fault of faults) terminal.complain(faultText(fault));
  for (const { shard, offset } of damage) {
    terminal.complain(
      `Damaged record in ${shard} at byte ${offset}. hooke work computes its structure again`,
    );
  }
}

/** Returns the message about results that differ. */
export function faultText({ id, shards }: StoreFault): string {
  return `FAULT: two results of the structure ${id} differ, in ${
    shards.join(" and ")
  }. Equal structures must have equal results: look for a machine with other hardware or a damaged memory`;
}
