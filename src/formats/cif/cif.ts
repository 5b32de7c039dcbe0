/**
 * The format CIF of crystals.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { type StructureFormat, textWriter } from "../format.ts";
import { orientationOf } from "../orientation.ts";
import { readCif } from "./read_cif.ts";

/** Crystallographic Information File: fractional coordinates, with symmetry operations expanded by the reader. */
export const cif: StructureFormat = {
  name: "CIF",
  frames: "many",
  read: readCif,
  write: () => textWriter(cifText),
};

/** Returns the data block of a crystal in the group P1. Throws a TypeError if a direction is not periodic. */
function cifText(system: System, index: number): string {
  if (!system.pbc.every((flag) => flag === 1)) {
    throw new TypeError(
      "Cannot write CIF: the structure must be periodic in three directions. Write it as .xyz instead",
    );
  }
  const orientation = orientationOf(system.cell)!;
  const [a, b, c, alpha, beta, gamma] = orientation.parameters;
  const fractional = orientation.fractional(system.positions);
  const name = typeof system.info.name === "string" && /^[!-~]+$/.test(system.info.name)
    ? system.info.name
    : `structure_${index}`;
  const counts = new Map<string, number>();
  const atoms = system.symbols.map((symbol, atom) => {
    const count = (counts.get(symbol) ?? 0) + 1;
    counts.set(symbol, count);
    const at = Array.from(fractional.subarray(3 * atom, 3 * atom + 3), (x) => x.toFixed(12));
    return `${symbol}${count} ${symbol} ${at.join(" ")} 1.0\n`;
  });
  return `data_${name}
_cell_length_a ${a}
_cell_length_b ${b}
_cell_length_c ${c}
_cell_angle_alpha ${alpha}
_cell_angle_beta ${beta}
_cell_angle_gamma ${gamma}
_space_group_name_H-M_alt 'P 1'
_space_group_IT_number 1
loop_
_space_group_symop_operation_xyz
'x, y, z'
loop_
_atom_site_label
_atom_site_type_symbol
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
_atom_site_occupancy
${atoms.join("")}
`;
}
