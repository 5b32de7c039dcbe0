/**
 * Reading of H5MD files.
 *
 * @module
 */

import { printWarning } from "../../base/print_warning.ts";
import { atomicNumber } from "../../batch/elements.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import type { SystemInput } from "../../batch/system_input.ts";
import type { FormatOptions } from "../format.ts";
import type { StructureSource } from "../source.ts";
import { topologyFor } from "../topology.ts";
import { elementAt, groupAt, type H5mdElement, numbersOf, textOf } from "./element.ts";
import type { Hdf, HdfFile, HdfGroup } from "./library.ts";
import { unitFactor } from "./units.ts";
import { SPECIES_MEANING } from "./write.ts";

/** Bytes with which an HDF5 file begins. */
const SIGNATURE = "\x89HDF\r\n\x1a\n";

/** Yields the frames of a file. Only the frame that is needed is read. */
export function* readH5md(
  hdf: Hdf,
  source: StructureSource,
  options: FormatOptions,
): Generator<System, void> {
  const wrong = (reason: string) => new SyntaxError(`Cannot read ${source.name}: ${reason}`);
  const begin = String.fromCharCode(...source.bytes(0, SIGNATURE.length));
  if (begin !== SIGNATURE) throw wrong("an HDF5 file must begin with \\x89HDF");
  const guarded = <T>(call: () => T): T => {
    let result: T;
    try {
      result = call();
    } catch (cause) {
      if (cause instanceof Error && /^Cannot /.test(cause.message)) throw cause;
      const said = cause instanceof Error ? cause.message : String(cause);
      const reason = hdf.takeFault() ?? said.split("\n")[0];
      throw Object.assign(wrong(`the HDF5 library reports: ${reason}`), { cause });
    }
    const fault = hdf.takeFault();
    if (fault !== undefined) throw wrong(`the HDF5 library reports: ${fault}`);
    return result;
  };
  const opened = guarded(() => hdf.open(bytesOf(source), "r"));
  try {
    const reader = guarded(() => readerOf(opened.file, { source, options, wrong }));
    for (let frame = 0; frame < reader.frames; frame++) yield guarded(() => reader.frame(frame));
  } finally {
    opened.close();
  }
}

function bytesOf(source: StructureSource): Parameters<Hdf["open"]>[0] {
  return {
    size: () => source.size,
    read(position, into) {
      const bytes = source.bytes(position, into.length);
      into.set(bytes);
      return bytes.length;
    },
  };
}

/** Reads the frames of an open file. */
interface FrameReader {
  readonly frames: number;
  frame(index: number): System;
}

/** The file that is read, its options, and the function that makes its errors. */
interface ReadContext {
  readonly source: StructureSource;
  readonly options: FormatOptions;
  readonly wrong: (reason: string) => SyntaxError;
}

function readerOf(file: HdfFile, context: ReadContext): FrameReader {
  const { wrong } = context;
  if (groupAt(file, "h5md") === undefined) {
    throw wrong("an H5MD file must have a group h5md; this is another kind of HDF5 file");
  }
  const particles = particlesOf(file, wrong);
  const position = elementAt(particles, "position")!;
  const shape = position.value.shape ?? [], [atoms = 0, width] = shape.slice(-2);
  if (shape.length !== (position.steps === undefined ? 2 : 3) || width !== 3) {
    throw wrong(`positions must be [frames, atoms, 3]; got [${shape.join(", ")}]`);
  }
  const scaleOf = unitsOf(context);
  const fixed = atomsOf(file, particles, atoms, context);
  const changing = ([name, field, what]: readonly [string, "velocities" | "forces", string]) => {
    const element = elementAt(particles, name);
    return element === undefined ? [] : [{ element, field, scale: scaleOf(element, name, what) }];
  };
  const fields = [
    ...changing(["velocity", "velocities", "Å/fs"]),
    ...changing(["force", "forces", "eV/Å"]),
  ];
  const scale = scaleOf(position, "position", "Å"), box = boxOf(particles, context, scaleOf);
  const timeScale = unitFactor(position.timeUnit ?? "fs") ?? 1;
  return {
    frames: position.steps === undefined ? 1 : shape[0]!,
    frame(index) {
      const step = position.steps?.[index], time = position.times?.[index];
      const input: Record<string, unknown> = {
        ...fixed,
        positions: scaled(valuesAt(position, index), scale),
        ...box(step, index),
        ...step !== undefined && step >= 0 && { stepsDone: step },
        ...time !== undefined && { info: { time_ps: time * timeScale / 1000 } },
      };
      for (const { element, field, scale } of fields) {
        const at = frameOf(element, step, index);
        if (at !== undefined) input[field] = scaled(valuesAt(element, at), scale);
      }
      return systemOfData(input as unknown as SystemInput);
    },
  };
}

/** Returns the group of particles. If several have positions, it is the one with the most usual name. */
function particlesOf(file: HdfFile, wrong: ReadContext["wrong"]): HdfGroup {
  const all = groupAt(file, "particles");
  const names = (all?.keys() ?? []).filter((name) =>
    groupAt(all!, name) !== undefined && elementAt(groupAt(all!, name)!, "position") !== undefined
  );
  const name = names.length === 1
    ? names[0]
    : ["all", "trajectory", "atoms"].find((usual) => names.includes(usual));
  if (name !== undefined) return groupAt(all!, name)!;
  throw wrong(
    names.length === 0
      ? "no group in particles has positions"
      : `its groups ${names.join(", ")} have positions, and none of them is named all`,
  );
}

