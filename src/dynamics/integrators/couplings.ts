/**
 * Checks of the parameters of thermostats and barostats.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { show } from "../../base/show.ts";
import { systemName } from "../../batch/store.ts";
import { checkParameter, isFromField, type PerSystem, perSystem } from "./parameters.ts";

/**
 * Throws a RangeError if a coupling time is below two steps, because a chain would then be unstable or stop all
 * motion. Values from fields are only checked if a batch is given.
 */
export function checkCoupling(
  engine: string,
  name: string,
  time: PerSystem,
  dt: PerSystem,
  batch?: Batch,
): void {
  const read = (value: PerSystem, what: string) =>
    batch !== undefined && isFromField(value) ? perSystem(engine, what, value, batch) : value;
  const values = [read(time, name), read(dt, "dt")];
  if (values.some(isFromField)) return;
  const [times, steps] = values as (number | ArrayLike<number>)[];
  const at = (value: number | ArrayLike<number>, system: number) =>
    typeof value === "number" ? value : value[system] ?? NaN;
  const count = Math.max(
    ...[times!, steps!].map((one) => typeof one === "number" ? 1 : one.length),
  );
  for (let system = 0; system < count; system++) {
    if (!(at(times!, system) < 2 * at(steps!, system))) continue;
    const of = typeof time === "number"
      ? ""
      : ` of system ${batch === undefined ? system : systemName(batch.infos, system)}`;
    throw new RangeError(
      `Cannot make ${engine}: ${name}${of} must be at least twice dt; got ${
        at(times!, system)
      } fs with a dt of ${at(steps!, system)} fs`,
    );
  }
}

/** Throws a TypeError or RangeError if an option of a Nosé–Hoover chain is invalid. */
export function checkChain(engine: string, chainLength: unknown, yoshidaOrder: unknown): void {
  for (const [name, value] of Object.entries({ chainLength, yoshidaOrder })) {
    if (typeof value === "number") continue;
    throw new TypeError(
      `Cannot make ${engine}: ${name} must be a number; got ${show(value)}`,
    );
  }
  checkParameter(engine, "chainLength", chainLength, {
    requirement: "a whole number from 1 to 16",
    holds: (x) => Number.isInteger(x) && x >= 1 && x <= 16,
  });
  checkParameter(engine, "yoshidaOrder", yoshidaOrder, {
    requirement: "1, 3 or 5",
    holds: (x) => x === 1 || x === 3 || x === 5,
  });
}
