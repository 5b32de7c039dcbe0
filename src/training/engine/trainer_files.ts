/**
 * Saving, loading and exporting of the state of a trainer.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import { readCheckpoint, writeCheckpoint, writeWhole } from "../../checkpoint/mod.ts";
import type { ParameterValues } from "../context.ts";
import type { Arena } from "../model/arena.ts";
import { TrainingStage } from "../stages.ts";
import {
  assertSaved,
  CHECKPOINT_KIND,
  loadModel,
  type SavedTrainer,
  saveModel,
  SCHEMA,
} from "../state/checkpoint.ts";
import type { TrainingKind } from "../trainer_options.ts";
import type { Progress } from "./progress.ts";
import type { WantedFile } from "./requests.ts";
import type { StepHost } from "./step_host.ts";
import type { TrainingSteps } from "./training_step.ts";

const VALUES: readonly ParameterValues[] = ["parameters", "ema", "gradients"];

/** The members of the training engine that saving and loading use. */
export interface FilesHost {
  /** The loop that runs the engine. */
  readonly loop: Loop<TrainingKind>;
  /** Counts, loss and metrics of the run. */
  readonly progress: Progress;
  /** True if a step is running. */
  readonly isInStep: boolean;
  /** Opens the model and the device, if they are not open. */
  open(): Promise<{ readonly host: StepHost; readonly steps: TrainingSteps }>;
  /** Forgets the position of the last run in its epoch. */
  reset(): Promise<void>;
}

/** Saves, loads and exports the state of a trainer, as the methods of `Trainer` with the same names describe. */
export class TrainerFiles {
  readonly #engine: FilesHost;

  constructor(engine: FilesHost) {
    this.#engine = engine;
  }

  /** Returns the state that a bitwise identical resumption needs. */
  async save(): Promise<SavedTrainer> {
    const { host: { model, optimizers }, steps } = await this.#engine.open();
    this.#assertBetween();
    await steps.results.settle();
    this.#assertBetween(); // a run may have begun a step meanwhile
    const state = saveModel(model, optimizers);
    const [progress, loop] = [this.#engine.progress.save(), this.#engine.loop.save()];
    return { ...await state, progress, loop };
  }

  /** Throws an Error during a step, when parameters and counters belong to different steps. */
  #assertBetween(): void {
    if (!this.#engine.isInStep) return;
    throw new Error(
      `Cannot save ${this.#name}: a step is in progress. Use checkpointSoon(), which saves after the step`,
    );
  }

  /** Restores a result of `save`. */
  async load(saved: SavedTrainer): Promise<void> {
    const { host: { model, optimizers } } = await this.#engine.open();
    assertSaved(this.#name, model, optimizers, saved);
    this.#engine.loop.load(saved.loop);
    loadModel(model, optimizers, saved);
    this.#engine.progress.load(saved.progress);
    await this.#engine.reset();
  }

  /** Writes a checkpoint, then fires CHECKPOINT_SAVE. */
  async saveCheckpoint(path: string | URL): Promise<void> {
    const data = await this.save();
    await this.#engine.loop.hooks.flush(); // files that the saved state of hooks refers to must be complete
    await writeCheckpoint(path, { kind: CHECKPOINT_KIND, schema: SCHEMA, data });
    await this.#fireAt(TrainingStage.CHECKPOINT_SAVE, path);
  }

  /** Restores a checkpoint, then fires CHECKPOINT_LOAD. */
  async loadCheckpoint(path: string | URL): Promise<void> {
    const expected = { kind: CHECKPOINT_KIND, schema: SCHEMA, oldest: SCHEMA };
    const { data } = await readCheckpoint(path, expected);
    await this.load(data as SavedTrainer);
    await this.#fireAt(TrainingStage.CHECKPOINT_LOAD, path);
  }

  /** Writes a file that a hook has requested, then fires CHECKPOINT_SAVE. */
  async write({ path, weights }: WantedFile): Promise<void> {
    if (weights === undefined) return await this.saveCheckpoint(path);
    await this.exportTo(path, "parameters");
    await this.#fireAt(TrainingStage.CHECKPOINT_SAVE, path);
  }

  /** Returns a copy of a parameter, of its average, or of its gradient. */
  async parameter(name: string, of: ParameterValues): Promise<Float32Array> {
    const { host: { model: { arena } } } = await this.#engine.open();
    const place = arena.places.find((place) => place.name === name);
    if (place === undefined) {
      throw new RangeError(
        `Cannot read parameter ${JSON.stringify(name)}: it must be one of ${
          arena.places.map(({ name }) => name).join(", ")
        }`,
      );
    }
    this.#assertKept(of, arena);
    const all = await arena.backend.read(arena.array(of));
    return Float32Array.from(all.subarray(place.from, place.from + place.size));
  }

  /** Returns the bytes of the model as an .onnx file. Throws a RangeError if its parameters contain NaN. */
  async export(of: "parameters" | "ema"): Promise<Uint8Array<ArrayBuffer>> {
    const { host: { model } } = await this.#engine.open();
    this.#assertKept(of, model.arena);
    const lost = await model.lostParameters(of);
    if (lost.length === 0) return await model.export(of);
    const words = lost.map(({ tensor, count }) => `${count} of ${tensor}`).join(", ");
    throw new RangeError(
      `Cannot export ${this.#name}: its parameters contain NaN (${words}). Load the last good checkpoint, ` +
        `and train with a smaller learning rate`,
    );
  }

  /** Writes the model as an .onnx file. */
  async exportTo(path: string | URL, of: "parameters" | "ema"): Promise<void> {
    await writeWhole(path, await this.export(of), "model");
  }

  #assertKept(of: ParameterValues, arena: Arena): void {
    if (!VALUES.includes(of)) {
      const requirement = `"of" must be one of ${VALUES.join(", ")}`;
      throw new RangeError(complaint(`read ${this.#name}`, requirement, of, VALUES));
    }
    if (of !== "ema" || arena.has("ema")) return;
    throw new RangeError(
      `Cannot read averages of ${this.#name}: the trainer keeps no averages. Pass ema: { decay } to the trainer`,
    );
  }

  async #fireAt(
    stage: typeof TrainingStage.CHECKPOINT_SAVE | typeof TrainingStage.CHECKPOINT_LOAD,
    path: string | URL,
  ): Promise<void> {
    const { loop } = this.#engine;
    Object.assign(loop.context, { path: String(path), stepCount: loop.stepCount });
    await loop.fire(stage);
  }

  get #name(): string {
    return this.#engine.loop.name;
  }
}
