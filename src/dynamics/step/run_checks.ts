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

/** Throws a TypeError if a hook reads a field that the model does not give. */
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

/** Throws a TypeError if a hook reads the conserved quantity and the integrator has no such quantity. */
export function assertConserves(
  name: string,
  { dt }: Integrator,
  reads: ReadonlySet<string>,
): void {
  if (dt !== undefined || !reads.has(CONSERVED)) return;
  throw new TypeError(
    `Cannot run ${name}: a hook reads ${CONSERVED}, which only molecular dynamics has. Remove the hook, or use an MD integrator`,
  );
}

/** Throws a TypeError if the integrator reads virials or energies that the model does not give. */
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

/** The advice in errors about a model without stresses. */
const STRESSED = "; a file of energies makes it by OnnxModel.open(file, { stress: true }), " +
  "and potential() takes it with { givesStress: true }";

/** The warnings of engines that have warned of dropped stresses. */
const WARNED = new WeakSet<object>();

/**
 * Drops the stresses that the systems had before the run if the model does not give stresses: after a step they
 * would be those of other positions. Warns if there were some.
 */
export function dropStress(
  batch: Batch,
  { name, model, loop: { warnings } }: RunEngine,
  systems: Iterable<number> = batch.infos.keys(),
): void {
  if (model.gives.includes("stress") || !batch.has("stress")) return;
  const stress = batch.get("stress");
  let hadSome = false; // in a stream, systems with stresses may be admitted at any step
  for (const system of systems) {
    const own = stress.subarray(9 * system, 9 * system + 9);
    hadSome ||= own.some((x) => !Number.isNaN(x));
    own.fill(NaN);
  }
  if (!hadSome || WARNED.has(warnings)) return;
  WARNED.add(warnings);
  const warning = `${name} drops the stress that the batch brought: ${model.name} gives ${
    model.gives.join(", ")
  }${STRESSED}`;
  warnings.warn("stress", "run", new Error(warning));
}

/** Throws a TypeError where a model that is visited is to run on threads, each of which has a part of the batch. */
export function assertWhole({ name, model }: RunEngine, { threads = 1 }: Backend): void {
  if (threads === 1) return;
  throw new TypeError(
    `Cannot run ${name} on ${threads} threads: its model ${model.name} is not made of kernels. ` +
      "Leave out threads; an ONNX model has an option threads of its own",
  );
}
