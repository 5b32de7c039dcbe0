/**
 * The command `hooke submit`.
 *
 * @module
 */

import { openResultStore } from "../../campaign/store/result_store.ts";
import { submitCampaign, type SubmitCounts } from "../../campaign/queue/submit.ts";
import type { Queue } from "../../campaign/queue/queue.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { connect } from "./connect.ts";
import { openSubmission } from "./items.ts";
import type { ItemSettings, SubmitSettings } from "./settings.ts";

/** Sends a recipe and structures to a queue. */
export async function submit(settings: SubmitSettings, run: CommandRun): Promise<number> {
  const queue = await connect(settings, run);
  try {
    return await sendAll(queue, settings.files, settings, run);
  } finally {
    await queue.close();
  }
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
  let last = performance.now();
  const counts = await submitCampaign(queue, recipe, items, {
    priority: settings.priority,
    ...(store !== undefined && { store }),
    onProgress: (counts) => {
      if (settings.quiet || settings.json || performance.now() - last < 2000) return;
      last = performance.now();
      terminal.complain(textOf(counts));
    },
  });
  for (const { file, frame, reason } of failures) {
    terminal.complain(`Cannot read ${file}${frame === undefined ? "" : `@${frame}`}: ${reason}`);
  }
  terminal.print(
    settings.json
      ? JSON.stringify({
        type: "submitted",
        recipe: recipe.hash,
        ...counts,
        unreadable: failures.length,
      })
      : textOf(counts),
  );
  return failures.length > 0 ? ExitCode.INCOMPLETE : ExitCode.DONE;
}

function textOf({ published, present, finished, aside }: SubmitCounts): string {
  return [
    `${published} submitted`,
    ...(present > 0 ? [`${present} in the queue already`] : []),
    ...(finished > 0 ? [`${finished} have a result`] : []),
    ...(aside > 0 ? [`${aside} set aside (hooke queue retry)`] : []),
  ].join(", ");
}
