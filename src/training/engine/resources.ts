/**
 * The model and the device of a trainer, opened when they are first needed.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import { openBackend, openDevice, type OpenedDevice } from "../../backend/open.ts";
import { loadWhole } from "../../onnx/codec/load_whole.ts";
import type { ParameterInfo } from "../context.ts";
import { type ModelPlan, OpenedModel, planModel } from "../model/opened_model.ts";
import type { TrainerParts } from "../trainer_options.ts";

/** The device that a trainer runs on, and the devices that were skipped. */
export type DeviceInfo = Omit<OpenedDevice, "backend">;

/** The model and the device of a trainer. */
export class TrainerResources {
  readonly #options: TrainerParts;
  #plan: ModelPlan | undefined;
  #device: OpenedDevice | undefined;
  #model: OpenedModel | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;
  readonly #name: string;

  /**
   * Opens a device in host memory, and plans the parameters of a model that is given as bytes. Throws the errors of
   * both.
   */
  constructor(name: string, options: TrainerParts) {
    this.#name = name;
    this.#options = options;
    const { device = "wasm", model } = options;
    if (device === "wasm" || device === "reference") {
      this.#device = { backend: openBackend(device), device, skipped: [] };
    }
    if (model instanceof Uint8Array) this.#plan = planModel({ bytes: model, name }, options);
  }

  /** The parameters and optimizers of the model; undefined until the model is read. */
  get plan(): ModelPlan | undefined {
    return this.#plan;
  }

  /** The parameters that are trained. Throws an Error if the model is not read yet. */
  get parameters(): readonly ParameterInfo[] {
    if (this.#plan === undefined) {
      throw new Error(
        `Cannot list the parameters of ${this.#name}: its model is not read yet. Await open() first`,
      );
    }
    const { places, owners } = this.#plan;
    return places.map(({ name, dims, size }, i) => ({ name, dims, size, optimizer: owners[i]! }));
  }

  /** The backend of the device; undefined until the device is open. */
  get backend(): Backend | undefined {
    return this.#device?.backend;
  }

  /** The device; undefined until it is open. */
  get device(): DeviceInfo | undefined {
    if (this.#device === undefined) return undefined;
    const { backend: _, ...device } = this.#device;
    return device;
  }

  /** The model on its device; undefined until it is open. */
  get model(): OpenedModel | undefined {
    return this.#model;
  }

  /**
   * Opens the model and the device once, then calls `opened`. After a failure, the next call tries again.
   *
   * @throws {Error} if the trainer was closed
   */
  async open(opened: (plan: ModelPlan, model: OpenedModel) => void): Promise<void> {
    if (this.#isClosed) {
      throw new Error(`Cannot open ${this.#name}: it is closed. Make a new trainer`);
    }
    if (this.#opening === undefined) {
      this.#opening = this.#open(opened);
      this.#opening.catch(() => this.#opening = undefined);
    }
    await this.#opening;
  }

  async #open(opened: (plan: ModelPlan, model: OpenedModel) => void): Promise<void> {
    const options = this.#options, { signal } = options;
    this.#plan ??= planModel(
      await loadWhole(options.model, { ...(signal && { signal }) }),
      options,
    );
    this.#device ??= await openDevice(options.device ?? "wasm");
    const model = new OpenedModel(this.#plan, this.#device.backend, options);
    if (options.ema !== undefined) model.updates.copy("parameters", "ema");
    this.#model = model;
    opened(this.#plan, model);
  }

  /** Makes later calls of `open` throw, because the trainer is closed. */
  refuse(): void {
    this.#isClosed = true;
  }

  /** Closes the model, and the device unless it is in host memory. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    await this.#model?.close();
    if (this.backend?.isHost === false) this.backend.dispose();
    this.#opening = this.#model = undefined;
  }
}
