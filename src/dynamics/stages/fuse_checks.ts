/**
 * Checks of the engines that are fused.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint, show } from "../../base/show.ts";
import type { Dynamics } from "../dynamics.ts";
import { ENGINE_OPTIONS } from "../engine/dynamics_checks.ts";
import { partsOf } from "../engine/engine_parts.ts";
import { type Group, hasExit } from "./fuse_groups.ts";

/**
 * Throws a TypeError if a value is not an engine, an engine occurs twice, or engines have different models. Throws an
 * Error if an engine is in use.
 */
export function checkEngines(engines: readonly Dynamics[]): void {
  const action = "fuse";
  if (engines.length === 0) {
    throw new TypeError(
      `Cannot ${action}: at least one engine is required. Pass the stages in order, as in fuse(fire, nvt)`,
    );
  }
  for (const [i, engine] of engines.entries()) {
    if (partsOf(engine) === undefined) {
      throw new TypeError(
        complaint(action, `stage ${i} must be an engine, such as new FIRE({ model })`, engine),
      );
    }
    if (engines.indexOf(engine) !== i) {
      throw new TypeError(
        `Cannot ${action}: the stages must be different engines; got ${engine.name} twice`,
      );
    }
    partsOf(engine)!.assertFree();
    if (engine.model === engines[0]!.model) continue;
    throw new TypeError(
      `Cannot ${action}: all stages must have the same model object; got ${
        show(engine.model.name)
      } for ${engine.name} and another object, ${show(engines[0]!.model.name)}, for ${
        engines[0]!.name
      }`,
    );
  }
}

/**
 * Throws a TypeError if systems cannot leave a stage other than the last: it has neither `nSteps` nor a
 * `ConvergenceHook`. Throws a RangeError if `nSteps` of a stage is 0.
 */
export function checkExits(groups: readonly Group[], hooks: readonly object[]): void {
  const stages = groups.filter(({ isStage }) => isStage);
  for (const { engine, name } of groups) {
    if (partsOf(engine)!.options.nSteps !== 0) continue;
    throw new RangeError(
      `Cannot fuse: nSteps of ${name} must be above 0; got 0. Leave out this stage instead`,
    );
  }
  for (const { name, end } of stages.slice(0, -1)) {
    if (hasExit(groups, hooks, end)) continue;
    throw new TypeError(
      `Cannot fuse: nothing ends the stage ${name}, so systems would never reach ${
        stages[end]!.name
      }. ` +
        `Pass nSteps to ${name}, or a ConvergenceHook`,
    );
  }
}

/** Names of the options that the engine of a stage may have. */
const KNOWN: ReadonlySet<string> = new Set([
  "model",
  "hooks",
  "nSteps",
  "device",
  "backend",
  "fields",
  "name",
  "signal",
  "onWarning",
  "verify",
  "threads",
]);

/** Throws a TypeError if the engine of a stage has an option that applies to all stages. */
export function checkStageOptions(engines: readonly Dynamics[]): void {
  for (const engine of engines) {
    const options = partsOf(engine)!.options as unknown as Readonly<Record<string, unknown>>;
    const lost = ENGINE_OPTIONS.find((key) => !KNOWN.has(key) && options[key] !== undefined);
    if (lost === undefined) continue;
    throw new TypeError(
      `Cannot fuse: the option ${lost} of ${engine.name} applies to all stages. Pass it to fuse() instead`,
    );
  }
}

/** Throws a TypeError if engines have different devices, and the options of the fused engine do not name one. */
export function checkPlaces(engines: readonly Dynamics[], options: unknown): void {
  if (isObject(options) && (options.device ?? options.backend ?? options.threads) !== undefined) {
    return;
  }
  const [first, ...others] = engines.map((engine) => partsOf(engine)!.options);
  for (const [i, { device = "wasm", backend, threads = 1 }] of others.entries()) {
    const isSame = device === (first!.device ?? "wasm") && backend === first!.backend &&
      threads === (first!.threads ?? 1);
    if (isSame) continue;
    throw new TypeError(
      `Cannot fuse: ${engines[i + 1]!.name} and ${engines[0]!.name} have different devices. ` +
        "Give all stages the same device, or pass one to fuse()",
    );
  }
}
