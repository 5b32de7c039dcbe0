/**
 * Parameters of integrators in checkpoints, and the warning if a run continues with other parameters.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { show } from "../../base/show.ts";
import type { Integrator } from "../integrators/integrator.ts";

/** Parameters by name, as plain data. Parameters of several stages have names such as `dt of stage 1`. */
export type SavedOptions = Readonly<Record<string, unknown>>;

const UNITS: Readonly<Record<string, string>> = {
  temperature: " K",
  friction: " 1/fs",
  pressure: " eV/Å³",
  thermostatTime: " fs",
  barostatTime: " fs",
  maxStep: " Å",
};

/**
 * Returns the parameters of an integrator or of its stages; `undefined` if the integrator does not list its
 * parameters.
 */
export function optionsOf(integrator: Integrator): SavedOptions | undefined {
  const { stages, values } = integrator;
  if (stages === undefined) return values === undefined ? undefined : plain(values) as SavedOptions;
  return Object.fromEntries(
    stages.flatMap((stage, i) =>
      Object.entries(optionsOf(stage) ?? {}).map((
        [name, value],
      ) => [`${name} of stage ${i}`, value])
    ),
  );
}

/**
 * Returns the warning that a run continues with other parameters than those of its checkpoint, or `undefined` if all
 * are equal.
 */
export function changedOptions(integrator: Integrator, saved: unknown): Error | undefined {
  const now = optionsOf(integrator);
  if (now === undefined || !isObject(saved)) return undefined;
  const changes = Object.entries(now).flatMap(([name, value]) => {
    if (!Object.hasOwn(saved, name) || isSame(saved[name], value)) return [];
    const unit = unitOf(integrator, name);
    return [`${name} was ${text(saved[name], unit)} and is ${text(value, unit)}`];
  });
  if (changes.length === 0) return undefined;
  return new Error(
    `Some options of the run differ from those of its checkpoint: ${changes.join("; ")}`,
  );
}

function unitOf({ dt }: Integrator, name: string): string {
  const [option] = name.split(" ");
  if (option === "dt") return dt === undefined ? "" : " fs";
  return UNITS[option!] ?? "";
}

function text(value: unknown, unit: string): string {
  return value === undefined ? "not given" : `${show(value)}${unit}`;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns a copy of a value in the form that JSON can hold: lists of any kind become arrays, and members that JSON
 * cannot hold are left out.
 */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const given = Object.entries(value).filter(([, one]) => isKept(one));
  return Object.fromEntries(given.map(([name, one]) => [name, plain(one)]));
}

function isKept(value: unknown): boolean {
  return ["number", "string", "boolean"].includes(typeof value) || isObject(value) ||
    Array.isArray(value);
}
