/**
 * The format XTC of trajectories of GROMACS.
 *
 * @module
 */

import { type System, systemOfData } from "../../batch/system.ts";
import { ByteReader, ByteWriter } from "../bytes.ts";
import type { FormatOptions, FrameWriter, StructureFormat } from "../format.ts";
import { orientationOf } from "../orientation.ts";
import { periodicityCheck } from "../periodicity.ts";
import type { StructureSource } from "../source.ts";
import { topologyFor } from "../topology.ts";
import { readCoordinates, UNCOMPRESSED, writeCoordinates } from "./coordinates.ts";

/** XTC: positions rounded to 0.001 Å when written, and cells. Elements come from a topology. */
export const xtc: StructureFormat = {
  name: "XTC",
  frames: "many",
  read: readXtc,
  write: xtcWriter,
};

/** First number of a frame, and that of frames with lengths of 64 bits. */
const MAGIC = 1995, LONG_MAGIC = 2023;

/** Å per nm. */
const NM = 10;

/** Positions are written in units of 1/PRECISION nm. */
const PRECISION = 10000;

function* readXtc(source: StructureSource, options: FormatOptions): Generator<System, void> {
  const reader = new ByteReader(source, "XTC", { littleEndian: false });
  if (reader.isAtEnd) throw reader.error("the file is empty");
  while (!reader.isAtEnd) {
    const magic = reader.i32();
    if (magic !== MAGIC && magic !== LONG_MAGIC) {
      throw reader.error(`a frame must begin with ${MAGIC} or ${LONG_MAGIC}; got ${magic}`);
    }
    const atoms = reader.i32(), stepsDone = reader.i32();
    const topology = topologyFor(options, { format: "XTC", name: source.name, atoms });
    const [time] = reader.f32s(1);
    const cell = Float64Array.from(reader.f32s(9), (x) => x * NM);
    if (reader.i32() !== atoms) throw reader.error("the frame must repeat its number of atoms");
    const positions = atoms <= UNCOMPRESSED
      ? reader.f32s(3 * atoms)
      : readCoordinates(reader, atoms, magic === LONG_MAGIC);
    yield systemOfData({
      numbers: topology.numbers,
      masses: topology.masses,
      positions: Float64Array.from(positions, (x) => x * NM),
      ...cell.some((x) => x !== 0) && { cell, pbc: true },
      ...stepsDone >= 0 && { stepsDone },
      info: { time_ps: time },
    });
  }
}

function xtcWriter(options: FormatOptions): FrameWriter {
  const { frameTime = 1 } = options, check = periodicityCheck("XTC", "periodic", options);
  let frame = 0;
  return {
    frame(system) {
      check(system);
      const out = new ByteWriter({ littleEndian: false });
      // GROMACS requires a along x and b in the xy plane.
      const { cell, turn } = orientationOf(system.cell) ?? { cell: system.cell, turn: asIs };
      const positions = Float64Array.from(turn(system.positions), (x) => x / NM);
      out.i32(MAGIC);
      out.i32(system.nodeCount);
      out.i32(system.has("stepsDone") ? system.get("stepsDone")[0]! : frame);
      out.f32s([frame++ * frameTime / 1000]);
      out.f32s(Float64Array.from(cell, (x) => x / NM));
      out.i32(system.nodeCount);
      if (system.nodeCount <= UNCOMPRESSED) out.f32s(positions);
      else writeCoordinates(out, positions, PRECISION);
      return out.all();
    },
    finish: () => [],
  };
}

function asIs(vectors: ArrayLike<number>): ArrayLike<number> {
  return vectors;
}
