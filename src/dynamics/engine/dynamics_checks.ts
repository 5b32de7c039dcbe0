/**
 * Checks of the options and batches of engines.
 *
 * @module
 */

import { checkThreads, DEVICES } from "../../backend/devices.ts";
import { Batch } from "../../batch/batch.ts";
import { busyError } from "../../batch/fields/holder.ts";
import { checkKeys, checkOptions } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { checkConstraints } from "../constraints/constraint.ts";
import type { DynamicsOptions } from "./dynamics_options.ts";
import { DivergedError } from "../diverged_error.ts";

/** The options that every engine has. */
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
    onWarning: true,
    verify: true,
  } satisfies Readonly<Record<keyof DynamicsOptions, true>>,
);

/** Throws a TypeError or RangeError that names the option that is wrong. */
export function checkDynamicsOptions(
  name: string,
  options: unknown,
  parameters: readonly string[],
): void {
  const action = `make ${name}`;
  checkOptions(action, options, [...parameters, ...ENGINE_OPTIONS]);
  const { model, hooks, nSteps, fields, threads } = options as Members;
  if (!isModel(model)) {
    throw new TypeError(
      complaint(action, "model must be a model, as lennardJones() makes one", model),
    );
  }
  if (!model.gives.includes("forces")) {
    throw new TypeError(
      `Cannot ${action} as its model must give forces: ${model.name} gives ${
        model.gives.join(", ") || "nothing"
      }`,
    );
  }
  if (hooks !== undefined && !Array.isArray(hooks)) {
    throw new TypeError(complaint(action, "hooks must be an array of hooks", hooks));
  }
  if (fields !== undefined && !Array.isArray(fields)) {
    throw new TypeError(complaint(action, "fields must be an array of names", fields));
  }
  checkConstraints(action, options as Members);
  checkPlace(action, options as Members);
  if (threads !== undefined) checkThreaded(action, options as Members);
  if (nSteps !== undefined) checkSteps(name, nSteps);
}

/** Throws where it is not said where to run, or twice. */
function checkPlace(action: string, { device, backend }: Members): void {
  if (backend !== undefined && device !== undefined) {
    throw new TypeError(
      complaint(action, "only one of device and backend can say where it runs", device),
    );
  }
  if (typeof backend === "string") {
    throw new TypeError(
      complaint(action, `backend must be one that is open: write device for a name`, backend),
    );
  }
  if (backend !== undefined && !isObject(backend)) {
    throw new TypeError(complaint(action, "backend must be one that is open", backend));
  }
  if (device === undefined) return;
  if (isObject(device)) {
    checkKeys(action, "what device says", device, ["name", "gpu", "keepSeconds"]);
    checkKeepSeconds(action, device.keepSeconds);
  }
  const name = isObject(device) ? device.name : device;
  const requirement = `device must be ${DEVICES.join(", ")}, or say one as its name`;
  if (typeof name !== "string") throw new TypeError(complaint(action, requirement, name));
  if (!(DEVICES as readonly string[]).includes(name)) {
    throw new RangeError(complaint(action, requirement, name, DEVICES));
  }
}

/** Throws where threads are no number, or what runs has none. */
function checkThreaded(action: string, { threads, device, backend }: Members): void {
  checkThreads(action, threads);
  if (backend !== undefined) {
    throw new TypeError(
      complaint(action, "only one of threads and backend can say where it runs", threads),
    );
  }
  const name = isObject(device) ? device.name : device;
  if (threads === 1 || name === undefined || name === "wasm") return;
  throw new RangeError(complaint(action, "device must be wasm where there are threads", name));
}

function checkKeepSeconds(action: string, seconds: unknown): void {
  if (seconds === undefined || (typeof seconds === "number" && seconds >= 0)) return;
  const Wrong = typeof seconds === "number" ? RangeError : TypeError;
  throw new Wrong(complaint(action, "keepSeconds must be a number from 0 on", seconds));
}

/** Throws if a batch cannot be run. */
export function checkRun(
  name: string,
  batch: unknown,
  nSteps: number | undefined,
): asserts nSteps is number {
  if (!(batch instanceof Batch)) {
    throw new TypeError(
      complaint(`run ${name}`, "it must be given a batch, as Batch.from makes one", batch),
    );
  }
  if (nSteps === undefined) {
    throw new TypeError(
      `Cannot run ${name} as the number of steps is required: pass nSteps, to run() or to its constructor`,
    );
  }
  checkSteps(name, nSteps);
  if (batch.heldBy !== undefined) throw busyError(`run ${name}`, batch.heldBy);
  if (batch.size === 0 || batch.nodeCount === 0) {
    throw new RangeError(
      `Cannot run ${name} as the batch must have an atom or more: current count is ${batch.nodeCount} in ${batch.size} systems`,
    );
  }
  batch.check(`run ${name}`);
}

function checkSteps(name: string, nSteps: unknown): void {
  const requirement = "nSteps must be a whole number from 0 on, or Infinity";
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

/** Returns the systems with positions that are not finite. */
export function divergedSystems(batch: Batch, positions: ArrayLike<number> = []): number[] {
  const diverged = new Set<number>();
  for (let i = 0; i < positions.length; i++) {
    if (!Number.isFinite(positions[i])) diverged.add(batch.systemOfNode[Math.floor(i / 3)]!);
  }
  return [...diverged];
}

/** Throws a DivergedError if a run has left positions that are not finite. */
export function assertAllFinite(
  name: string,
  batch: Batch,
  step: number,
  positions: ArrayLike<number> = [],
): void {
  const diverged = divergedSystems(batch, positions);
  if (diverged.length === 0) return;
  const first = Array.from(positions).findIndex((value) => !Number.isFinite(value));
  const atom = Math.floor(first / 3) - batch.nodeOffsets[diverged[0]!]!;
  throw new DivergedError(name, step, diverged, { atom });
}
