/**
 * The format DCD of trajectories, as CHARMM, NAMD, OpenMM and LAMMPS write it.
 *
 * @module
 */

import { type System, systemOfData } from "../../batch/system.ts";
import { ByteReader, ByteWriter } from "../bytes.ts";
import { cellOfParameters } from "../cell_parameters.ts";
import type { FormatOptions, FrameWriter, StructureFormat } from "../format.ts";
import { orientationOf } from "../orientation.ts";
import { periodicityCheck } from "../periodicity.ts";
import type { StructureSource } from "../source.ts";
import { topologyFor } from "../topology.ts";

/** DCD: positions as float32, and the cell as lengths and angles. Elements come from a topology. */
export const dcd: StructureFormat = {
  name: "DCD",
  frames: "many",
  read: readDcd,
  write: dcdWriter,
};

/** CHARMM's unit of time, fs. */
const AKMA_FS = 48.88821;

/** Indices of the control numbers of the header. */
const FRAMES = 0, EVERY = 2, FIXED = 8, DELTA = 9, HAS_CELL = 10, HAS_FOURTH = 11, VERSION = 19;

function* readDcd(source: StructureSource, options: FormatOptions): Generator<System, void> {
  const reader = openReader(source), control = readControl(reader);
  skipRecord(reader); // the titles
  const atoms = readRecord(reader, 4, (r) => r.i32());
  const topology = topologyFor(options, { format: "DCD", name: source.name, atoms });
  while (!reader.isAtEnd) {
    const cell = control[HAS_CELL] === 0 ? undefined : readCell(reader);
    const axes = [0, 1, 2].map(() => readRecord(reader, 4 * atoms, (r) => r.f32s(atoms)));
    if (control[HAS_FOURTH] !== 0) skipRecord(reader);
    const positions = new Float64Array(3 * atoms);
    axes.forEach((axis, k) => axis.forEach((x, i) => positions[3 * i + k] = x));
    yield systemOfData({
      numbers: topology.numbers,
      masses: topology.masses,
      positions,
      ...cell !== undefined && { cell, pbc: true },
    });
  }
}

/** Opens the file with the byte order in which its first record has 84 bytes. */
function openReader(source: StructureSource): ByteReader {
  for (const littleEndian of [true, false]) {
    const reader = new ByteReader(source, "DCD", { littleEndian });
    if (reader.i32() === 84 && new TextDecoder().decode(reader.take(4)) === "CORD") return reader;
  }
  throw new ByteReader(source, "DCD", { littleEndian: true }).error(
    "the file must begin with a record of 84 bytes, CORD",
  );
}

function readControl(reader: ByteReader): number[] {
  const control = Array.from({ length: 20 }, () => reader.i32());
  endRecord(reader, 84);
  // Files of X-PLOR have version 0, and their time step takes the place of DELTA and HAS_CELL.
  if (control[VERSION] === 0) control[HAS_CELL] = control[HAS_FOURTH] = 0;
  if (control[FIXED] !== 0) throw reader.error("a file with fixed atoms is not supported");
  return control;
}

function readRecord<T>(reader: ByteReader, length: number, read: (reader: ByteReader) => T): T {
  const found = reader.i32();
  if (found !== length) throw reader.error(`a record must have ${length} bytes; got ${found}`);
  const value = read(reader);
  endRecord(reader, length);
  return value;
}

function skipRecord(reader: ByteReader): void {
  const length = reader.i32();
  reader.take(length);
  endRecord(reader, length);
}

function endRecord(reader: ByteReader, length: number): void {
  const end = reader.i32();
  if (end !== length) {
    throw reader.error(`a record of ${length} bytes must end with its length; got ${end}`);
  }
}

/** Reads A, γ, B, β, α, C. Some programs write the cosines of the angles. */
function readCell(reader: ByteReader): Float64Array | undefined {
  const [a, gamma, b, beta, alpha, c] = readRecord(reader, 48, (r) => [...r.f64s(6)]) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (a === 0 && b === 0 && c === 0) return undefined;
  const isCosine = [alpha, beta, gamma].every((x) => Math.abs(x) <= 1);
  const [al, be, ga] = [alpha, beta, gamma].map((x) =>
    isCosine ? Math.acos(x) * 180 / Math.PI : x
  ) as [number, number, number];
  const cell = cellOfParameters([a, b, c, al, be, ga]);
  if (cell === undefined) {
    throw reader.error(`the cell must span a volume; got ${[a, b, c, al, be, ga].join(" ")}`);
  }
  return cell;
}

function dcdWriter(options: FormatOptions): FrameWriter {
  const { frameTime = 1 } = options, check = periodicityCheck("DCD", "periodic", options);
  let frames = 0, atoms = 0, hasCell = false;
  return {
    frame(system) {
      check(system);
      const out = new ByteWriter({ littleEndian: true });
      const periodic = system.cell.some((x) => x !== 0);
      if (frames === 0) {
        [atoms, hasCell] = [system.nodeCount, periodic];
        writeHeader(out, atoms, hasCell, frameTime);
      }
      if (system.nodeCount !== atoms || periodic !== hasCell) {
        throw new TypeError(
          `Cannot write DCD: all frames must have the same number of atoms, and all or none a cell; frame ${frames} differs`,
        );
      }
      frames++;
      writeFrame(out, system, hasCell);
      return out.all();
    },
    finish() {
      const count = new ByteWriter({ littleEndian: true });
      count.i32(frames);
      return [{ at: 8 + 4 * FRAMES, bytes: count.all() }];
    },
  };
}

function writeHeader(out: ByteWriter, atoms: number, hasCell: boolean, frameTime: number): void {
  const control = Array<number>(20).fill(0);
  control[EVERY] = 1;
  control[HAS_CELL] = hasCell ? 1 : 0;
  control[VERSION] = 24; // of CHARMM
  out.i32(84);
  out.ascii("CORD");
  control.forEach((value, i) => i === DELTA ? out.f32s([frameTime / AKMA_FS]) : out.i32(value));
  out.i32(84);
  out.i32(84);
  out.i32(1);
  out.ascii("written by Hooke".padEnd(80));
  out.i32(84);
  for (const value of [4, atoms, 4]) out.i32(value);
}

function writeFrame(out: ByteWriter, system: System, hasCell: boolean): void {
  let positions: ArrayLike<number> = system.positions;
  if (hasCell) {
    const orientation = orientationOf(system.cell);
    if (orientation === undefined) {
      throw new TypeError("Cannot write DCD: the cell must have three lattice vectors");
    }
    positions = orientation.turn(positions);
    const [a, b, c, alpha, beta, gamma] = orientation.parameters;
    out.i32(48);
    out.f64s([a, gamma, b, beta, alpha, c]);
    out.i32(48);
  }
  for (let k = 0; k < 3; k++) {
    out.i32(4 * system.nodeCount);
    out.f32s(Float64Array.from(system.numbers, (_, i) => positions[3 * i + k]!));
    out.i32(4 * system.nodeCount);
  }
}
