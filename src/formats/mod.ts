/**
 * Structure files of other programs: CIF, POSCAR and XDATCAR, PDB, LAMMPS data and dumps, ASE's trajectories, DCD,
 * XTC, H5MD, and arrays of NumPy.
 *
 * `openSystems` and `openSink` of `@hooke/hooke/sinks` handle the formats of trajectories that Hooke appends to.
 *
 * @example
 * ```ts
 * import { parseStructures } from "@hooke/hooke/formats";
 * import { assertEquals } from "@std/assert";
 *
 * const cif = `data_nacl
 * _cell_length_a 5.64
 * _cell_length_b 5.64
 * _cell_length_c 5.64
 * _cell_angle_alpha 90
 * _cell_angle_beta 90
 * _cell_angle_gamma 90
 * loop_
 * _space_group_symop_operation_xyz
 * x,y,z
 * x,y+1/2,z+1/2
 * x+1/2,y,z+1/2
 * x+1/2,y+1/2,z
 * loop_
 * _atom_site_label
 * _atom_site_fract_x
 * _atom_site_fract_y
 * _atom_site_fract_z
 * Na1 0 0 0
 * Cl1 0.5 0 0
 * `;
 * const [salt] = await parseStructures("nacl.cif", cif);
 * assertEquals(salt!.nodeCount, 8);
 * ```
 *
 * @module
 */

export type { FormatOptions, FrameWriter, Patch, StructureFormat, WriteTarget } from "./format.ts";
export { openStructures, parseStructures, type SystemsFile, writeStructures } from "./files.ts";
export { FILE_FORMATS, formatOfPath, type LoadFormat } from "./registry.ts";
export { type FileSource, openSource, sourceOf, type StructureSource } from "./source.ts";
