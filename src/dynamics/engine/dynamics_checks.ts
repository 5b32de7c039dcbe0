/**
 * Checks of the options of engines, and of their batches.
 *
 * @module
 */

import { ALL_DEVICES, checkThreads } from "../../backend/devices.ts";
import { Batch } from "../../batch/batch.ts";
import { busyError } from "../../batch/fields/holder.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { checkKeys, checkOptions } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { checkConstraints } from "../constraints/constraint.ts";
import type { DynamicsOptions } from "./dynamics_options.ts";

/** Names of the options that every dynamics engine has. */
export const ENGINE_OPTIONS: readonly string[] = Object.keys(
  {
    model: true,
    hooks: true,
    constraints: true,
    fileConstraints: true,
    nSteps: true,
    device: true,
    threads: true,
    backend: true,
    fields: true,
    name: true,
    signal: true,
    strict: true,
    onWarning: true,
    verify: true,
  } satisfies Readonly<Record<keyof DynamicsOptions, true>>,
);

/**
 * Throws a TypeError or RangeError that names the first invalid option. `parameters` are the names of the
 * integrator's options.
 */
export function checkDynamicsOptions(
  name: string,
  options: unknown,
  parameters: readonly string[],
): void {
  const action = `make ${name}`;
  checkOptions(action, options, [...parameters, ...ENGINE_OPTIONS]);
  const { model, hooks, nSteps, fields, threads, strict } = options as Members;
  if (!isModel(model)) {
    throw new TypeError(
      complaint(action, "model must be a model, such as lennardJones(…)", model),
    );
  }
  if (!model.gives.includes("forces")) {
    throw new TypeError(
      `Cannot ${action}: its model must give forces; got ${model.name}, which gives ${
        model.gives.join(", ") || "nothing"
      }`,
    );
  }
  if (strict !== undefined && typeof strict !== "boolean") {
    throw new TypeError(complaint(action, "strict must be true or false", strict));
  }
  if (hooks !== undefined && !Array.isArray(hooks)) {
    throw new TypeError(complaint(action, "hooks must be an array of hooks", hooks));
  }
  if (fields !== undefined && !Array.isArray(fields)) {
    throw new TypeError(complaint(action, "fields must be an array of field names", fields));
  }
  checkConstraints(action, options as Members);
  checkPlace(action, options as Members);
  if (threads !== undefined) checkThreaded(action, options as Members);
  if (nSteps !== undefined) checkSteps(name, nSteps);
}

/** Throws if both `device` and `backend` are given, or if one of them is invalid. */
function checkPlace(action: string, { device, backend }: Members): void {
  if (backend !== undefined && device !== undefined) {
    throw new TypeError(
      complaint(action, "device must be left out if backend is given", device),
    );
  }
  if (typeof backend === "string") {
    throw new TypeError(
      complaint(
        action,
        "backend must be an open backend, such as openBackend(); pass the name of a device as device",
        backend,
      ),
    );
  }
  if (backend !== undefined && !isObject(backend)) {
    throw new TypeError(
      complaint(action, "backend must be an open backend, such as openBackend()", backend),
    );
  }
  if (device === undefined) return;
  if (isObject(device)) {
    checkKeys(action, "members of device", device, ["name", "gpu", "keepSeconds"]);
    checkKeepSeconds(action, device.keepSeconds);
  }
  const name = isObject(device) ? device.name : device;
  const requirement = `device must be one of ${
    ALL_DEVICES.join(", ")
  }, or an object with one of them as name`;
  if (typeof name !== "string") throw new TypeError(complaint(action, requirement, name));
  if (!(ALL_DEVICES as readonly string[]).includes(name)) {
    throw new RangeError(complaint(action, requirement, name, ALL_DEVICES));
  }
}

/** Throws if `threads` is invalid, or the device does not support threads. */
function checkThreaded(action: string, { threads, device, backend }: Members): void {
  checkThreads(action, threads);
  if (backend !== undefined) {
    throw new TypeError(
      complaint(action, "threads must be left out if backend is given", threads),
    );
  }
  const name = isObject(device) ? device.name : device;
  if (threads === 1 || name === undefined || name === "wasm") return;
  throw new RangeError(complaint(action, 'device must be "wasm" if threads are given', name));
}

