import { wholeFrom } from "../../base/check_number.ts";
import type { DynamicsContext } from "../../dynamics/stages.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import type { FinishedHook } from "../../hooks/protocol/table.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import { checkNumber, checkOptions, checkType } from "../any/hook_options.ts";
import type { RunFrame } from "../../batch/resident/run_frame.ts";
import { frameAt, type FrameContext, framedOf, frameOf, runFrame } from "./frame.ts";
import { checkFields } from "./frame_fields.ts";
import { SinkHook } from "./sink_hook.ts";
import { stepTimes } from "./step_times.ts";

/** Options of {@linkcode TrajectoryHook}. */
export interface TrajectoryHookOptions {
  /** Sink that receives the frames. */
  readonly sink: SystemWriter;
  /**
   * Number of steps between two frames.
   *
   * @default 100
   */
  readonly every?: number;
  /**
   * Fields to keep besides those that every batch has. An unknown name is an error at the first frame.
   *
   * @default all fields
   */
  readonly fields?: readonly string[];
  /**
   * Name of the hook.
   *
   * @default "trajectory"
   */
  readonly name?: string;
}

const NAME = "TrajectoryHook";

/**
 * Writes the trajectory of a run to a sink: the initial structures, and the structures after every `every` steps. In
 * the fields of a frame, `step` is the number of steps done and `time` the elapsed time (fs), so both are 0 in the
 * first frame. Use {@linkcode SnapshotHook} to take snapshots at any stage.
 *
 * A run that resumes from a checkpoint removes the frames that were written after the checkpoint, and writes them
 * again: no frame is lost or duplicated. Use one sink for one run.
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
 * import { TrajectoryHook } from "@hooke/hooke/observe";
 * import { MemorySink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const sink = new MemorySink();
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [new TrajectoryHook({ sink, every: 50 })],
 * });
 * await md.run(batch, 100);
 * const frames = sink.read();
 * assertEquals([...frames.get("step")], [0, 50, 100]);
 * assertEquals([...frames.get("time")], [0, 100, 200]);
 * ```
 */
export class TrajectoryHook extends SinkHook implements FinishedHook<string> {
  /** Name of the hook. */
  readonly name: string;
  /** Handlers by stage name. */
  readonly on: object;
  /** Number of steps between two frames. */
  readonly frequency: number;
  /** Phase of the schedule, `every` − 1: a frame is due when the number of finished steps is a multiple of `every`. */
  readonly phase: number;
  /** Schedule of the initial frame. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>>;
  /** Fields that the engine must update before the hook is called. */
  readonly reads: readonly ("energy" | "time" | "frame")[];
  /** True: frames of an earlier run in the same file cause a warning, or an error with a `CheckpointHook`. */
  protected override readonly isForOneRun: boolean = true;
  readonly #fields: readonly string[] | undefined;
  readonly #frame: RunFrame;

  /** Creates the hook; nothing is written yet. */
  constructor(options: TrajectoryHookOptions) {
    checkOptions(NAME, options, ["sink", "every", "fields", "name"]);
    const areNames = (x: unknown) => Array.isArray(x) && x.every((one) => typeof one === "string");
    checkType(NAME, options, "fields", "a list of names", areNames);
    checkType(NAME, options, "name", "a string", (x) => typeof x === "string" && x !== "");
    checkNumber(NAME, options, "every", wholeFrom(1));
    super(NAME, options);
    const { every = 100, fields, name = "trajectory" } = options;
    const { frequency, phase, stageTimes } = stepTimes(every);
    this.name = name;
    this.frequency = frequency;
    this.phase = phase;
    this.stageTimes = stageTimes;
    this.#fields = fields;
    this.#frame = runFrame(fields);
    this.reads = framedOf(fields);
    this.on = {
      dynamics: {
        BEFORE_STEP: (ctx: DynamicsContext) => this.#writeFrame(ctx.stepCount, ctx),
        AFTER_STEP: (ctx: DynamicsContext) => this.#writeFrame(ctx.stepCount + 1, ctx),
      },
    };
  }

  #writeFrame(stepCount: number, ctx: DynamicsContext): void | PromiseLike<void> {
    if (this.#fields !== undefined) checkFields(NAME, ctx, this.#fields);
    const { batch, read } = ctx, step = { batch, read, stepCount };
    const now = frameAt(step, this.#frame), written = now !== undefined && this.writeFrame(now);
    return written === false ? this.#writeCopy(step) : written;
  }

  async #writeCopy(step: FrameContext): Promise<void> {
    await this.write(await frameOf(step, undefined, this.#fields));
  }
}
