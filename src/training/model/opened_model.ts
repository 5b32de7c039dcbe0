/**
 * A model on its device, ready to be trained.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import { makeTensorProto, tensorValues } from "../../onnx/codec/tensor_proto.ts";
import { encodeModel } from "../../onnx/codec/codec.ts";
import type { Patch } from "../../onnx/taps/patch.ts";
import { openPoints } from "./activations.ts";
import type { NotFiniteTensor } from "../not_finite_error.ts";
import { Arena, type Place } from "./arena.ts";
import type { GraphParts } from "../graph/training_graph.ts";
import { chooseParameters } from "../graph/parameters.ts";
import { Runner } from "../graph/runner.ts";
import { type Loss, lossOf } from "../losses/loss.ts";
import { assign, type AssignedOptimizer } from "../optimizers/assigned.ts";
import { Updates } from "../optimizers/updates.ts";
import { SharedRunner } from "../parallel/shared_runner.ts";
import { constant } from "../schedules/constant.ts";
import { applyPatches, type MergedSettings } from "../engine/merged_settings.ts";
import type { TrainerParts } from "../trainer_options.ts";

/** The bytes of a model, and its name. */
export interface LoadedBytes {
  /** The bytes of the file. */
  readonly bytes: Uint8Array;
  /** Name of the model in errors. */
  readonly name: string;
}

/** The parameters of a model, their sections in the arena, and the optimizer that updates each of them. */
export interface ModelPlan {
  readonly loaded: LoadedBytes;
  readonly places: readonly Place[];
  readonly optimizers: readonly AssignedOptimizer[];
  /** Index of the optimizer of each parameter, from 0. */
  readonly owners: readonly number[];
  readonly assigned: ReturnType<typeof assign>;
  /** Initial values of all parameters, one parameter after another. */
  readonly initial: Float32Array;
}

/**
 * Chooses the parameters of a model, and assigns them to optimizers. Throws a RangeError if a pattern matches no
 * parameter, and a SyntaxError if the bytes are not a model.
 */
export function planModel(loaded: LoadedBytes, options: TrainerParts): ModelPlan {
  const model = decodeModel(loaded.bytes, { name: loaded.name });
  const { parameters, freeze, schedule = constant() } = options;
  const tensors = chooseParameters(model, { parameters, freeze });
  let from = 0;
  const places = tensors.map(({ name, dims }) => {
    const lengths = dims.map(Number), size = lengths.reduce((a, b) => a * b, 1);
    const place = { name, dims: lengths, from, size };
    from += size;
    return place;
  });
  const initial = new Float32Array(from);
  for (const [i, tensor] of tensors.entries()) {
    initial.set(tensorValues(tensor) as Float32Array, places[i]!.from);
  }
  const optimizers = [options.optimizers].flat();
  const assigned = assign(optimizers, places.map(({ name }) => name), schedule);
  return {
    loaded,
    places,
    initial,
    assigned,
    optimizers: assigned.optimizers,
    owners: assigned.of.map(({ optimizer }) => optimizer),
  };
}

/** A model on a backend, with its parameters, graphs and optimizer steps. */
export class OpenedModel {
  readonly arena: Arena;
  readonly runner: Runner | SharedRunner;
  readonly updates: Updates;
  /** The feeds of the inputs that patches of hooks have added. */
  patchFeeds: Readonly<Record<string, HostFeed>> = {};
  /** The patches of tensors that hooks may change. */
  points: readonly Patch[] = [];
  readonly #plan: ModelPlan;
  readonly #options: TrainerParts;
  readonly #loss: Loss;
  #built: string | undefined = "";
  #terms: readonly Loss[] = [];

  constructor(plan: ModelPlan, backend: Backend, options: TrainerParts) {
    this.#plan = plan;
    this.#options = options;
    this.#loss = lossOf(options.loss);
    this.arena = new Arena(backend, plan.places);
    backend.write(this.arena.array("parameters"), plan.initial);
    const runner = new Runner({
      graphs: this.#graphs(undefined),
      arena: this.arena,
      name: plan.loaded.name,
      threads: options.threads ?? 1,
      threadMemory: options.threadMemory,
      runtime: options.runtime,
    });
    const isAlone = options.workers === undefined && options.group === undefined;
    this.runner = isAlone ? runner : new SharedRunner(runner, {
      graphs: this.#graphs(undefined),
      arena: this.arena,
      name: plan.loaded.name,
      workers: options.workers,
      group: options.group,
      runtime: options.runtime,
    });
    this.updates = new Updates(this.arena, plan.optimizers, plan.assigned.of);
  }

  /**
   * Rebuilds the graphs if hooks request other terms, patches or points than before. Returns whether the graphs were
   * rebuilt.
   */
  async follow(settings: MergedSettings): Promise<boolean> {
    const { patches, points, terms } = settings;
    const key = JSON.stringify(
      [patches, points],
      (_key, value) => ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value,
    );
    const isSame = key === this.#built && terms.length === this.#terms.length &&
      terms.every((term, i) => term === this.#terms[i]);
    const isNone = patches.length + points.length + terms.length === 0;
    if (isSame || (this.#built === "" && isNone)) return false;
    this.#built = undefined; // stays undefined if the graphs cannot be built
    this.patchFeeds = {};
    this.points = [];
    await this.runner.rebuild(this.#graphs(settings));
    await this.runner.measured(); // builds the graphs now, so that the feeds of patches are known
    this.#built = key;
    this.#terms = terms;
    return true;
  }

  /** Returns the parameters that have NaN values in an array, with the number of these values. */
  async lostParameters(array: string): Promise<NotFiniteTensor[]> {
    const numbers = await this.arena.backend.read(this.arena.array(array));
    if (!numbers.includes(NaN)) return [];
    return this.#plan.places.flatMap(({ name, from, size }) => {
      const count = numbers.subarray(from, from + size).filter(Number.isNaN).length;
      return count === 0 ? [] : [{ tensor: `parameter ${name}`, count }];
    });
  }

  /**
   * Returns the bytes of the model with the current values of an array, such as `"parameters"` or `"ema"`, as its
   * parameters.
   */
  async export(array: string): Promise<Uint8Array<ArrayBuffer>> {
    const numbers = await this.arena.backend.read(this.arena.array(array));
    const model = decodeModel(this.#plan.loaded.bytes);
    const { initializer } = model.graph!;
    for (const { name, dims, from, size } of this.#plan.places) {
      const at = initializer.findIndex((tensor) => tensor.name === name);
      initializer[at] = makeTensorProto("f32", dims, numbers.subarray(from, from + size), name);
    }
    return encodeModel(model);
  }

  /** Ends the workers after a failed step. They start again when they are needed. */
  async rest(): Promise<void> {
    if (this.runner instanceof SharedRunner) await this.runner.rest();
  }

  /** Frees everything but the backend. */
  async close(): Promise<void> {
    await this.runner.dispose();
    this.updates.free();
    this.arena.free();
  }

  #graphs(settings: MergedSettings | undefined): GraphParts {
    return {
      model: this.#plan.loaded.bytes,
      places: this.#plan.places,
      loss: this.#loss,
      metrics: this.#options.metrics ?? {},
      isGpu: this.arena?.backend.name === "webgpu",
      ...(settings !== undefined && {
        terms: settings.terms,
        edit: (graph) => {
          this.patchFeeds = applyPatches(graph, settings.patches);
        },
        open: (graph) => {
          this.points = openPoints(graph, settings.points);
        },
      }),
    };
  }
}
