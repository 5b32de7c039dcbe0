/**
 * Saves engines between their steps, and loads them.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { EngineStreams } from "../streaming/engine_streams.ts";
import { assertSaved, type SavedDynamics, SCHEMA } from "./checkpoint.ts";
import type { DynamicsEngine } from "./dynamics_engine.ts";

// Loaded when first used: most runs write no checkpoints.
const loadCheckpointing = () => import("../../checkpoint/mod.ts");
const loadOptions = () => import("./saved_options.ts");

/** The checkpoints of one engine. */
export class Checkpoints {
  readonly #engine: DynamicsEngine;
  readonly #streams: EngineStreams;
  /** True if the current run waits between two steps. */
  #isBetween = false;
  /** The batch that was loaded, and not run yet. */
  #loaded: Batch | undefined;

  /** Saves nothing yet. */
  constructor(engine: DynamicsEngine, streams: EngineStreams) {
    this.#engine = engine;
    this.#streams = streams;
  }

  /** Returns the state of the engine; see `Dynamics.save`. */
  async save(): Promise<SavedDynamics> {
    if (this.#isBetween) return await this.#saveHeld();
    const { loop, current } = this.#engine;
    return {
      ...await this.#integrator(),
      loop: loop.save(),
      ...await current.save(),
      ...await this.#streams.save(),
    };
  }

  /** Returns the state during a run, with the batch as if the run had ended after the last step. */
  async #saveHeld(): Promise<SavedDynamics> {
    const { loop, current, held } = this.#engine;
    const { state, clock } = current;
    const saved = await this.#integrator();
    const kept = { ...saved, ...await current.snapshot(), ...await this.#streams.save() };
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

  /** Runs `work` between two steps. */
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

  /** Goes on from a state, and returns its batch. Throws a TypeError for a state of another integrator. */
  async load(saved: SavedDynamics): Promise<Batch> {
    const { name, integrator, place, loop } = this.#engine;
    assertSaved(name, integrator.name, saved);
    const batch = Batch.load(saved.batch);
    try {
      const run = await place.enter(batch);
      place.load(run, saved);
      loop.load(saved.loop);
      this.#streams.load(saved.stream);
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

  /** Warns if the batch of a checkpoint was loaded, and the next run is of another one. */
  begins(batch: Batch): void {
    const loaded = this.#loaded, { loop } = this.#engine;
    this.#loaded = undefined;
    if (loaded === undefined || loaded === batch) return;
    const text =
      `The run does not go on from its checkpoint of step ${loop.stepCount}: it is of another batch than the ` +
      "one that was loaded. Run the batch that loadCheckpoint, loadLatest or load returns";
    loop.warnings.warn("checkpoint", "run", new Error(text));
  }

  /** Writes a state to a file, once hooks have written the files that they report in it. */
  async write(path: string | URL, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { writeWhole } = await loadCheckpointing();
    await this.#engine.loop.hooks.flush();
    await writeWhole(path, bytes, "checkpoint");
  }

  /** Returns a state as the bytes of a file. */
  async encode(data: SavedDynamics): Promise<Uint8Array<ArrayBuffer>> {
    const { encodeCheckpoint } = await loadCheckpointing();
    return encodeCheckpoint({ kind: this.#kind, schema: SCHEMA, data });
  }

  /** Reads a state from a file. */
  async read(path: string | URL): Promise<SavedDynamics> {
    const { readCheckpoint } = await loadCheckpointing();
    const expected = { kind: this.#kind, schema: SCHEMA, oldest: SCHEMA };
    const { data } = await readCheckpoint(path, expected);
    return data as SavedDynamics;
  }

  /** Goes on from the newest whole file of a folder; warns of damaged ones. */
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
