import { assert, assertEquals } from "@std/assert";
import type { ChromeTrace, CompleteEvent, MetadataEvent } from "@hooke/hooke/observe";

/** One track of a trace as a viewer shows it: its name and its slices in order of time. */
export interface ShownTrack {
  process: string;
  thread: string;
  slices: { name: string; ts: number; dur: number; depth: number }[];
}

const KEYS = {
  X: ["args", "cat", "dur", "name", "ph", "pid", "tid", "ts"],
  M: ["args", "name", "ph", "pid", "tid"],
};

/**
 * Reads the text of a trace as strictly as the Trace Event Format and Perfetto's importer allow: an object with
 * `traceEvents`; each event with exactly its members, ids that are whole numbers, times that are whole nanoseconds,
 * no negative duration; every process and thread named, once; the slices of a track nested or apart, never
 * overlapping in part (Perfetto drops those).
 */
export function readTrace(text: string): ShownTrack[] {
  const trace: ChromeTrace = JSON.parse(text);
  assertEquals(Object.keys(trace), ["traceEvents", "displayTimeUnit", "otherData"]);
  assertEquals(trace.displayTimeUnit, "ms");
  const names = new Map<string, string>();
  const tracks = new Map<string, CompleteEvent[]>();
  for (const event of trace.traceEvents) {
    assertEquals(Object.keys(event).toSorted(), KEYS[event.ph]);
    assert(Number.isInteger(event.pid) && Number.isInteger(event.tid), "ids are whole numbers");
    if (event.ph === "M") readName(event, names);
    else {
      assertTimes(event);
      const key = `${event.pid}/${event.tid}`;
      tracks.set(key, [...tracks.get(key) ?? [], event]);
    }
  }
  return [...tracks].map(([key, events]) => ({
    process: found(names, `process ${key.split("/")[0]}`),
    thread: found(names, `thread ${key}`),
    slices: nest(events),
  }));
}

function readName({ name, pid, tid, args }: MetadataEvent, names: Map<string, string>): void {
  assert(name === "process_name" || name === "thread_name", name);
  assert(typeof args.name === "string" && args.name !== "");
  const key = name === "process_name" ? `process ${pid}` : `thread ${pid}/${tid}`;
  assert(!names.has(key), `${key} is named twice`);
  names.set(key, args.name);
}

function found(names: ReadonlyMap<string, string>, key: string): string {
  const name = names.get(key);
  assert(name !== undefined, `${key} has no name`);
  return name;
}

function assertTimes({ ts, dur, name, cat, args }: CompleteEvent): void {
  assert(Number.isFinite(ts) && Number.isFinite(dur) && dur >= 0, `${ts} + ${dur}`);
  for (const us of [ts, dur]) {
    assert(Math.abs(us * 1000 - Math.round(us * 1000)) < 1e-3, `${us} µs`);
  }
  assert(typeof name === "string" && name.includes("→") && cat !== "");
  assert(Number.isInteger(args.step));
}

function nest(events: readonly CompleteEvent[]): ShownTrack["slices"] {
  const ns = (us: number) => Math.round(us * 1000);
  const sorted = events.toSorted((a, b) => a.ts - b.ts || b.dur - a.dur);
  const open: number[] = [];
  return sorted.map(({ name, ts, dur }) => {
    while (open.length > 0 && open.at(-1)! <= ns(ts)) open.pop();
    const end = ns(ts) + ns(dur);
    assert(open.every((other) => end <= other), `${name} at ${ts} sticks out of what it is in`);
    open.push(end);
    return { name, ts, dur, depth: open.length - 1 };
  });
}
