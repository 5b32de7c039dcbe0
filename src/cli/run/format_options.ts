/**
 * Options of readers and writers from the settings of a command.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { FormatOptions } from "../../formats/format.ts";
import type { FormatSettings } from "./formats.ts";
import { readStructures } from "./structures.ts";

/** Returns the options of readers and writers. Reads the file of the topology. */
export async function formatOptionsOf(
  { topology, types, units }: FormatSettings,
  onWarning: (message: string) => void,
): Promise<FormatOptions> {
  const system = topology === undefined ? undefined : await firstSystem(topology);
  return {
    onWarning,
    ...system !== undefined && { topology: system },
    ...types !== undefined && { types: types.split(",").map((symbol) => symbol.trim()) },
    ...units !== undefined && { units },
  };
}

async function firstSystem(file: string): Promise<System> {
  return (await readStructures(file))[0]!.system;
}
