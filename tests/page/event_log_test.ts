import { assert, assertEquals } from "@std/assert";
import { EventLog } from "../../src/page/feed/event_log.ts";
import { EventQueue } from "../../src/page/feed/event_queue.ts";
import { rowOf, ScalarRows } from "../../src/page/feed/scalar_rows.ts";
import type { RunEvent } from "../../src/page/protocol.ts";
import { INFO } from "./shown_run.ts";

const rows = (...steps: number[]): RunEvent => ({
  type: "scalars",
  names: ["energy"],
  rows: steps.map((step) => [step, -step]),
});
const warning = (message: string): RunEvent => ({ type: "warning", message });

/** Reads the events that are there, up to the one that this predicate accepts. */
async function read(
  events: AsyncGenerator<RunEvent, void>,
  isLast: (event: RunEvent) => boolean,
): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (;;) {
    const { value, done } = await events.next();
    if (done) return all;
    all.push(value);
    if (isLast(value)) return all;
  }
}

Deno.test("a client gets what has happened before, then what happens", async () => {
  const log = new EventLog(), end = new AbortController();
  log.publish({ type: "info", run: INFO });
  log.publish({ type: "info", run: { ...INFO, step: 11 } });
  log.publish(rows(0, 10));
  log.publish(rows(20));
  log.publish(warning("hot"));
  const events = log.events(end.signal);
  const isWarning = ({ type }: RunEvent) => type === "warning";
  assertEquals(await read(events, isWarning), [
    { type: "info", run: { ...INFO, step: 11 } },
    rows(0, 10, 20),
    warning("hot"),
  ]);
  log.publish(rows(30));
  log.publish(rows(40));
  log.publish(warning("hotter"));
  assertEquals(await read(events, isWarning), [rows(30, 40), warning("hotter")]);
  assertEquals(log.clients, 1);
  end.abort();
  assertEquals(await events.next(), { value: undefined, done: true });
  assertEquals(log.clients, 0);
});

Deno.test("a reload gets the same history again, and rows of a resumed run replace the old ones", async () => {
  const log = new EventLog();
  log.publish(rows(0, 10, 20, 30));
  log.publish(rows(20, 25));
  for (let time = 0; time < 2; time++) {
    const events = log.events(new AbortController().signal);
    assertEquals((await events.next()).value, rows(0, 10, 20, 25));
    await events.return();
  }
  assertEquals(log.clients, 0);
});

Deno.test("events that replace one another wait once, and rows are joined", () => {
  const queue = new EventQueue();
  for (let step = 1; step <= 1000; step++) {
    queue.push({ type: "info", run: { ...INFO, step } });
    queue.push({ type: "frames", count: step });
    queue.push(rows(step));
    queue.push({
      type: "curve",
      name: step % 2 === 0 ? "rdf" : "msd",
      x: { label: "r", values: [step] },
      y: { label: "g", values: [1] },
    });
  }
  const all: RunEvent[] = [];
  for (let event = queue.shift(); event !== undefined; event = queue.shift()) all.push(event);
  assertEquals(all.map(({ type }) => type), ["info", "frames", "scalars", "curve", "curve"]);
  assertEquals(all[1], { type: "frames", count: 1000 });
  const scalars = all[2] as Extract<RunEvent, { type: "scalars" }>;
  assertEquals([scalars.rows.length, scalars.rows.at(-1)], [1000, [1000, -1000]]);
});

Deno.test("a client that does not read costs bounded memory, and its last event says so", async () => {
  const log = new EventLog(() => {}, { rows: 100, events: 10 });
  log.publish({ type: "frames", count: 1 });
  const slow = log.events(new AbortController().signal);
  await slow.next();
  for (let step = 0; step < 100; step++) log.publish(rows(step));
  assertEquals((await slow.next()).value, rows(...Array(100).keys()));
  for (let step = 100; step < 201; step++) log.publish(rows(step));
  assertEquals(await read(slow, () => false), [{ type: "behind" }]);
  assertEquals(log.clients, 0);

  const mute = log.events(new AbortController().signal);
  await mute.next();
  for (let i = 0; i < 11; i++) log.publish(warning(`${i}`));
  const left = await read(mute, () => false);
  assertEquals(left.at(-1), { type: "behind" });
  assertEquals(left.filter(({ type }) => type === "warning"), []);
});

Deno.test("rows are thinned evenly, and the last one is kept", () => {
  const table = new ScalarRows(["a"], 8);
  for (let step = 0; step <= 100; step++) table.add([step, step]);
  const steps = table.rows.map(([step]) => step!);
  assert(steps.length <= 9, `${steps.length} rows`);
  assertEquals(steps, [0, 16, 32, 48, 64, 80, 96, 100]);
  assertEquals(rowOf(3, [1, NaN, Infinity, -0]), [3, 1, null, null, -0]);
});

Deno.test("the log says when clients come and leave", async () => {
  const counts: number[] = [];
  const log: EventLog = new EventLog(() => counts.push(log.clients));
  log.publish({ type: "frames", count: 0 });
  const events = log.events(new AbortController().signal);
  await events.next();
  await events.return();
  assertEquals(counts, [1, 0]);
});

Deno.test("a client that waits for a long time leaves no listeners behind", async () => {
  const { signal } = new AbortController(), queue = new EventQueue();
  let listeners = 0;
  const counted = {
    aborted: false,
    addEventListener: () => listeners++,
    removeEventListener: () => listeners--,
  };
  for (let i = 0; i < 5; i++) {
    const more = queue.more({ ...counted } as unknown as typeof signal);
    queue.push(warning("hot"));
    await more;
    queue.shift();
  }
  assertEquals(listeners, 0);
});
