/**
 * The Trace Event Format, which Perfetto and chrome://tracing open.
 * See https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
 *
 * @module
 */

import type { TraceBuffer } from "./trace_buffer.ts";
import type { Track, Transition } from "./transition.ts";

/** A duration: begin and length in one event. */
export interface CompleteEvent {
  /** The transition, `PREV→NEXT`. */
  readonly name: string;
  /** The domain. */
  readonly cat: string;
  /** Complete. */
  readonly ph: "X";
  /** When it began, in µs of the profiler's clock. */
  readonly ts: number;
  /** How long it took, in µs. */
  readonly dur: number;
  /** The engine. */
  readonly pid: number;
  /** The track: one domain of one engine. */
  readonly tid: number;
  /** What is shown beside it. */
  readonly args: {
    /** The step in which it ended. */
    readonly step: number;
  };
}

/** The name of an engine or of a track. */
export interface MetadataEvent {
  /** Whose name. */
  readonly name: "process_name" | "thread_name";
  /** Metadata. */
  readonly ph: "M";
  /** The engine. */
  readonly pid: number;
  /** The track. */
  readonly tid: number;
  /** The value. */
  readonly args: {
    /** The engine's name, or the domain. */
    readonly name: string;
  };
}

/** A trace as `JSON.stringify` makes a file of it. */
export interface ChromeTrace {
  /** Names first, then durations, the oldest first. */
  readonly traceEvents: readonly (CompleteEvent | MetadataEvent)[];
  /** The unit that viewers show. */
  readonly displayTimeUnit: "ms";
  /** What viewers show as information on the whole. */
  readonly otherData: {
    /** Who wrote it. */
    readonly source: "@hooke/hooke";
    /** How many transitions had to make room for later ones. */
    readonly dropped: number;
  };
}

/** The trace of what is in the buffer. */
export function chromeTrace(
  buffer: TraceBuffer,
  { tracks, transitions }: { tracks: readonly Track[]; transitions: readonly Transition[] },
): ChromeTrace {
  const durations = buffer.map((index, start, end, step): CompleteEvent => {
    const { label, track: { domain, pid, tid } } = transitions[index]!;
    // Whole nanoseconds, so that the end of one is exactly the begin of the next and none overlap.
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