/** Returns the index of a step in an element; 0 if the element is the same for all frames, undefined if it lacks the step. */
function frameOf(
  { steps }: H5mdElement,
  step: number | undefined,
  index: number,
): number | undefined {
  if (steps === undefined) return 0;
  if (step === undefined || steps[index] === step) return index;
  const at = steps.indexOf(step);
  return at < 0 ? undefined : at;
}

function valuesAt({ value, steps }: H5mdElement, index: number): number[] {
  return numbersOf(steps === undefined ? value.value : value.slice([[index, index + 1]]));
}

function scaled(values: readonly number[], scale: number): Float64Array {
  return Float64Array.from(values, scale === 1 ? undefined! : (x) => x * scale);
}

/** Returns a function that returns the factor of an element's unit. It warns once of values without a unit. */
function unitsOf(
  { source, options: { onWarning = printWarning }, wrong }: ReadContext,
): (element: H5mdElement, name: string, assumed: string) => number {
  const without: string[] = [];
  return ({ value }, name, assumed) => {
    const unit = textOf(value.attrs.unit?.value);
    if (unit === undefined) {
      if (without.length === 0) {
        onWarning(`${source.name}: ${name} has no unit, and is taken to be in ${assumed}`);
      }
      without.push(name);
      return 1;
    }
    const factor = unitFactor(unit);
    if (factor !== undefined) return factor;
    throw wrong(`the unit of ${name} must be one of length, time, energy and mass; got ${unit}`);
  };
}

/** Returns a function that returns the cell of a step. */
function boxOf(
  particles: HdfGroup,
  { wrong }: ReadContext,
  scaleOf: (element: H5mdElement, name: string, assumed: string) => number,
): (step: number | undefined, index: number) => Record<string, unknown> {
  const box = groupAt(particles, "box"), edges = box && elementAt(box, "edges");
  if (box === undefined || edges === undefined) return () => ({});
  const boundary = box.attrs.boundary?.value;
  const flags = Array.isArray(boundary) ? boundary.map((one) => one === "periodic" ? 1 : 0) : [];
  if (flags.length !== 3) throw wrong("the box must have three boundaries");
  const scale = scaleOf(edges, "edges", "Å");
  return (step, index) => {
    const at = frameOf(edges, step, index);
    if (at === undefined) throw wrong(`the box lacks the step ${step}`);
    const values = valuesAt(edges, at).map((x) => x * scale);
    const cell = values.length === 3
      ? [values[0]!, 0, 0, 0, values[1]!, 0, 0, 0, values[2]!]
      : values;
    if (cell.length !== 9) throw wrong(`the box must have 3 or 9 numbers; got ${cell.length}`);
    return { cell: Float64Array.from(cell), pbc: flags };
  };
}

/** Returns elements and masses: of the topology, or of the file if it says what its species are. */
function atomsOf(
  file: HdfFile,
  particles: HdfGroup,
  atoms: number,
  { source, options, wrong }: ReadContext,
): Record<string, unknown> {
  const mass = elementAt(particles, "mass");
  const masses = mass === undefined || mass.steps !== undefined ? undefined : scaled(
    numbersOf(mass.value.value),
    unitFactor(textOf(mass.value.attrs.unit?.value) ?? "u") ?? 1,
  );
  const numbers = options.topology === undefined
    ? numbersFrom(file, particles, options, wrong)
    : undefined;
  if (numbers !== undefined) {
    if (numbers.length !== atoms) {
      throw wrong(`it must have a species for each of ${atoms} atoms; got ${numbers.length}`);
    }
    return { numbers, ...masses !== undefined && { masses } };
  }
  const topology = topologyFor(options, { format: "H5MD", name: source.name, atoms });
  return { numbers: topology.numbers, masses: topology.masses };
}

/** Returns the atomic numbers of species that the file explains; undefined if it does not. */
function numbersFrom(
  file: HdfFile,
  particles: HdfGroup,
  { types }: FormatOptions,
  wrong: ReadContext["wrong"],
): number[] | undefined {
  const element = elementAt(particles, "species");
  if (element === undefined) return undefined;
  const { value: species } = element;
  const values = element.steps === undefined
    ? numbersOf(species.value)
    : numbersOf(species.slice([[0, 1]]));
  const { members } = species.metadata.enum_type ?? {};
  if (members !== undefined) {
    const names = new Map(Object.entries(members).map(([name, value]) => [Number(value), name]));
    return values.map((value) => atomicNumber(names.get(value) ?? ""));
  }
  if (types !== undefined) {
    return values.map((value) => {
      const symbol = types[value - 1];
      if (symbol !== undefined) return atomicNumber(symbol);
      throw wrong(`\`types\` must have an element for each species; it has none for ${value}`);
    });
  }
  const creator = groupAt(file, "h5md/creator");
  const isOurs = textOf(creator?.attrs.name?.value) === "Hooke" ||
    textOf(species.attrs.meaning?.value) === SPECIES_MEANING;
  return isOurs ? values : undefined;
}
