/**
 * Which of the systems of a sink are meant.
 *
 * @module
 */

import { show } from "../base/show.ts";
import type { System } from "../batch/system.ts";
import type { Slice } from "./sink.ts";

/** What a slice looks at. What a system has not is `undefined`, and then it is in no interval. */
export interface Stamp {
  /** Its step. */
  readonly step: number | undefined;
  /** Its time, fs. */
  readonly time: number | undefined;
  /** Which system of the run it is. */
  readonly system: number | undefined;
}

const MEMBERS: readonly string[] = ["from", "to", "time", "steps", "systems"];

/**
 * The slice, when it is one.
 *
 * @throws {TypeError} for what is none, naming the member
 * @throws {RangeError} for places that are no counts
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
        `Cannot ${action}: the members of a slice must be among ${MEMBERS.join(", ")}: ` +
          `current member is ${show(key)}`,
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
      `Cannot ${action}: ${key} must be a whole number, 0 or more; got ${show(value)}`,
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

/** Whether a slice asks for more than places. */
export function looksInside({ time, steps, systems }: Slice): boolean {
  return time !== undefined || steps !== undefined || systems !== undefined;
}

/** Whether a system with this stamp is meant, its place aside. */
export function isMeant(stamp: Stamp, { time, steps, systems }: Slice): boolean {
  return isWithin(stamp.time, time) && isWithin(stamp.step, steps) &&
    (systems === undefined || stamp.system !== undefined && systems.includes(stamp.system));
}

function isWithin(value: number | undefined, interval: readonly [number, number] | undefined) {
  return interval === undefined ||
    value !== undefined && value >= interval[0] && value <= interval[1];
}

/** The stamp of a system: from its fields, or from its `info` where a file could say no more. */
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
