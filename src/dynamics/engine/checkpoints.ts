/**
 * Saving and loading of the state of an engine.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { EngineStreams } from "../streaming/engine_streams.ts";
import { assertSaved, type SavedDynamics, SCHEMA } from "./checkpoint.ts";
import type { DynamicsEngine } from "./dynamics_engine.ts";

// These modules are loaded when they are first used, because most runs write no checkpoints.
const loadCheckpointing = () => import("../../checkpoint/mod.ts");
const loadOptions = () => import("./saved_options.ts");

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
    if (this.#isBetween) return await this.#saveHeld();
    const { loop, current } = this.#engine;
    return {
      ...await this.#integrator(),
      loop: loop.save(),
      ...await current.save(),
      ...await this.#streams.current?.save(),
    };
  }

  /**
   * Returns the state during a run. Its batch has the values that it would have if the run had ended after the last
   * step.
   */
  async #saveHeld(): Promise<SavedDynamics> {
    const { loop, current, held } = this.#engine;
    const { state, clock } = current;
    const saved = await this.#integrator();
    const kept = { ...saved, ...await current.snapshot(), ...await this.#streams.current?.save() };
    return held.lend(state.savedToHost(kept.resident), (batch) => {
      const copy = Batch.load(batch.save());
      clock.note(copy);
      return { loop: loop.save(), batch: copy.save(), ...kept };
    });
  }

  async #integrator(): Promise<Pick<SavedDynamics, "integrator" | "options">> {
    const { integrator } = this.#engine, { optionsOf } = await loadOptions();
    const options = optionsOf(integrator);
    return { integrator: integrator.name, ...options === undefined ? {} : { options } };
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
    const { name, integrator, place, loop } = this.#engine;
    assertSaved(name, integrator.name, saved);
    const batch = Batch.load(saved.batch);
    const streams = saved.stream === undefined ? this.#streams.current : await this.#streams.open();
    try {
      const run = await place.enter(batch);
      place.load(run, saved);
      loop.load(saved.loop);
      streams?.load(saved.stream);
      if (saved.stream !== undefined) {
        run.clock.carry(saved.stream.clock, Array.from({ length: batch.size }, (_, s) => s));
      }
    } catch (error) {
      place.leave();
      throw error;
    }
    const { changedOptions } = await loadOptions();
    const changed = changedOptions(integrator, saved.options);
    if (changed !== undefined) loop.warnings.warn("checkpoint", "load", changed);
    this.#loaded = batch;
    return batch;
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

  /**
   * Writes an encoded state to a file. First waits until hooks have flushed their files, because the state refers to
   * them.
   */
  async write(path: string | URL, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { writeWhole } = await loadCheckpointing();
    await this.#engine.loop.hooks.flush();
    await writeWhole(path, bytes, "checkpoint");
  }

  /** Encodes a state as the bytes of a checkpoint file. */
  async encode(data: SavedDynamics): Promise<Uint8Array<ArrayBuffer>> {
    const { encodeCheckpoint } = await loadCheckpointing();
    return encodeCheckpoint({ kind: this.#kind, schema: SCHEMA, data });
  }

  /** Reads a state from a checkpoint file, and checks the kind and the version of the checkpoint. */
  async read(path: string | URL): Promise<SavedDynamics> {
    const { readCheckpoint } = await loadCheckpointing();
    const expected = { kind: this.#kind, schema: SCHEMA, oldest: SCHEMA };
    const { data } = await readCheckpoint(path, expected);
    return data as SavedDynamics;
  }

  /** Loads the newest readable checkpoint in a folder, and warns of damaged newer ones. */
  async loadLatest(
    folder: string | URL,
    load: (path: string) => Promise<Batch>,
  ): Promise<Batch | undefined> {
    const [{ loadLatest }, { passedOverWarning }] = await Promise.all([
      loadCheckpointing(),
      import("../../checkpoint/folder.ts"),
    ]);
    const { loop } = this.#engine;
    let used = "";
    return await loadLatest(folder, {
      load: async (path) => {
        const batch = await load(path);
        used = path;
        return batch;
      },
      passedOver: (_path, error) =>
        loop.warnings.warn("checkpoint", "load", passedOverWarning(error, used)),
    });
  }

  get #kind(): string {
    return `dynamics/${this.#engine.integrator.name}`;
  }
}
