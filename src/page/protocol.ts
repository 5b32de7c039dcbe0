/**
 * Messages between the page and what it shows: a run folder, a running engine, or a worker in the same tab.
 *
 * The page reads events as lines of JSON, and structures as binary frames. It sends commands as JSON. All three sources
 * use the same messages, so that the page has one way to show a run.
 *
 * @module
 */

/** Kinds of runs, which decide the panels of the page. */
export type RunKind = "md" | "relax" | "screen" | "train" | "run";

/** Progress of a run. `interrupted` runs can be resumed; `warned` runs are completed, but their results are doubtful. */
export type RunState = "running" | "paused" | "completed" | "warned" | "interrupted" | "failed";

/** Summary of a run. */
export interface RunInfo {
  /** Identifies the run in addresses: the path of its folder below the served one, percent-encoded. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  readonly kind: RunKind;
  readonly state: RunState;
  /** Steps done; in the folder of a screening the number of structures. */
  readonly step: number;
  /** Steps in all, if they are known. */
  readonly steps?: number;
  /** Time step, fs, for runs of dynamics. */
  readonly dt?: number;
  /** True if commands change the run: the server is in its process. */
  readonly isControllable: boolean;
  /** Number of systems of the batch. */
  readonly systems: number;
  /** Resolved configuration. */
  readonly config?: unknown;
  /** Files that the page offers for download: paths below the run folder. Files that are made on demand have no size. */
  readonly files: readonly { readonly path: string; readonly bytes?: number }[];
}

/** A hook of a run. */
export interface HookRow {
  readonly name: string;
  /** Stages that it is bound to. */
  readonly stages: readonly string[];
  /** Interval of its calls, steps, if it has one. */
  readonly frequency?: number;
  readonly isEnabled: boolean;
  /** Time spent in it, ms, if the run is profiled. */
  readonly milliseconds?: number;
}

/** Time from one stage of a step to the next. */
export interface TimingRow {
  readonly from: string;
  readonly to: string;
  /** Number of measurements. */
  readonly count: number;
  /** Mean time, ms. */
  readonly milliseconds: number;
}

/** A structure of a screening. */
export interface StructureRow {
  /** File and frame. */
  readonly name: string;
  readonly status: "converged" | "not converged" | "failed";
  /** Reason, if it failed. */
  readonly reason?: string;
  readonly step?: number;
  /** Energy, eV. */
  readonly energy?: number;
  /** Largest force, eV/Å. */
  readonly fmax?: number;
  readonly atoms?: number;
  /** Index of its frame, if there is one. */
  readonly frame?: number;
}

/** An event of a run. Events that repeat replace the one before, except `scalars`, `warning` and `structures`. */
export type RunEvent =
  | { readonly type: "info"; readonly run: RunInfo }
  /**
   * Rows of scalars: `rows[i][0]` is the number of steps done; missing values are null. A row whose step is not above
   * that of the row before replaces the rows of the same names from its step on: a run was resumed, or a row completed.
   */
  | {
    readonly type: "scalars";
    readonly names: readonly string[];
    readonly rows: readonly (readonly (number | null)[])[];
  }
  /** Curves that are replaced as they form, such as the radial distribution function: x and y of each. */
  | {
    readonly type: "curve";
    readonly name: string;
    readonly x: { readonly label: string; readonly values: readonly number[] };
    readonly y: { readonly label: string; readonly values: readonly (number | null)[] };
  }
  | { readonly type: "hooks"; readonly hooks: readonly HookRow[] }
  | { readonly type: "structures"; readonly rows: readonly StructureRow[] }
  /** Times of the parts of a step, if the run is profiled. */
  | { readonly type: "timings"; readonly rows: readonly TimingRow[] }
  | { readonly type: "warning"; readonly message: string; readonly step?: number }
  /** A command that was carried out, for the log of the page. */
  | { readonly type: "command"; readonly command: RunCommand; readonly step: number }
  /** Frames of the trajectory that can be read; `live` is the step of the newest frame, which need not be in a file. */
  | { readonly type: "frames"; readonly count: number; readonly live?: number }
  /** The stream was behind and was cut: read the run again from its start. */
  | { readonly type: "behind" };

/** A command to a run. */
export type RunCommand =
  | { readonly action: "stop" | "pause" | "resume" }
  | { readonly action: "hook"; readonly name: string; readonly enabled: boolean };

/** A structure to show. Arrays belong to the receiver. */
export interface ViewerFrame {
  /** Number of steps done. */
  readonly step?: number;
  /** Name of the structure. */
  readonly label?: string;
  /** Atomic numbers, `n`. */
  readonly numbers: Uint8Array;
  /** Positions in Å, `3 n`. */
  readonly positions: Float32Array;
  /** Rows of the cell, Å: 9 numbers. Absent without a cell. */
  readonly cell?: Float32Array;
  /** Periodic directions. */
  readonly pbc?: readonly [boolean, boolean, boolean];
  /** Values per atom by name, `n` or `3 n`: forces, velocities, charges or the field of a hook. */
  readonly fields?: Readonly<Record<string, Float32Array>>;
  /** Names of fields that the source has and this frame lacks, because they were not asked for. */
  readonly further?: readonly string[];
}

/** Frames in order: a trajectory, a screening's structures, or a run that grows. */
export interface FrameSource {
  /** Number of frames. It may grow. */
  readonly length: number;
  /** Reads a frame. Rejects with a RangeError if there is none. */
  frame(index: number, signal?: AbortSignal): Promise<ViewerFrame>;
}

/** A run that the page shows: a folder, an engine or a worker. */
export interface RunSource extends FrameSource {
  /** Yields all events from the beginning of the run, then new ones as they come, until the signal aborts. */
  events(signal: AbortSignal): AsyncIterable<RunEvent>;
  /**
   * Newest frame of a system of the batch, by default the first, which need not be in the trajectory; undefined if
   * there is none yet. Sources may leave out fields that are not in `fields`, by default none.
   */
  live(
    signal?: AbortSignal,
    system?: number,
    fields?: readonly string[],
  ): Promise<ViewerFrame | undefined>;
  /** Sends a command. Rejects if the run is not controllable. */
  command(command: RunCommand): Promise<void>;
  /** Reads a file of the run. */
  file(path: string, signal?: AbortSignal): Promise<Blob>;
}
