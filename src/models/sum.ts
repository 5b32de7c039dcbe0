import { show } from "../base/show.ts";
import type { Model, OpenModel, Wanted } from "./model.ts";

/**
 * Returns the sum of several models. It adds up their energies, forces and stresses. The sum has only the outputs
 * that all of the models have.
 *
 * @throws {RangeError} if no models are given
 * @throws {TypeError} if an argument is not a model
 *
 * @example
 * ```ts
 * import { lennardJones, sum, tethers } from "@hooke/hooke/models";
 *
 * const model = sum(
 *   lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   tethers({ stiffness: 0.05 }),
 * );
 * console.log(model.name);
 * ```
 */
export function sum(...models: readonly Model[]): Model {
  if (models.length === 0) {
    throw new RangeError("Cannot make a sum: at least one model is required; got 0");
  }
  const wrong = models.findIndex((model) =>
    !Array.isArray(model?.gives) || typeof model.open !== "function"
  );
  if (wrong !== -1) {
    throw new TypeError(
      `Cannot make a sum: argument ${wrong} must be a model; got ${show(models[wrong])}`,
    );
  }
  return {
    name: models.map(({ name }) => name).join(" + "),
    // The sum lacks every output that one of the models lacks, because it would be incomplete.
    gives: models[0]!.gives.filter((output) => models.every(({ gives }) => gives.includes(output))),
    isInvariant: models.every(({ isInvariant }) => isInvariant === true),
    ...runtimeOf(models),
    fields: models.flatMap(({ fields }) => fields ?? []),
    open: (state, warn) => opened(models.map((model) => model.open(state, warn))),
  };
}

/** Returns a member `runtime` with the different runtimes of the models, or no member if kernels compute all of them. */
function runtimeOf(models: readonly Model[]): Pick<Model, "runtime"> {
  const runtimes = new Set(models.flatMap(({ runtime }) => runtime ?? []));
  return runtimes.size === 0 ? {} : { runtime: [...runtimes].join(" + ") };
}

function opened(models: readonly OpenModel[]): OpenModel {
  const visited = models.filter(({ compute }) => compute !== undefined);
  const calls = (wanted: Wanted) => models.flatMap((model) => model.calls?.(wanted) ?? []);
  const add = (wanted: Wanted) => models.flatMap((model) => model.add?.(wanted) ?? []);
  const fault = (system: number) => firstFault(models, system);
  const close = async () => void await Promise.all(models.map((model) => model.close?.()));
  const isClosed = models.some((model) => model.close !== undefined);
  return {
    calls,
    add,
    fault,
    ...(isClosed && { close }),
    ...(visited.length > 0 && {
      compute: (wanted: Wanted) => inTurn(visited, wanted),
    }),
  };
}

/** Returns the first fault that one of the models reports; `undefined` if no model reports a fault. */
async function firstFault(
  models: readonly OpenModel[],
  system: number,
): Promise<string | undefined> {
  for (const model of models) {
    const fault = await model.fault?.(system);
    if (fault !== undefined) return fault;
  }
}

/**
 * Runs the models one after the other. If the order of the additions depended on which model is ready first, results
 * would not be reproducible.
 */
function inTurn(models: readonly OpenModel[], wanted: Wanted): void | PromiseLike<void> {
  for (const [i, model] of models.entries()) {
    const waiting = model.compute!(wanted);
    if (isThenable(waiting)) return waiting.then(() => inTurn(models.slice(i + 1), wanted));
  }
}

function isThenable(answer: void | PromiseLike<void>): answer is PromiseLike<void> {
  return typeof answer === "object" && typeof answer.then === "function";
}
