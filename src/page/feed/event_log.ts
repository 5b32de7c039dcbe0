/**
 * Events of a run from its beginning, for any number of clients.
 *
 * @module
 */

import type { RunEvent, StructureRow } from "../protocol.ts";
import { EventQueue, keyOf, LIMITS, type QueueLimits } from "./event_queue.ts";
import { type ScalarRow, ScalarRows } from "./scalar_rows.ts";

/** Rows that are kept of each table of scalars: more than a chart can show. */
const ROWS = 10_000;

/** Rows in one event of the history, so that no line is long. */
const CHUNK = 500;

/** Warnings and commands that are kept. */
const NOTES = 1_000;

type Replaceable = Extract<
  RunEvent,
  { readonly type: "info" | "hooks" | "timings" | "frames" | "curve" }
>;
type Note = Extract<RunEvent, { readonly type: "warning" | "command" }>;

/** Keeps the history of a run, and hands on new events to the clients. */
export class EventLog {
  readonly #latest = new Map<string, Replaceable>();
  readonly #tables = new Map<string, ScalarRows>();
  readonly #structures: StructureRow[] = [];
  readonly #notes: Note[] = [];
  readonly #clients = new Set<EventQueue>();
  readonly #limits: QueueLimits;
  readonly #changed: () => void;

  /** Creates an empty log. `changed` is called when a client comes or leaves. */
  constructor(changed: () => void = () => {}, limits: QueueLimits = LIMITS) {
    this.#changed = changed;
    this.#limits = limits;
  }

  /** Number of clients. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Adds an event to the history, and to the queues of the clients. */
  publish(event: RunEvent): void {
    this.#keep(event);
    for (const client of this.#clients) client.push(event);
  }

  /** Yields all events from the beginning, then new ones, until the signal aborts or the client is too slow. */
  async *events(signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    const queue = new EventQueue(this.#limits);
    const history = this.#history();
    this.#clients.add(queue);
    this.#changed();
    try {
      yield* history;
      while (!signal.aborted) {
        const event = queue.shift();
        if (event === undefined) {
          await queue.more(signal);
          continue;
        }
        yield event;
        if (event.type === "behind") return;
      }
    } finally {
      this.#clients.delete(queue);
      this.#changed();
    }
  }

  #keep(event: RunEvent): void {
    switch (event.type) {
      case "scalars":
        return this.#addRows(event.names, event.rows);
      case "structures":
        for (const row of event.rows) this.#structures.push(row);
        return;
      case "warning":
      case "command":
        this.#notes.push(event);
        if (this.#notes.length > NOTES) this.#notes.shift();
        return;
      case "behind":
        return;
      default:
        this.#latest.set(keyOf(event)!, event);
    }
  }

  #addRows(names: readonly string[], rows: readonly ScalarRow[]): void {
    const key = JSON.stringify(names);
    const table = this.#tables.get(key) ?? new ScalarRows(names, ROWS);
    this.#tables.set(key, table);
    for (const row of rows) table.add(row);
  }

  /** Returns the events from the beginning. Later changes of the log do not change them. */
  #history(): Iterable<RunEvent> {
    const tables = [...this.#tables.values()].map(({ names, rows }) => ({ names, rows }));
    return eventsOf([...this.#latest.values()], tables, [...this.#structures], [...this.#notes]);
  }
}

function* eventsOf(
  latest: readonly Replaceable[],
  tables: readonly Pick<ScalarRows, "names" | "rows">[],
  structures: readonly StructureRow[],
  notes: readonly Note[],
): Generator<RunEvent> {
  yield* latest;
  for (const { names, rows } of tables) {
    for (const part of parts(rows)) yield { type: "scalars", names, rows: part };
  }
  for (const part of parts(structures)) yield { type: "structures", rows: part };
  yield* notes;
}

function* parts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += CHUNK) yield all.slice(from, from + CHUNK);
}
