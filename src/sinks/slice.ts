/**
 * Selection of systems of a sink.
 *
 * @module
 */

import { show } from "../base/show.ts";
import type { System } from "../batch/system.ts";
import type { Slice } from "./sink.ts";

/**
 * Values of a system by which a slice selects. A value that the system does not have is `undefined`, and lies in no
 * interval.
 */
export interface Stamp {
  /** Step of the system. */
  readonly step: number | undefined;
  /** Time of the system in fs. */
  readonly time: number | undefined;
  /** Id of the system in the run. */
  readonly system: number | undefined;
}

const MEMBERS: readonly string[] = ["from", "to", "time", "steps", "systems"];

/**
 * Returns the slice if it is valid.
 *
 * @throws {TypeError} if the slice is not valid; the message names the wrong member
 * @throws {RangeError} if `from` or `to` is not a non-negative integer or Infinity
 */
export function checkedSlice(slice: unknown, action: string): Slice {
  if (typeof slice !== "object" || slice === null || Array.isArray(slice)) {
    throw new TypeError(
      `Cannot ${action}: a slice must be an object; got ${show(slice)}`,
    );
  }
  for (const [key, value] of Object.entries(slice)) {
    if (!MEMBERS.includes(key)) {
      throw new TypeError(
        `Cannot ${action}: the members of a slice must be among ${MEMBERS.join(", ")}; ` +
          `got ${show(key)}`,
      );
    }
    if (value !== undefined) checkMember(key, value, action);
  }
  return slice;
}

function checkMember(key: string, value: unknown, action: string): void {
  if (key === "from" || key === "to") {
    if (Number.isInteger(value) && (value as number) >= 0 || value === Infinity) return;
    throw new RangeError(
      `Cannot ${action}: ${key} must be a non-negative integer or Infinity; got ${show(value)}`,
    );
  }
  const isNumbers = Array.isArray(value) &&
    value.every((x) => typeof x === "number" && !Number.isNaN(x));
  if (isNumbers && (key === "systems" || value.length === 2)) return;
  throw new TypeError(
    `Cannot ${action}: ${key} must be ${
      key === "systems" ? "a list of numbers" : "two numbers"
    }; got ${show(value)}`,
  );
}

/** Returns whether a slice selects by time, step or id, and not only by index. */
export function selectsByStamp({ time, steps, systems }: Slice): boolean {
  return time !== undefined || steps !== undefined || systems !== undefined;
}

/** Returns whether a slice selects a system with this stamp. `from` and `to` are not considered. */
export function isSelected(stamp: Stamp, { time, steps, systems }: Slice): boolean {
  return isWithin(stamp.time, time) && isWithin(stamp.step, steps) &&
    (systems === undefined || stamp.system !== undefined && systems.includes(stamp.system));
}

function isWithin(value: number | undefined, interval: readonly [number, number] | undefined) {
  return interval === undefined ||
    value !== undefined && value >= interval[0] && value <= interval[1];
}

/**
 * Returns the stamp of a system: from its fields, or from its `info` if the format has no fields per system.
 */
export function stampOf(system: System): Stamp {
  const source = numberOf(system, "sourceId");
  return {
    step: numberOf(system, "step"),
    time: numberOf(system, "time"),
    system: source ?? numberOf(system, "systemId"),
  };
}

function numberOf(system: System, name: string): number | undefined {
  const value = system.has(name) ? system.get(name)[0] : system.info[name];
  return typeof value === "number" ? value : undefined;
}
