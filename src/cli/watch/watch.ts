/**
 * Runs that are watched from a page.
 *
 * @module
 */

import type { WatchedFacts } from "../../page/feed/watched_engine.ts";
import type { CommandRun } from "../frame/command.ts";
import { count, flag, type OptionsOf } from "../frame/option.ts";
import { UsageError } from "../frame/usage_error.ts";
import { exitCodeOf } from "../stop.ts";

/** Settings of commands whose runs can be watched. */
export interface WatchSettings {
  /** True to serve a page that shows and controls the run. */
  readonly watch: boolean;
  /** Port of the page; undefined for any unused one. */
  readonly watchPort: number | undefined;
}

/** Options of {@linkcode WatchSettings}. */
export const WATCH_OPTIONS: OptionsOf<WatchSettings> = {
  watch: flag({ help: "Serve a page on this machine that shows and controls the run" }),
  watchPort: count({
    help: "Port of that page; implies --watch",
    otherwise: "any unused one",
    initial: undefined,
    least: 0,
  }),
};

/** Time that a page may be away, as during a reload, until it counts as closed, ms. */
const AWAY = 3000;

/**
 * Runs `work`, with a page that shows the run if the settings ask for one. A stop from the page interrupts the command
 * as Ctrl-C does. If the page is open at the end, it is served until it is closed.
 */
export async function watched(
  settings: Partial<WatchSettings>,
  run: CommandRun,
  facts: WatchedFacts,
  work: (run: CommandRun) => Promise<number>,
): Promise<number> {
  const { watch = false, watchPort: port } = settings;
  if (!watch && port === undefined) return await work(run);
  if (port !== undefined && port > 65_535) {
    throw new UsageError(`Cannot use --watch-port ${port}: a port is at most 65535`);
  }
  const { WatchPage } = await import("../../page/server/watch_page.ts");
  const { openPage } = await import("./open_page.ts");
  await openPage("127.0.0.1", port ?? 0, run); // fails before the run begins
  const stop = new AbortController();
  const interrupt = () => stop.abort(run.signal.reason);
  run.signal.addEventListener("abort", interrupt, { once: true });
  if (run.signal.aborted) interrupt();
  const page = await WatchPage.open(facts, {
    port: port ?? 0,
    signal: stop.signal,
    stop: () => stop.abort("SIGINT"),
    onCommand: (text) => run.terminal.complain(text),
  });
  run.terminal.complain(`Watch the run at ${page.url}`);
  let isComplete = false;
  const completed = () => {
    isComplete = true;
    run.completed();
  };
  try {
    const code = await work({ ...run, signal: stop.signal, completed, page });
    if (!run.signal.aborted && page.isOpen) {
      run.terminal.complain("The run is over. Its page is served until it is closed, or Ctrl-C");
      await page.closed(run.signal, AWAY);
    }
    const isStopped = stop.signal.aborted && !run.signal.aborted && !isComplete;
    return isStopped ? exitCodeOf(stop.signal) : code;
  } finally {
    run.signal.removeEventListener("abort", interrupt);
    await page.close();
  }
}

/** Prints a warning of an engine, and shows it on the page. */
export function warnOf({ terminal, page }: CommandRun, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  terminal.complain(`Warning: ${message}`);
  page?.warn(message);
}

/** Returns the name of a run folder without the folders above it. */
export function folderName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "" && part !== ".") ?? path;
}
