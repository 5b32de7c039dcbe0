import { isCount } from "../../base/check_number.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { Batch } from "../../batch/batch.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import { checkSink } from "./frame.ts";
import { assertSameSystem, markIn, type SystemMark } from "./system_mark.ts";

/**
 * The part that all hooks share which write systems to a sink. Subclass it to decide what is written, and when.
 *
 * The sink goes on with the run: if a run resumes from a checkpoint, the systems written after that checkpoint are
 * removed from the sink, and are written again. A sink that holds fewer systems than at the checkpoint, or those of
 * another run, is refused with a RangeError and stays as it is. If writing fails, the run stops. The sink stays open
 * when the run ends.
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
  /** A failure to write stops the run. */
  readonly onError = "throw";
  readonly #name: string;
  readonly #sink: SystemWriter;
  #isKnown = false;
  /** The number of systems to leave before anything is written. */
  #cut: number | undefined;
  /** The last system of the sink, as far as it is known. */
  #last: Batch | SystemMark | undefined;
  /** The error of a flush that a checkpoint asked for. */
  #failure: { readonly error: unknown } | undefined;

  /**
   * Makes the hook. Nothing is written yet.
   *
   * @param name the name of the hook in errors
   * @throws {TypeError} if `options.sink` is not a sink
   */
  constructor(name: string, options: { readonly sink: SystemWriter }) {
    checkSink(name, options);
    this.#name = name;
    this.#sink = options.sink;
  }

  /**
   * Opens the sink, and removes what was written after the checkpoint that was loaded. Throws a RangeError if the sink
   * lacks systems that it held at that checkpoint, or holds those of another run. Called by the engine.
   */
  async open(): Promise<void> {
    if (this.#sink.length === undefined) return; // a sink that cannot say how much it holds cannot be cut back
    await this.#sink.open?.();
    await this.#cutBack();
    this.#isKnown = true;
  }

  /** Waits until the sink has all systems. Called by the engine. */
  async close(): Promise<void> {
    await this.#sink.flush?.();
    this.#check();
  }

  /**
   * Returns the number of systems in the sink, and a mark by which the last of them is known again, for checkpoints;
   * `undefined` if the number is unknown or the sink could not be cut back to it. Called by the engine.
   */
  save(): { readonly length: number; readonly last?: SystemMark } | undefined {
    const { length } = this.#cut === undefined ? this.#sink : { length: this.#cut };
    const canGoBack = this.#cut !== undefined || this.#isKnown && this.#sink.truncate !== undefined;
    if (!canGoBack || length === undefined) return undefined;
    const last = markIn(this.#last);
    return { length, ...last === undefined || length === 0 ? {} : { last } };
  }

  /** Continues from what `save` returned. Throws a TypeError for anything else. Called by the engine. */
  load(state: unknown): void {
    const length = isObject(state) ? state.length : undefined;
    if (!isCount(length)) {
      const requirement = "its state must be what save() gave";
      throw new TypeError(complaint(`load ${this.#name}`, requirement, state));
    }
    this.#cut = length;
    this.#last = isObject(state) ? state.last as SystemMark | undefined : undefined;
  }

  /** Waits until the sink has all systems, so that a checkpoint may count them. If it fails, the next write throws too. */
  async flush(): Promise<void> {
    try {
      await this.#sink.flush?.();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /** Writes systems to the sink. Throws what went wrong with earlier ones. */
  protected async write(frame: Batch): Promise<void> {
    this.#check();
    await this.#cutBack();
    await this.#sink.write(frame);
    this.#last = frame;
  }

  async #cutBack(): Promise<void> {
    const cut = this.#cut;
    if (cut === undefined) return;
    await assertSameSystem(this.#name, this.#sink, { length: cut, last: markIn(this.#last) });
    await this.#sink.truncate?.(cut);
    this.#cut = undefined;
  }

  #check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
