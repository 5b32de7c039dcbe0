/**
 * The command `hooke submit`.
 *
 * @module
 */

import { openResultStore } from "../../campaign/store/result_store.ts";
import type { SubmitCounts } from "../../campaign/queue/counts.ts";
import type { SubmitOptions } from "../../campaign/queue/options.ts";
import { reconcileCampaign, submitCampaign } from "../../campaign/queue/submit.ts";
import type { Queue } from "../../campaign/queue/queue.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { connect } from "./connect.ts";
import { openSubmission } from "./items.ts";
import type { ConnectionSettings, ItemSettings, SubmitSettings } from "./settings.ts";

/** Sends a recipe and structures to a queue. */
export async function submit(settings: SubmitSettings, run: CommandRun): Promise<number> {
  const queue = await connect(settings, run);
  try {
    return await sendAll(queue, settings.files, settings, run);
  } finally {
    await queue.close();
  }
}

/** Sends the structures of a campaign's folder that have no result in it. */
export async function submitFolder(
  folder: string,
  settings: ConnectionSettings & Omit<ItemSettings, "files">,
  run: CommandRun,
): Promise<number> {
  const queue = await connect(settings, run);
  try {
    return await sendFolder(queue, folder, settings, run);
  } finally {
    await queue.close();
  }
}

/** Sends the structures of a campaign's folder that have no result in it, and prints how many these are. */
export async function sendFolder(
  queue: Queue,
  folder: string,
  settings: Omit<ItemSettings, "files">,
  run: CommandRun,
): Promise<number> {
  const store = settings.store === undefined ? undefined : await openResultStore(settings.store);
  const { recipe, ...counts } = await reconcileCampaign(queue, folder, {
    ...optionsOf(settings, run),
    ...(store !== undefined && { store }),
  });
  printCounts(counts, { recipe, unreadable: 0 }, settings, run);
  return ExitCode.DONE;
}

/** Sends the structures that have no result and are not in the queue, and prints how many these are. */
export async function sendAll(
  queue: Queue,
  paths: readonly string[],
  settings: Omit<ItemSettings, "files">,
  run: CommandRun,
): Promise<number> {
  const { terminal } = run;
  const { recipe, items, failures } = await openSubmission(paths, settings, run);
  const store = settings.store === undefined ? undefined : await openResultStore(settings.store);
  const counts = await submitCampaign(queue, recipe, items, {
    ...optionsOf(settings, run),
    ...(store !== undefined && { store }),
  });
  for (const { file, frame, reason } of failures) {
    terminal.complain(`Cannot read ${file}${frame === undefined ? "" : `@${frame}`}: ${reason}`);
  }
  const facts = { recipe: recipe.hash, unreadable: failures.length };
  printCounts(counts, facts, settings, run);
  return failures.length > 0 ? ExitCode.INCOMPLETE : ExitCode.DONE;
}

/** Interval of lines about the progress, ms. */
const PROGRESS = 2000;

function optionsOf(
  { priority, quiet, json }: Omit<ItemSettings, "files">,
  { terminal }: CommandRun,
): Pick<SubmitOptions, "priority" | "onProgress" | "onWaiting"> {
  let last = performance.now();
  const onProgress = (counts: SubmitCounts) => {
    if (quiet || json || performance.now() - last < PROGRESS) return;
    last = performance.now();
    terminal.complain(textOf(counts));
  };
  const onWaiting = (reason: string) => terminal.complain(`Waiting for the queue: ${reason}`);
  return { priority, onProgress, onWaiting };
}

function printCounts(
  counts: SubmitCounts,
  { recipe, unreadable }: { readonly recipe: string; readonly unreadable: number },
  { json }: Omit<ItemSettings, "files">,
  { terminal }: CommandRun,
): void {
  const line = { type: "submitted", recipe, ...counts, unreadable };
  terminal.print(json ? JSON.stringify(line) : textOf(counts));
}

function textOf({ published, present, finished, aside }: SubmitCounts): string {
  return [
    `${published} submitted`,
    ...(present > 0 ? [`${present} in the queue already`] : []),
    ...(finished > 0 ? [`${finished} have a result`] : []),
    ...(aside > 0 ? [`${aside} set aside (hooke queue retry)`] : []),
  ].join(", ");
}
