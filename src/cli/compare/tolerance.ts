/**
 * Tolerances of comparisons.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { Parity } from "./pair.ts";

/** Largest allowed differences by the names of quantities; that of the empty name is for all others. */
export type Tolerances = ReadonlyMap<string, number>;

/**
 * Reads tolerances: `0.01` for all quantities, or `forces=0.05` for one. Several are separated by commas.
 *
 * @throws {UsageError} if a text is neither
 */
export function readTolerances(texts: readonly string[]): Tolerances {
  const all = texts.flatMap((text) => text.split(",")).map((text) => text.trim());
  return new Map(all.map((text) => {
    const [, name = "", value] = /^(?:(.+)=)?(.+)$/.exec(text) ?? [];
    const tolerance = value === undefined || value.trim() === "" ? NaN : Number(value);
    if (tolerance >= 0 && tolerance < Infinity) return [name, tolerance] as const;
    throw new UsageError(
      `Cannot use --tolerance ${text}: it must be a number of at least 0, or QUANTITY=NUMBER, such as forces=0.05`,
    );
  }));
}

/**
 * Returns the tolerance of a quantity; undefined if it has none.
 */
export function toleranceOf(tolerances: Tolerances, quantity: string): number | undefined {
  return tolerances.get(quantity) ?? tolerances.get("");
}

/** Throws a UsageError if a tolerance is for a quantity that is not compared. */
export function checkTolerances(tolerances: Tolerances, quantities: readonly string[]): void {
  const unknown = [...tolerances.keys()].find((name) => name !== "" && !quantities.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `Cannot use --tolerance ${unknown}=${tolerances.get(unknown)}: the quantities are ${
      quantities.join(", ")
    }${didYouMean(unknown, quantities)}`,
  );
}

/** Returns whether the largest difference exceeds the tolerance. A difference that is not a number does. */
export function isExceeded({ max }: Parity, tolerance: number | undefined): boolean {
  return tolerance !== undefined && !(max <= tolerance);
}
