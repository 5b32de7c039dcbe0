/**
 * Writing of H5MD files.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { FormatOptions, FrameWriter, WriteTarget } from "../format.ts";
import type { Hdf, HdfDataset, HdfFile, HdfGroup } from "./library.ts";
import { unitFactor } from "./units.ts";

/** Attribute `meaning` of species that are atomic numbers. H5MD leaves the meaning of species open. */
export const SPECIES_MEANING = "atomic number";

/** Number of bytes that a chunk of a dataset has at least, if there are enough frames. */
const CHUNK_BYTES = 1 << 14;

/** Creates the writer of a file. The library writes to `target` when it needs to. */
export function h5mdWriter(hdf: Hdf, options: FormatOptions, target?: WriteTarget): FrameWriter {
  if (target === undefined) throw new TypeError("Cannot write H5MD: a file is required");
  const opened = hdf.open(target, "w");
  let written: Written | undefined, isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    opened.close();
  };
  return {
    frame(system) {
      written ??= begin(opened.file, system);
      append(written, system, options);
      return new Uint8Array();
    },
    finish() {
      close();
      const fault = hdf.takeFault();
      if (fault !== undefined) throw new Error(`Cannot write H5MD: ${fault}`);
      return [];
    },
    close,
  };
}

/** A file that is being written. */
interface Written {
  readonly first: System;
  /** Datasets with one row per frame, and their values. */
  readonly rows: readonly Row[];
  frames: number;
}

/** A dataset with one row per frame. */
interface Row {
  readonly dataset: HdfDataset;
  /** Shape of a frame. */
  readonly shape: readonly number[];
  readonly valuesOf: (system: System, frame: number, options: FormatOptions) => ArrayLike<number>;
}

/** Writes what is the same for all frames, and creates datasets without frames. */
function begin(file: HdfFile, system: System): Written {
  const atoms = system.nodeCount, meta = file.create_group("h5md");
  meta.create_attribute("version", new Int32Array([1, 1]), [2], "<i");
  meta.create_group("author").create_attribute("name", "unknown");
  const creator = meta.create_group("creator");
  creator.create_attribute("name", "Hooke");
  creator.create_attribute("version", "1");
  const units = meta.create_group("modules").create_group("units");
  units.create_attribute("version", new Int32Array([1, 0]), [2], "<i");
  const all = file.create_group("particles").create_group("all");
  const species = all.create_dataset({
    name: "species",
    data: Int32Array.from(system.numbers),
    shape: [atoms],
    dtype: "<i",
  });
  species.create_attribute("meaning", SPECIES_MEANING);
  const masses = { name: "mass", data: Float64Array.from(system.masses), shape: [atoms] };
  all.create_dataset({ ...masses, dtype: "<d" }).create_attribute("unit", "u");
  const rows: Row[] = [];
  const shape = [atoms, 3];
  element(all, "position", rows, { shape, unit: "Angstrom", valuesOf: (s) => s.positions });
  if (system.has("velocities")) {
    const valuesOf = (one: System) => one.get("velocities");
    element(all, "velocity", rows, { shape, unit: "Angstrom fs-1", valuesOf });
  }
  if (system.has("forces")) {
    // MDAnalysis knows no unit with eV.
    const unit = "kJ mol-1 Angstrom-1", scale = 1 / unitFactor(unit)!;
    const valuesOf = (one: System) => one.get("forces").map((f) => f * scale);
    element(all, "force", rows, { shape, unit, valuesOf });
  }
  const box = all.create_group("box");
  box.create_attribute("dimension", 3, [], "<i");
  const boundary = Array.from(system.pbc, (flag) => flag === 1 ? "periodic" : "none");
  box.create_attribute("boundary", boundary, [3]);
  if (hasCell(system)) {
    element(box, "edges", rows, { shape: [3, 3], unit: "Angstrom", valuesOf: (s) => s.cell });
  }
  return { first: system, rows, frames: 0 };
}

/** Creates a group with a value per frame. All elements share the steps and times of the positions. */
function element(
  parent: HdfGroup,
  name: string,
  rows: Row[],
  { shape, unit, valuesOf }: Pick<Row, "shape" | "valuesOf"> & { readonly unit: string },
): void {
  const group = parent.create_group(name), isFirst = rows.length === 0;
  const value = dataset(group, "value", shape, "<d");
  value.create_attribute("unit", unit);
  rows.push({ dataset: value, shape, valuesOf });
  if (!isFirst) {
    for (const each of ["step", "time"]) {
      group.create_hard_link(`/particles/all/position/${each}`, each);
    }
    return;
  }
  rows.push({ dataset: dataset(group, "step", [], "<i"), shape: [], valuesOf: stepOf });
  const time = dataset(group, "time", [], "<d");
  time.create_attribute("unit", "fs");
  rows.push({ dataset: time, shape: [], valuesOf: timeOf });
}

/** Creates a dataset without frames, to which frames are added. */
function dataset(
  group: HdfGroup,
  name: string,
  shape: readonly number[],
  dtype: "<d" | "<i",
): HdfDataset {
  const size = shape.reduce((a, b) => a * b, 1), bytes = dtype === "<d" ? 8 : 4;
  const frames = Math.max(1, Math.min(256, Math.floor(CHUNK_BYTES / (bytes * Math.max(1, size)))));
  const created = group.create_dataset({
    name,
    data: dtype === "<d" ? new Float64Array(size) : new Int32Array(size),
    shape: [1, ...shape],
    dtype,
    maxshape: [null, ...shape],
    chunks: [frames, ...shape],
  });
  return created;
}

function append(written: Written, system: System, options: FormatOptions): void {
  const { first, rows, frames } = written;
  const isSame = system.nodeCount === first.nodeCount &&
    system.numbers.every((number, i) => number === first.numbers[i]) &&
    system.pbc.every((flag, i) => flag === first.pbc[i]) && hasCell(system) === hasCell(first) &&
    ["velocities", "forces"].every((name) => system.has(name) === first.has(name));
  if (!isSame) {
    throw new TypeError(
      `Cannot write H5MD: all frames must have the same elements, boundaries and fields; frame ${frames} differs`,
    );
  }
  for (const { dataset, shape, valuesOf } of rows) {
    if (frames > 0) dataset.resize([frames + 1, ...shape]);
    const values = valuesOf(system, frames, options);
    const isStep = dataset === rows[1]!.dataset;
    const data = isStep ? Int32Array.from(values) : Float64Array.from(values);
    dataset.write_slice([[frames, frames + 1], ...shape.map(() => [])], data);
  }
  written.frames++;
}

function hasCell({ cell }: System): boolean {
  return cell.some((x) => x !== 0);
}

/** Returns the step of a frame: that of the run, or the number of the frame. */
function stepOf(system: System, frame: number): ArrayLike<number> {
  const name = ["step", "stepsDone"].find((one) => system.has(one));
  return [name === undefined ? frame : system.get(name)[0]!];
}

/** Returns the time of a frame, fs: that of the run, or the number of the frame times `frameTime`. */
function timeOf(
  system: System,
  frame: number,
  { frameTime = 1 }: FormatOptions,
): ArrayLike<number> {
  if (system.has("time")) return [system.get("time")[0]!];
  const { time_ps: time } = system.info as { readonly time_ps?: unknown };
  return [typeof time === "number" ? time * 1000 : frame * frameTime];
}
