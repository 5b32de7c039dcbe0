/**
 * Streams of an engine. An engine has one stream at a time.
 *
 * @module
 */

import { markChanging } from "../../batch/changing.ts";
import type { DynamicsEngine } from "../engine/dynamics_engine.ts";
import { Graduates } from "./graduates.ts";
import type { StreamSampler } from "./sampler.ts";
import type { SavedStream } from "./saved_stream.ts";
import { Stream } from "./stream.ts";
import type { StreamEngine } from "./stream_batch.ts";
import { missingExit } from "./stream_exit.ts";
import { checkStream, type StreamOptions, type StreamSummary } from "./stream_options.ts";

const NO_STREAM: StreamSummary = {
  systems: 0,
  graduated: 0,
  converged: 0,
  failures: [],
  steps: 0,
  refills: 0,
  filling: NaN,
  isDone: true,
};

/** Begins, resumes and saves the streams of one engine. */
export class EngineStreams {
  readonly #engine: DynamicsEngine;
  /** The current stream, or the last one, which the next call may continue. */
  #last: Stream | undefined;
  /** The stream in a loaded checkpoint, which the next call continues. */
  #loaded: SavedStream | undefined;
  /** Summary of a stream whose source has no systems. */
  readonly none: StreamSummary = NO_STREAM;
  /** The stream that was resumed from a checkpoint, until its first step. */
  #resumed: Stream | undefined;

  constructor(engine: DynamicsEngine) {
    this.#engine = engine;
  }

  /** Throws a TypeError or RangeError if an option is invalid, or the device does not support it. */
  check(sampler: StreamSampler, options: StreamOptions): void {
    const { name, device } = this.#engine;
    checkStream(name, sampler, options, missingExit(this.#engine));
    if (options.onDiverged === "drop" && !device.isHost) {
      throw new RangeError(
        `Cannot stream through ${name}: onDiverged must be "throw" on a GPU and on threads, which report diverged ` +
          `systems too late to drop them; got "drop"`,
      );
    }
  }

  /**
   * Returns a stream that is ready to run: the one in a loaded checkpoint, the last one if it has the same sampler
   * and is not done, or a new one. Returns `undefined` if the source is empty.
   */
  async open(sampler: StreamSampler, options: StreamOptions): Promise<Stream | undefined> {
    const { name, place: { run } } = this.#engine;
    const sinks = new Graduates(name, options.sinks);
    await sinks.open();
    const saved = this.#loaded, last = this.#last, engine = this.#streamEngine();
    let stream: Stream | undefined;
    if (saved !== undefined && run !== undefined) {
      await sinks.goBack(saved.lengths);
      stream = Stream.resume(engine, sampler, sinks, { batch: run.state.batch, saved });
      this.#loaded = undefined;
      this.#resumed = stream;
    } else if (last?.sampler === sampler && !last.isDone) {
      this.#assertPresent(last);
      stream = last;
    } else {
      this.#assertBegun();
      stream = await Stream.begin(engine, sampler, sinks, options);
    }
    if (stream === undefined) return undefined;
    stream.configure(sinks, options);
    markChanging(stream.batch);
    if (this.#resumed?.isDone) await this.#endResumed(sinks);
    return stream;
  }

  /**
   * Truncates the sinks of a resumed stream that is already done. It does not run, so nothing else would truncate
   * them.
   */
  async #endResumed(sinks: Graduates): Promise<void> {
    await sinks.flush();
    this.#resumed = undefined;
  }

  /**
   * Throws an Error if a resumed stream was rejected before its first step, because a new stream would write its
   * systems a second time.
   */
  #assertBegun(): void {
    if (this.#resumed === undefined) return;
    throw new Error(
      `Cannot begin a stream of ${this.#engine.name}: the stream of the loaded checkpoint ended with an error before its first step. ` +
        "Load the checkpoint again, or continue with the sampler of that stream",
    );
  }

  /** Throws an Error if the engine has run another batch since the stream last ran. */
  #assertPresent({ batch }: Stream): void {
    const { name, place: { run } } = this.#engine;
    if (run?.state.matches(batch)) return;
    throw new Error(
      `Cannot continue the stream of ${name}: another batch was run in between, or the engine was closed. ` +
        "Load a checkpoint of the stream",
    );
  }

  #streamEngine(): StreamEngine {
    const { name, loop, place, held, device } = this.#engine;
    return {
      name,
      loop,
      place,
      changing: (home, work) => held.lend(home, work),
      isLost: (error) => device.lossIn(error) !== undefined,
    };
  }

  /** Runs `work` with a stream, which admits and removes systems. */
  async during(stream: Stream, work: () => Promise<void>): Promise<void> {
    const { loop, running } = this.#engine, { context, stepCount: before } = loop;
    running.stream = this.#last = stream;
    Object.assign(context, { stream: stream.progress });
    try {
      await work();
      this.#resumed = undefined;
    } finally {
      if (loop.stepCount > before) this.#resumed = undefined;
      running.stream = undefined;
      Object.assign(context, { stream: undefined });
    }
  }

  /** Returns the state of the stream for a checkpoint, or an empty object if the batch belongs to no stream. */
  async save(): Promise<{ readonly stream?: SavedStream }> {
    const { run } = this.#engine.place, stream = this.#last;
    if (stream === undefined || !run?.state.matches(stream.batch)) return {};
    return { stream: await stream.save() };
  }

  /** Records the stream of a loaded checkpoint. `saved` is `undefined` if the checkpoint has no stream. */
  load(saved: SavedStream | undefined): void {
    this.#loaded = saved;
    this.#last = this.#resumed = undefined;
  }
}