function checkKeepSeconds(action: string, seconds: unknown): void {
  if (seconds === undefined || (typeof seconds === "number" && seconds >= 0)) return;
  const Wrong = typeof seconds === "number" ? RangeError : TypeError;
  throw new Wrong(complaint(action, "keepSeconds must be a non-negative number", seconds));
}

/** Throws if the batch or the number of steps is invalid, or an engine holds the batch. */
export function checkRun(
  name: string,
  batch: unknown,
  nSteps: number | undefined,
): asserts nSteps is number {
  if (!(batch instanceof Batch)) {
    throw new TypeError(
      complaint(`run ${name}`, "the batch must be a Batch, such as Batch.from(systems)", batch),
    );
  }
  if (nSteps === undefined) {
    throw new TypeError(
      `Cannot run ${name}: nSteps is required. Pass it to run() or to the constructor`,
    );
  }
  checkSteps(name, nSteps);
  if (batch.heldBy !== undefined) throw busyError(`run ${name}`, batch.heldBy);
  if (batch.size === 0 || batch.nodeCount === 0) {
    throw new RangeError(
      `Cannot run ${name}: the batch must have at least one atom; got ${batch.size} systems with ${batch.nodeCount} atoms`,
    );
  }
  batch.check(`run ${name}`);
}

function checkSteps(name: string, nSteps: unknown): void {
  const requirement = "nSteps must be a non-negative integer, or Infinity";
  if (typeof nSteps !== "number") {
    throw new TypeError(complaint(`run ${name}`, requirement, nSteps));
  }
  if (nSteps >= 0 && (nSteps === Infinity || Number.isInteger(nSteps))) return;
  throw new RangeError(complaint(`run ${name}`, requirement, nSteps));
}

interface ModelLike {
  readonly name: string;
  readonly gives: readonly string[];
}

function isModel(value: unknown): value is ModelLike {
  return isObject(value) && typeof value.name === "string" && Array.isArray(value.gives) &&
    typeof value.open === "function";
}

/**
 * Returns the index of the first atom of a system for which a field is not finite, or `undefined` if all values are
 * finite.
 */
export function firstNotFinite(
  state: ResidentBatch,
  field: "velocities" | "forces",
  system: number,
): number | undefined | Promise<number | undefined> {
  const { batch: { nodeOffsets } } = state;
  return state.withArrays({ values: state.field(field) }, [], ({ values }) => {
    const own = values.subarray(3 * nodeOffsets[system]!, 3 * nodeOffsets[system + 1]!);
    const at = own.findIndex((value) => !Number.isFinite(value));
    return at === -1 ? undefined : Math.floor(at / 3);
  });
}

/** Values of fields by name, from the host or a backend. */
export type FieldArrays = Readonly<Record<string, ArrayLike<number> | undefined>>;

/** Fields that must be finite: name, numbers per row, and true if there is one row per atom. */
const CHECKED = [
  ["positions", 3, true],
  ["velocities", 3, true],
  ["forces", 3, true],
  ["cell", 9, false],
] as const;

/** A system that has diverged, and its first field that is not finite. */
export interface Diverged {
  /** Slot of the system. */
  readonly system: number;
  /** Name of the field. */
  readonly cause: "positions" | "velocities" | "forces" | "cell";
  /** Index of the first atom for which the field is not finite, within the system; `undefined` for the cell. */
  readonly atom: number | undefined;
}

/** Returns the systems with a field that is not finite, in the order of their slots. */
export function divergedSystems(batch: Batch, fields: FieldArrays): Diverged[] {
  const found = new Map<number, Diverged>();
  for (const [field, width, isNode] of CHECKED) {
    const values = fields[field];
    if (values === undefined) continue;
    for (let i = 0; i < values.length; i++) {
      if (Number.isFinite(values[i])) continue;
      const row = Math.floor(i / width);
      const system = isNode ? batch.systemOfNode[row]! : row;
      if (found.has(system)) continue;
      const atom = isNode ? row - batch.nodeOffsets[system]! : undefined;
      found.set(system, { system, cause: field, atom });
    }
  }
  return [...found.values()].sort((a, b) => a.system - b.system);
}
