/**
 * Events that a client has not read yet, in bounded memory.
 *
 * @module
 */

import type { RunEvent } from "../protocol.ts";
import type { ScalarRow } from "./scalar_rows.ts";

/** Limits of a queue. */
export interface QueueLimits {
  /** Largest number of rows of scalars and of structures that wait. */
  readonly rows: number;
  /** Largest number of other events that wait. */
  readonly events: number;
}

/** Limits that no client reaches which reads at all. */
export const LIMITS: QueueLimits = { rows: 20_000, events: 2_000 };

type Scalars = Extract<RunEvent, { readonly type: "scalars" }>;

/**
 * The queue of one client. An event that replaces the one before takes its place, and rows of the same scalars are
 * joined. If more waits than the limits allow, everything is dropped for one event `behind`, which is the last.
 */
export class EventQueue {
  readonly #limits: QueueLimits;
  readonly #waiting = new Map<string, RunEvent>();
  #rows = 0;
  #number = 0;
  #isCut = false;
  #wake: (() => void) | undefined;

  /** Creates an empty queue. */
  constructor(limits: QueueLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Adds an event. */
  push(event: RunEvent): void {
    if (this.#isCut) return;
    if (event.type === "scalars") this.#join(event);
    else this.#waiting.set(keyOf(event) ?? `event ${this.#number++}`, event);
    if (event.type === "structures") this.#rows += event.rows.length;
    if (this.#rows > this.#limits.rows || this.#waiting.size > this.#limits.events) this.#cut();
    this.#wake?.();
  }

  /** Takes the first event; undefined if none waits. */
  shift(): RunEvent | undefined {
    const first = this.#waiting.entries().next().value;
    if (first === undefined) return undefined;
    const [key, event] = first;
    this.#waiting.delete(key);
    if (event.type === "scalars" || event.type === "structures") this.#rows -= event.rows.length;
    return event;
  }

  /** Settles when an event waits, or the signal aborts. */
  async more(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size > 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    // A client may wait for days, and each wait would leave a listener behind.
    signal.removeEventListener("abort", wake);
    this.#wake = undefined;
  }

  #join(event: Scalars): void {
    const key = `scalars ${JSON.stringify(event.names)}`;
    const before = this.#waiting.get(key) as Scalars | undefined;
    this.#rows += event.rows.length;
    if (before === undefined) {
      this.#waiting.set(key, { ...event, rows: [...event.rows] });
    } else {
      const rows = before.rows as ScalarRow[];
      for (const row of event.rows) rows.push(row);
    }
  }

  #cut(): void {
    this.#isCut = true;
    this.#waiting.clear();
    this.#rows = 0;
    this.#waiting.set("behind", { type: "behind" });
  }
}

/** Returns the key of events that replace one another; undefined for an event that stands for itself. */
export function keyOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "info":
    case "hooks":
    case "timings":
    case "frames":
    case "behind":
      return event.type;
    case "curve":
      return `curve ${event.name}`;
    default:
      return undefined;
  }
}
