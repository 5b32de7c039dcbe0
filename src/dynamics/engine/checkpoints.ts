/**
 * Saving and loading of the state of an engine.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { EngineStreams } from "../streaming/engine_streams.ts";
import type { SavedDynamics } from "./checkpoint.ts";
import type { DynamicsEngine } from "./dynamics_engine.ts";

// Loaded when it is first used, because most runs write no checkpoints.
const loadFiles = () => import("./checkpoint_files.ts");

/** The streams of one engine. Their code is loaded with the first of them, because most runs do not stream. */
export class StreamsOnDemand {
  readonly #engine: DynamicsEngine;
  /** The streams; `undefined` until `open` was called. */
  current: EngineStreams | undefined;

  constructor(engine: DynamicsEngine) {
    this.#engine = engine;
  }

  /** Returns the streams. */
  async open(): Promise<EngineStreams> {
    const { EngineStreams } = await import("../streaming/engine_streams.ts");
    return this.current ??= new EngineStreams(this.#engine);
  }
}

/** Saves and loads the state of one engine. */
export class Checkpoints {
  readonly #engine: DynamicsEngine;
  readonly #streams: StreamsOnDemand;
  /** True while the current run waits between two steps. */
  #isBetween = false;
  /** The batch that `load` has returned, until the next run begins. */
  #loaded: Batch | undefined;

  constructor(engine: DynamicsEngine, streams: StreamsOnDemand) {
    this.#engine = engine;
    this.#streams = streams;
  }

  /** Returns the state of the engine. See `Dynamics.save`. */
  async save(): Promise<SavedDynamics> {
    const isBetween = this.#isBetween, { save, saveHeld } = await loadFiles();
    return await (isBetween ? saveHeld : save)(this.#engine, this.#streams);
  }

  /** Runs `work` between two steps. See `Dynamics.betweenSteps`. */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return this.#engine.loop.betweenSteps(async () => {
      this.#isBetween = this.#engine.held.isHeld;
      try {
        return await work();
      } finally {
        this.#isBetween = false;
      }
    });
  }

  /** Restores a state, and returns its batch. Throws a TypeError if the state belongs to another integrator. */
  async load(saved: SavedDynamics): Promise<Batch> {
    const { restore } = await loadFiles();
    return this.#loaded = await restore(this.#engine, this.#streams, saved);
  }

  /** Warns if a checkpoint was loaded, and the next run uses another batch than the one that was returned. */
  begins(batch: Batch): void {
    const loaded = this.#loaded, { loop } = this.#engine;
    this.#loaded = undefined;
    if (loaded === undefined || loaded === batch) return;
    const text =
      `The run does not continue from the checkpoint of step ${loop.stepCount}: its batch is not the one that was ` +
      "loaded with it. Run the batch that loadCheckpoint, loadLatest or load returns";
    loop.warnings.warn("checkpoint", "run", new Error(text));
  }

  /** Writes an encoded state to a file. See `Dynamics.saveCheckpoint`. */
  async write(path: string | URL, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await (await loadFiles()).write(this.#engine, path, bytes);
  }

  /** Encodes a state as the bytes of a checkpoint file. */
  async encode(data: SavedDynamics): Promise<Uint8Array<ArrayBuffer>> {
    return (await loadFiles()).encode(this.#engine, data);
  }

  /** Reads a state from a checkpoint file. See `Dynamics.loadCheckpoint`. */
  async read(path: string | URL): Promise<SavedDynamics> {
    return await (await loadFiles()).read(this.#engine, path);
  }

  /** Loads the newest readable checkpoint in a folder. See `Dynamics.loadLatest`. */
  async loadLatest(
    folder: string | URL,
    load: (path: string) => Promise<Batch>,
  ): Promise<Batch | undefined> {
    return await (await loadFiles()).loadNewest(this.#engine, folder, load);
  }
}
