/**
 * Conversion of systems in any form to a list.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { Batch, type BatchInput } from "../../batch/batch.ts";
import { readSystem } from "../../batch/read_system.ts";
import { System, systemOf } from "../../batch/system.ts";

/**
 * Returns systems as a list. Throws a TypeError if `systems` is not iterable, and the errors of invalid descriptions
 * of systems.
 */
export function systemsList(action: string, systems: BatchInput): System[] {
  if (systems instanceof Batch) return systems.systems();
  if (systems instanceof System) return [systems];
  if (typeof systems !== "object" || systems === null || !(Symbol.iterator in systems)) {
    throw new TypeError(
      `Cannot ${action}: systems must be an iterable of systems; got ${show(systems)}`,
    );
  }
  return Array.from(systems, (system, place) => {
    if (system instanceof System) return system;
    return systemOf(readSystem(system, `${action} (system ${place})`));
  });
}
