import { isCount } from "../../base/check_number.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { Batch } from "../../batch/batch.ts";
import type { RunFrame } from "../../batch/resident/run_frame.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import { compareFiles, noteResumedFile } from "../checkpoints/resumed_files.ts";
import { checkEarlierRun, expectFrames } from "./earlier_run.ts";
import { checkSink } from "./frame.ts";
import { assertSameSystem, FrameMark, markIn, type SystemMark } from "./system_mark.ts";

/** State of the sink of a hook in a checkpoint. */
interface SavedSink {
  readonly length: number;
  readonly last?: SystemMark;
}

/**
 * Base class of hooks that write systems to a sink. Subclass it to decide what is written, and when.
 *
 * The content of the sink follows the run: if a run resumes from a checkpoint, the systems written after that
 * checkpoint are removed from the sink, and are written again. A sink that has fewer systems than at the checkpoint,
 * or systems of another run, is refused with a RangeError, and no file of the run is changed. If writing fails, the
 * run stops. The sink stays open when the run ends.
 *
 * @example
 * ```ts
 * import { Batch, fcc } from "@hooke/hooke/batch";
 * import { type DynamicsContext, DynamicsStage, NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { SinkHook } from "@hooke/hooke/observe";
 * import { MemorySink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * // Keeps the first system of a batch alone.
 * class FirstSystemHook extends SinkHook {
 *   readonly stage = DynamicsStage.AFTER_STEP;
 *   readonly frequency = 10;
 *   async call({ batch }: DynamicsContext) {
 *     await this.write(await batch.snapshot([0]));
 *   }
 * }
 *
 * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
 * const sink = new MemorySink();
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [new FirstSystemHook("FirstSystemHook", { sink })],
 * });
 * await md.run(Batch.from([crystal, crystal]), 21);
 * assertEquals(sink.length, 3);
 * ```
 */
export class SinkHook {
  /** Ends the run if writing fails. */
  readonly onError = "throw";
  /**
   * True if each run needs a separate file. Frames of an earlier run in the same file then cause a warning or an
   * error; see {@linkcode SnapshotHook}.
   */
  protected readonly isForOneRun: boolean = false;
  readonly #name: string;
  readonly #sink: SystemWriter;
  #isKnown = false;
  /** Number of systems to keep when the sink is truncated; `undefined` if it need not be truncated. */
  #truncateAt: number | undefined;
  /** Last system that was written, or its mark from a checkpoint; `undefined` before the first write. */
  #last: Batch | FrameMark | SystemMark | undefined;
  readonly #frameMark = new FrameMark();
  /** Error of a flush before a checkpoint, which the next write throws again. */
  #failure: { readonly error: unknown } | undefined;

  /**
   * Creates the hook; nothing is written yet.
   *
   * @param name name of the hook in errors
   * @throws {TypeError} if `options.sink` is not a sink
   */
  constructor(name: string, options: { readonly sink: SystemWriter }) {
    checkSink(name, options);
    this.#name = name;
    this.#sink = options.sink;
    noteResumedFile(this, (state = this.#saved()) => this.#compare(state));
  }

  /**
   * Opens the sink, and removes the systems that were written after the loaded checkpoint. Throws a RangeError if the
   * sink has fewer systems than at that checkpoint, or systems of another run. Called by the engine.
   */
  async open(engine?: Workflow): Promise<void> {
    if (this.#sink.length === undefined) return; // a sink of unknown length cannot be truncated
    if (this.#truncateAt !== undefined) await compareFiles(engine, this);
    await this.#sink.open?.();
    const isNew = this.#truncateAt === undefined && this.isForOneRun;
    await this.#truncate();
    if (isNew && engine !== undefined) await checkEarlierRun(engine, this.#sink);
    this.#isKnown = true;
  }

  /** Waits until the sink has all systems. Called by the engine. */
  async close(): Promise<void> {
    await this.#sink.flush?.();
    this.#check();
  }

  /**
   * Returns the number of systems in the sink and a mark of the last one for a checkpoint; `undefined` if the number
   * is unknown or the sink cannot be truncated. Called by the engine.
   */
  save(): { readonly length: number; readonly last?: SystemMark } | undefined {
    if (this.#truncateAt !== undefined) return this.#saved();
    const { length } = this.#sink;
    const canGoBack = this.#isKnown && this.#sink.truncate !== undefined;
    return canGoBack && length !== undefined ? this.#stateOf(length) : undefined;
  }

  /** Returns the loaded state; `undefined` once the sink has been truncated to it. */
  #saved(): SavedSink | undefined {
    return this.#truncateAt === undefined ? undefined : this.#stateOf(this.#truncateAt);
  }

  #stateOf(length: number): SavedSink {
    const last = markIn(this.#last);
    return { length, ...last === undefined || length === 0 ? {} : { last } };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the engine. */
  load(state: unknown): void {
    const { length, last } = this.#checked(state);
    this.#truncateAt = length;
    this.#last = last;
  }

  /**
   * Waits until the sink has all systems, so that a checkpoint may count them. If a flush fails, the next write
   * throws its error, too.
   */
  async flush(): Promise<void> {
    try {
      await this.#sink.flush?.();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /**
   * Writes systems to the sink. After a checkpoint was loaded, the first write removes the systems that were written
   * after the checkpoint. Throws errors of earlier writes.
   */
  protected async write(frame: Batch): Promise<void> {
    this.#check();
    await this.#truncate();
    await this.#sink.write(frame);
    expectFrames(this.#sink);
    this.#last = frame;
  }

  /**
   * Writes a frame to the sink directly from the engine. Returns `false` if that is not possible now; call `write` with
   * a copy of the batch then. Throws errors of earlier writes.
   */
  protected writeFrame(frame: RunFrame): false | void | PromiseLike<void> {
    this.#check();
    if (this.#truncateAt !== undefined || this.#sink.writeFrame === undefined) return false;
    const written = this.#sink.writeFrame(frame);
    if (written === false) return false;
    expectFrames(this.#sink);
    this.#frameMark.move(frame);
    this.#last = this.#frameMark;
    return written;
  }

  #checked(state: unknown): SavedSink {
    if (isObject(state) && isCount(state.length)) return state as unknown as SavedSink;
    const requirement = "its state must be a result of save()";
    throw new TypeError(complaint(`load ${this.#name}`, requirement, state));
  }

  /**
   * Throws a RangeError if the sink has fewer systems than a state counts, or systems of another run. Changes
   * nothing.
   */
  async #compare(state: unknown): Promise<void> {
    if (state === undefined || this.#sink.length === undefined) return;
    await this.#sink.open?.();
    await assertSameSystem(this.#name, this.#sink, this.#checked(state));
  }

  async #truncate(): Promise<void> {
    const wantedLength = this.#truncateAt;
    if (wantedLength === undefined) return;
    // Compared before truncating: the file of another run must stay as it is.
    await this.#compare(this.#saved());
    await this.#sink.truncate?.(wantedLength);
    this.#truncateAt = undefined;
  }

  #check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
