/**
 * Checks that an integrator, a model and hooks fit together.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { Model } from "../../models/model.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { CHANGE, CONSERVED } from "../engine/measures.ts";
import type { RunEngine } from "./run_engine.ts";

/** Throws a TypeError if a hook reads a value that requires an output which the model does not provide. */
export function assertGiven(
  name: string,
  { name: model, gives }: Model,
  reads: ReadonlySet<string>,
): void {
  const needs = { energy: "energy", [CHANGE]: "energy", [CONSERVED]: "energy", stress: "stress" };
  for (const [field, output] of Object.entries(needs)) {
    if (!reads.has(field) || (gives as readonly string[]).includes(output)) continue;
    throw new TypeError(
      `Cannot run ${name}: a hook reads ${field}, so the model must give ${output}; got ${model}, which gives ${
        gives.join(", ")
      }`,
    );
  }
}

/**
 * Throws a TypeError if a hook reads the conserved quantity, but the integrator does not have one, because its steps
 * take no time.
 */
export function assertConserves(
  name: string,
  { dt }: Integrator,
  reads: ReadonlySet<string>,
): void {
  if (dt !== undefined || !reads.has(CONSERVED)) return;
  throw new TypeError(
    `Cannot run ${name}: a hook reads ${CONSERVED}, a field that only molecular dynamics has. Remove the hook, or use an MD integrator`,
  );
}

/** Throws a TypeError if the integrator needs stresses or energies, and the model does not provide them. */
export function assertGivesNeeded(name: string, integrator: Integrator, model: Model): void {
  const { needsStress = false, needsEnergy = false } = integrator;
  for (const [output, isNeeded] of [["stress", needsStress], ["energy", needsEnergy]] as const) {
    if (!isNeeded || model.gives.includes(output)) continue;
    throw new TypeError(
      `Cannot run ${name}: ${integrator.name} needs a model that gives ${output}; got ${model.name}, which gives ${
        model.gives.join(", ")
      }${output === "stress" ? STRESSED : ""}`,
    );
  }
}

/** Advice in error messages about a model without stresses. */
const STRESSED = ". For stresses, open an ONNX file by OnnxModel.open(file, { stress: true }), " +
  "or pass { givesStress: true } to potential()";

/** The `warnings` of the engines that have already warned of dropped stresses. */
const WARNED = new WeakSet<object>();

/**
 * Sets the stresses of systems to NaN if the model does not provide stresses, because after a step they would belong
 * to other positions. Warns once per engine if this discards known stresses.
 */
export function dropStress(
  batch: Batch,
  { name, model, loop: { warnings } }: RunEngine,
  systems: Iterable<number> = batch.infos.keys(),
): void {
  if (model.gives.includes("stress") || !batch.has("stress")) return;
  const stress = batch.get("stress");
  let hadSome = false; // a stream may admit systems with stresses at any step
  for (const system of systems) {
    const own = stress.subarray(9 * system, 9 * system + 9);
    hadSome ||= own.some((x) => !Number.isNaN(x));
    own.fill(NaN);
  }
  if (!hadSome || WARNED.has(warnings)) return;
  WARNED.add(warnings);
  const warning =
    `${name} removes the stress values of the batch, because no stress is computed: ${model.name} gives ${
      model.gives.join(", ")
    }${STRESSED}`;
  warnings.warn("stress", "run", new Error(warning));
}

/**
 * Throws a TypeError if a model with a `compute` function would run on several threads, each of which has only some
 * systems.
 */
export function assertWhole({ name, model }: RunEngine, { threads = 1 }: Backend): void {
  if (threads === 1) return;
  throw new TypeError(
    `Cannot run ${name} on ${threads} threads: its model ${model.name} is not made of kernels. ` +
      'Leave out the engine\'s option "threads"; for an ONNX model, pass "threads" to OnnxModel.open() instead',
  );
}
