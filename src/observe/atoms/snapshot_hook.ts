import { type DynamicsContext, DynamicsStage } from "../../dynamics/stages.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import type { RunFrame } from "../../batch/resident/run_frame.ts";
import { frameAt, framedOf, frameOf, runFrame } from "./frame.ts";
import { checkFields } from "./frame_fields.ts";
import { SinkHook } from "./sink_hook.ts";
import {
  checkOptions,
  checkStage,
  checkType,
  type HookTimes,
  TIMES,
  timesOf,
} from "../any/hook_options.ts";

/** Options of {@linkcode SnapshotHook}. */
export interface SnapshotHookOptions extends HookTimes {
  /** Sink that receives the snapshots. */
  readonly sink: SystemWriter;
  /**
   * Fields to keep besides those that every batch has. Without `energy` and `stress`, steps are faster, because these
   * need not be computed for the snapshot. An unknown name is an error at the first snapshot: a custom field must be
   * in the batch.
   *
   * @default all fields
   */
  readonly fields?: readonly string[];
  /**
   * Stage at which snapshots are taken.
   *
   * @default DynamicsStage.AFTER_STEP
   */
  readonly stage?: DynamicsStage;
}

const NAME = "SnapshotHook";

/**
 * Writes a copy of the whole batch to a sink every `frequency` steps: a trajectory. A frame has the fields of the
 * batch as they are at that moment, and `step`, `time` (fs, NaN if steps take no time) and `sourceId`. A sink that
 * keeps many frames as one batch gives each system a new `systemId`; `sourceId` is the one that the system has in the
 * run.
 *
 * A run that resumes from a checkpoint removes the frames that were written after the checkpoint, and writes them
 * again: no frame is lost or duplicated. Use one sink for one run: if a run begins at step 0, and its sink is a file
 * with frames of an earlier run, the engine warns. With a `CheckpointHook`, the run is refused with a RangeError
 * instead. A process may add several runs to one sink that it keeps open.
 *
 * An error while writing, including a full sink, stops the run, unless the hook is added with another `onError`. The
 * sink stays open when the run ends.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { SnapshotHook } from "@hooke/hooke/observe";
 * import { MemorySink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const sink = new MemorySink();
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [new SnapshotHook({ sink, frequency: 50 })],
 * });
 * await md.run(batch, 101);
 * const frames = sink.read();
 * assertEquals([...frames.get("step")], [0, 50, 100]);
 * assertEquals([...frames.get("time")], [2, 102, 202]);
 * ```
 */
export class SnapshotHook extends SinkHook {
  /** Stage at which snapshots are taken. */
  readonly stage: DynamicsStage;
  /** Number of steps between two snapshots. */
  readonly frequency: number;
  /** Fields that the engine must update before the hook is called. */
  readonly reads: readonly ("energy" | "time" | "frame")[];
  /** True: frames of an earlier run in the same file cause a warning, or an error with a `CheckpointHook`. */
  protected override readonly isForOneRun: boolean = true;
  readonly #fields: readonly string[] | undefined;
  readonly #frame: RunFrame;

  /** Creates the hook; nothing is written yet. */
  constructor(options: SnapshotHookOptions) {
    checkOptions(NAME, options, ["sink", "fields", "stage", ...TIMES]);
    const areNames = (x: unknown) =>
      Array.isArray(x) && x.every((name) => typeof name === "string");
    checkType(NAME, options, "fields", "a list of names", areNames);
    super(NAME, options);
    checkStage(NAME, options);
    this.frequency = 1;
    Object.assign(this, timesOf(NAME, options));
    this.stage = options.stage ?? DynamicsStage.AFTER_STEP;
    this.#fields = options.fields;
    this.reads = framedOf(options.fields);
    this.#frame = runFrame(options.fields);
  }

  /** Writes a snapshot. Called by the engine. */
  call(ctx: DynamicsContext): void | PromiseLike<void> {
    if (this.#fields !== undefined) checkFields(NAME, ctx, this.#fields);
    const now = frameAt(ctx, this.#frame), written = now !== undefined && this.writeFrame(now);
    return written === false ? this.#writeCopy(ctx) : written;
  }

  async #writeCopy(ctx: DynamicsContext): Promise<void> {
    await this.write(await frameOf(ctx, undefined, this.#fields));
  }
}
