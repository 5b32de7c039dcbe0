/**
 * Our side of a comparison, as turns.py is the peers': `await serveTurns({ peer: "hooke" }, () => { …; return
 * { events } })`. A line on stdin asks for one repeat; `{"cpu_s", "wall_s", "events", …}` answers it.
 *
 * @module
 */

import process from "node:process";
import { linesOf } from "./contender.ts";

/** Number of events of a turn, and other values to report. */
export interface Done {
  readonly events: number;
  readonly [more: string]: unknown;
}

/**
 * Result of a turn with its seconds: CPU time of all threads, wall time, and CPU time of the thread that runs
 * JavaScript.
 */
export interface Cost extends Done {
  readonly cpu_s: number;
  readonly wall_s: number;
  readonly main_s: number;
}

/**
 * Serves turns until stdin ends. CPU time is that of the whole process: V8's helper threads (collection,
 * compilation) count. `main_s` is the thread that runs JavaScript, where Linux tells it.
 */
export async function serveTurns(
  about: Readonly<Record<string, unknown>>,
  turn: () => Done | Promise<Done>,
): Promise<void> {
  console.log(JSON.stringify({ ready: true, ...about }));
  for await (const _ of linesOf(Deno.stdin.readable)) {
    console.log(JSON.stringify(await timeTurn(turn)));
  }
}

/**
 * Returns what `open` opens. If its runtime cannot be loaded here, reports this to the other side in place of turns,
 * and ends the process.
 */
export async function openOrLeave<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Error && error.name === "BackendUnavailableError")) throw error;
    console.log(JSON.stringify({ ready: true, missing: error.message }));
    Deno.exit(0);
  }
}

/** One turn, and what it cost in seconds. */
export async function timeTurn(turn: () => Done | Promise<Done>): Promise<Cost> {
  const main = mainThread(), cpu = process.cpuUsage(), wall = performance.now();
  const done = await turn();
  const wall_s = (performance.now() - wall) / 1e3, spent = process.cpuUsage(cpu);
  const cpu_s = (spent.user + spent.system) / 1e6, main_s = (mainThread() - main) / 1e9;
  return { cpu_s, wall_s, main_s, ...done };
}

/** Returns the CPU time of the first thread of this process in nanoseconds; NaN if the system does not report it. */
function mainThread(): number {
  try {
    const text = Deno.readTextFileSync(`/proc/self/task/${Deno.pid}/schedstat`);
    return Number(text.split(" ")[0]);
  } catch {
    return NaN;
  }
}
