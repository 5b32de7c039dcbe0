/**
 * The command `hooke work`.
 *
 * @module
 */

import { codeOf } from "../../base/file_refusal.ts";
import { CampaignHandler } from "../../campaign/queue/campaign_handler.ts";
import type { WorkCounts, WorkEvent } from "../../campaign/queue/counts.ts";
import { workQueue } from "../../campaign/queue/work.ts";
import { openResultStore } from "../../campaign/store/result_store.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { connect } from "./connect.ts";
import type { WorkSettings } from "./settings.ts";

/** Computes the structures of a queue. */
export async function work(settings: WorkSettings, run: CommandRun): Promise<number> {
  if (settings.store === undefined) {
    throw new UsageError(
      "--store is required: pass the folder of the results, such as --store results",
    );
  }
  const { tries, batch, untilEmpty, batchAtoms, allowModules, allowDownloads, grace } = settings;
  const store = await openResultStore(settings.store, {
    label: `worker-${crypto.randomUUID().slice(0, 8)}`,
  });
  const queue = await connect(settings, run, { waits: true });
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const drain = () => timer = setTimeout(() => abort.abort(), grace * 1000);
  run.signal.addEventListener("abort", drain, { once: true });
  const handler = new CampaignHandler(queue, store, {
    batchAtoms,
    modules: allowModules,
    downloads: allowDownloads,
    checkpoints: {
      seconds: settings.checkpoint,
      onNotice: (text) => run.terminal.complain(text),
    },
    signal: abort.signal,
    onWarning: ({ error }) => run.terminal.complain(`Warning: ${textOfError(error)}`),
  });
  try {
    await queue.create().catch(() => {}); // a worker may lack the permission; it waits for the queue then
    const { signal } = run;
    const counts = await workQueue(queue, handler, {
      signal,
      abort: abort.signal,
      tries,
      batch,
      untilEmpty,
      onEvent: reporter(settings, run),
    });
    run.completed();
    printCounts(counts, settings, run);
    return counts.aside + counts.left > 0 ? ExitCode.INCOMPLETE : ExitCode.DONE;
  } catch (error) {
    run.terminal.complain(textOfEnd(error));
    throw error;
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", drain);
    await handler[Symbol.asyncDispose]();
    await store.close();
    await queue.close();
  }
}

/** Most reasons of which the worker remembers that it has printed them. */
const REASONS = 100;

/** Returns a function that prints events. What may happen for each structure is printed once per reason. */
function reporter(
  { json, quiet }: WorkSettings,
  { terminal }: CommandRun,
): (event: WorkEvent) => void {
  const printed = new Set<string>();
  return (event) => {
    if (json) return terminal.print(JSON.stringify(event));
    if (event.type === "done") return quiet ? undefined : terminal.print(`done ${event.label}`);
    if (event.type === "waiting") {
      return terminal.complain(`Waiting for the queue: ${event.reason}`);
    }
    if (event.type === "foreign") {
      return terminal.complain(`Removed a message of ${event.subject}: ${event.reason}`);
    }
    if (event.type === "elsewhere") {
      if (printed.has(event.reason) || printed.size === REASONS) return;
      printed.add(event.reason);
      return terminal.complain(
        `Left ${event.label} and the like to other workers: ${event.reason}`,
      );
    }
    const what = event.type === "aside" ? "Set aside" : "Failed, and tried again later:";
    terminal.complain(`${what} ${event.label} (${event.id.slice(0, 12)}): ${event.reason}`);
  };
}

function printCounts(
  counts: WorkCounts,
  { json, quiet }: WorkSettings,
  { terminal }: CommandRun,
): void {
  if (json) return terminal.print(JSON.stringify({ type: "ended", ...counts }));
  const { done, known, failed, aside, foreign, left } = counts;
  if (quiet) return;
  terminal.print([
    `${done} done`,
    ...(known > 0 ? [`${known} had a result`] : []),
    ...(failed > 0 ? [`${failed} failed tries`] : []),
    ...(aside > 0 ? [`${aside} set aside`] : []),
    ...(left > 0 ? [`${left} left to other workers`] : []),
    ...(foreign > 0 ? [`${foreign} foreign messages`] : []),
  ].join(", "));
}

/** Error codes of disks that are full. */
const FULL: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** Returns what becomes of the structures of a worker that ends with an error. */
function textOfEnd(error: unknown): string {
  const advice = FULL.includes(codeOf(error))
    ? ". Free space, or pass another folder as --store, and start the worker again"
    : "";
  return `Structures without a result on the disk are in the queue again${advice}`;
}

function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
