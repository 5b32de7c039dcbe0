/**
 * The command `hooke queue`.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { cancelItems, listAside, retryAside } from "../../campaign/queue/control.ts";
import { countQueue, isMissing, type Queue } from "../../campaign/queue/queue.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { connect } from "./connect.ts";
import type { QueueSettings } from "./settings.ts";
import { sendAll, sendFolder } from "./submit.ts";

/** A queue and everything that an action may use. */
interface Action {
  readonly queue: Queue;
  readonly args: readonly string[];
  readonly settings: QueueSettings;
  readonly run: CommandRun;
}

const ACTIONS: Readonly<Record<string, (action: Action) => Promise<number>>> = {
  status,
  retry,
  cancel,
  reconcile,
};

/** Shows a queue, retries or cancels structures, and restores what it has lost. */
export async function queue(settings: QueueSettings, run: CommandRun): Promise<number> {
  const [name = "status", ...args] = settings.files, act = ACTIONS[name];
  const names = Object.keys(ACTIONS);
  if (act === undefined) {
    throw new UsageError(
      `Cannot use the action ${name}: it must be one of ${names.join(", ")}${
        didYouMean(name, names)
      }`,
    );
  }
  const opened = await connect(settings, run);
  try {
    return await act({ queue: opened, args, settings, run });
  } catch (error) {
    if (!isMissing(error)) throw error;
    run.terminal.complain(
      `The queue ${settings.queueName} does not exist. hooke submit and hooke queue reconcile create it`,
    );
    return ExitCode.FAILED;
  } finally {
    await opened.close();
  }
}

/** Most structures that status lists. */
const LISTED = 20;

async function status({ queue, settings, run: { terminal } }: Action): Promise<number> {
  const [counts, aside] = await Promise.all([
    countQueue(queue),
    listAside(queue, settings.json ? Infinity : LISTED),
  ]);
  const { waiting, running, redelivered, idle, bytes } = counts;
  if (settings.json) {
    terminal.print(JSON.stringify({ type: "queue", ...counts, items: aside.items }));
  } else {
    const { high, normal, low } = waiting;
    const levels = high + low > 0 ? ` (high ${high}, normal ${normal}, low ${low})` : "";
    terminal.print(`waiting    ${high + normal + low}${levels}`);
    terminal.print(`running    ${running}${redelivered > 0 ? ` (${redelivered} again)` : ""}`);
    terminal.print(`set aside  ${aside.count}`);
    terminal.print(`size       ${(bytes / 1e6).toFixed(1)} MB`);
    if (idle > 0) terminal.print("workers    some are idle");
    for (const { id, label, tries, error } of aside.items) {
      terminal.print(
        `  ${id.slice(0, 12)}  ${label}  ${tries} ${tries === 1 ? "try" : "tries"}: ${error}`,
      );
    }
    if (aside.count > LISTED) terminal.print(`  … ${aside.count - LISTED} more (--json lists all)`);
  }
  return aside.count > 0 ? ExitCode.INCOMPLETE : ExitCode.DONE;
}

async function retry({ queue, args, run: { terminal } }: Action): Promise<number> {
  const { retried, lost } = await retryAside(queue, args);
  terminal.print(`${retried} in the queue again`);
  if (lost.length === 0) return ExitCode.DONE;
  terminal.complain(
    `${lost.length} were too large to keep: hooke queue reconcile sends them again (${
      lost.slice(0, 3).map((id) => id.slice(0, 12)).join(", ")
    })`,
  );
  return ExitCode.INCOMPLETE;
}

async function cancel(
  { queue, args, settings: { all }, run: { terminal } }: Action,
): Promise<number> {
  if (all === args.length > 0) {
    throw new UsageError("Cannot cancel: pass ids of structures, or --all, and not both");
  }
  terminal.print(`${await cancelItems(queue, all ? undefined : args)} cancelled`);
  return ExitCode.DONE;
}

async function reconcile({ queue, args, settings, run }: Action): Promise<number> {
  const [folder, ...others] = args;
  if (folder !== undefined && others.length === 0) {
    return await sendFolder(queue, folder, settings, run);
  }
  if (settings.store === undefined) {
    throw new UsageError(
      "--store is required: pass the folder of the results, such as --store results",
    );
  }
  return await sendAll(queue, args, settings, run);
}
