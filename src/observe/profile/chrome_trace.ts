/**
 * Conversion of profiles to the Trace Event Format, which Perfetto and chrome://tracing open. See
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
 *
 * @module
 */

import type { TraceBuffer } from "./trace_buffer.ts";
import type { Track, Transition } from "./transition.ts";

/** Event with the begin and the length of a transition. */
export interface CompleteEvent {
  /** Label of the transition, `PREV→NEXT`. */
  readonly name: string;
  /** Domain of the transition. */
  readonly cat: string;
  /** Type of the event: complete, with begin and length. */
  readonly ph: "X";
  /** Begin in µs of the profiler's clock. */
  readonly ts: number;
  /** Length in µs. */
  readonly dur: number;
  /** Number of the engine. */
  readonly pid: number;
  /** Number of the track: one domain of one engine. */
  readonly tid: number;
  /** Details that viewers show. */
  readonly args: {
    /** Step in which the transition ended. */
    readonly step: number;
  };
}

/** Event that names an engine or a track. */
export interface MetadataEvent {
  /** `"process_name"` for the name of an engine, `"thread_name"` for the name of a track. */
  readonly name: "process_name" | "thread_name";
  /** Type of the event: metadata. */
  readonly ph: "M";
  /** Number of the engine. */
  readonly pid: number;
  /** Number of the track. */
  readonly tid: number;
  /** Arguments of the event. */
  readonly args: {
    /** Name of the engine, or of the domain. */
    readonly name: string;
  };
}

/** A trace, which `JSON.stringify` turns into the text of a file. */
export interface ChromeTrace {
  /** Names first, then durations from the oldest to the newest. */
  readonly traceEvents: readonly (CompleteEvent | MetadataEvent)[];
  /** Unit that viewers show. */
  readonly displayTimeUnit: "ms";
  /** Information on the whole trace, which viewers show. */
  readonly otherData: {
    /** Program that wrote the trace. */
    readonly source: "@hooke/hooke";
    /** Number of transitions that were dropped because the buffer was full. */
    readonly dropped: number;
  };
}

/** Returns the trace of the transitions in the buffer. */
export function chromeTrace(
  buffer: TraceBuffer,
  { tracks, transitions }: { tracks: readonly Track[]; transitions: readonly Transition[] },
): ChromeTrace {
  const durations = buffer.map((index, start, end, step): CompleteEvent => {
    const { label, track: { domain, pid, tid } } = transitions[index]!;
    // Times are rounded to whole nanoseconds, so that each duration ends exactly where the next begins, and durations
    // never overlap.
    const [from, to] = [Math.round(start * 1e6), Math.round(end * 1e6)];
    const times = { ts: from / 1000, dur: (to - from) / 1000 };
    return { name: label, cat: domain, ph: "X", ...times, pid, tid, args: { step } };
  });
  return {
    traceEvents: [...names(tracks), ...durations],
    displayTimeUnit: "ms",
    otherData: { source: "@hooke/hooke", dropped: buffer.dropped },
  };
}

function names(tracks: readonly Track[]): MetadataEvent[] {
  const engines = new Map(tracks.map((track) => [track.pid, track]));
  return [
    ...[...engines.values()].map(({ engine, pid, tid }) =>
      ({ name: "process_name", ph: "M", pid, tid, args: { name: engine } }) as const
    ),
    ...tracks.map(({ domain, pid, tid }) =>
      ({ name: "thread_name", ph: "M", pid, tid, args: { name: domain } }) as const
    ),
  ];
}
