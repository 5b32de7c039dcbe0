import { checkOptions } from "../../base/check_options.ts";
import { FILE_OPTIONS, FileSink, type FileSinkOptions } from "../files/file_sink.ts";
import { AseStore } from "./store.ts";

/** Options of an {@linkcode AseDatabaseSink}. */
export interface AseDatabaseSinkOptions extends FileSinkOptions {
  /**
   * Owner of the rows. ASE selects rows of an owner by `user=…`.
   *
   * @default no owner
   */
  readonly username?: string;
}

/**
 * Writes systems to an ASE database (SQLite, version 9 of its tables), so that `ase.db.connect(path).select(…)` finds
 * them, and reads databases that ASE wrote.
 *
 * Elements, positions, cell, pbc, masses, momenta, charges, energy, forces, stress, and the fields `tags`, `magmoms`,
 * `magmom`, `dipole`, `free_energy`, `initial_charges`, `initial_magmoms` are in ASE's own columns. The field
 * `move_mask` (0 for fixed atoms) becomes ASE's `FixAtoms` or `FixCartesian`. Other numbers per system (`step`,
 * `time`, …), and numbers and texts of `info`, are key-value pairs. All other values are in `data`, so that every
 * field is read back bitwise identical. Typed arrays in `info` are read back as lists.
 *
 * Other programs see systems after a flush.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { AseDatabaseSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.db`;
 * await using sink = new AseDatabaseSink(path);
 * const info = { label: "dimer" };
 * await sink.write(Batch.from([{ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 0, 0, 3.8], info }]));
 * await sink.flush(); // ase.db.connect("argon.db").get(label="dimer") finds it now
 * assertEquals((await sink.read()).infos[0], { label: "dimer" });
 * ```
 */
export class AseDatabaseSink extends FileSink {
  /** Creates the sink. The database is opened by `open` or the first `write`. */
  constructor(path: string, options: AseDatabaseSinkOptions = {}) {
    checkOptions("make an AseDatabaseSink", options, ["username", ...FILE_OPTIONS]);
    super(path, new AseStore(path, options.username ?? null), options);
  }
}
