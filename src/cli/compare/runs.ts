/**
 * Comparisons of two runs: their logs and their final structures, or the results of two screenings.
 *
 * @module
 */

import { codeOf } from "../../base/file_refusal.ts";
import { textIn } from "../../config/runs/run_files.ts";
import { SCALAR_OF_COLUMN } from "../../observe/atoms/thermo_row.ts";
import type { CommandRun } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { counted } from "../run/counted.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { exists, isStructureName } from "../run/formats.ts";
import { isBuiltInName } from "../run/noble_gases.ts";
import { kindOf } from "../run/path_kind.ts";
import { readStructures, splitRange, type Structure } from "../run/structures.ts";
import { chosenColumns, unitOf } from "../plot/columns.ts";
import { type LogRow, parseLog } from "../plot/log_rows.ts";
import { screeningIn } from "../plot/screening.ts";
import type { ScreenResult } from "../screen/screen_result.ts";
import type { Comparison } from "./comparison.ts";
import type { Pair } from "./pair.ts";
import type { CompareSettings } from "./settings.ts";
import { checkSameAtoms, type Names, structurePairs } from "./structures.ts";

/** Columns that depend on the machine, or only count. */
const NOT_COMPARED = /^(dynamics|training)\/|steps_per_s|^time$/;

/** Compares two run folders, two logs, or two files of structures. */
export async function compareRuns(
  settings: CompareSettings,
  run: CommandRun,
): Promise<Comparison> {
  const [a, b] = settings.pair.map((path) => path.replace(/(.)[/\\]+$/, "$1"));
  const names = { a: a!, b: b! };
  const kinds = await Promise.all([typeOf(names.a), typeOf(names.b)]);
  if (kinds[0] !== kinds[1]) {
    throw new UsageError(
      `Cannot compare ${names.a} and ${names.b}: A is ${kinds[0]}, and B is ${kinds[1]}`,
    );
  }
  switch (kinds[0]!) {
    case "a file of structures":
      return await compareFiles(names, settings, run);
    case "a screening":
      return await compareScreenings(names, settings);
    case "a log":
      return logsOnly(names, await logOf(names.a), await logOf(names.b), settings);
    case "a run folder":
      return await compareFolders(names, settings, run);
  }
}

type Kind = "a file of structures" | "a screening" | "a log" | "a run folder";

async function typeOf(path: string): Promise<Kind> {
  const { file } = splitRange(path), kind = kindOf(file);
  const isBuiltIn = kind === undefined && isBuiltInName(path);
  if (kind === undefined && !isBuiltIn) {
    throw new UsageError(`Cannot compare ${path}: there is no such file or folder`);
  }
  if (isBuiltIn || /\.onnx$/i.test(file)) {
    throw new UsageError(
      `Cannot compare ${path}: it is a potential; pass structures for two potentials by --structures FILE`,
    );
  }
  if (/\.csv$/i.test(file)) return "a log";
  if (isStructureName(file)) return "a file of structures";
  if (kind === "folder" && exists(`${file}/config.json`)) {
    return await screeningIn(file) === undefined ? "a run folder" : "a screening";
  }
  throw new UsageError(
    `Cannot compare ${path}: pass run folders, which have a config.json, logs (.csv), or files of structures`,
  );
}

async function compareFiles(
  names: Names,
  settings: CompareSettings,
  run: CommandRun,
): Promise<Comparison> {
  refuseColumns(settings, "files of structures");
  const warn = (message: string) => run.terminal.complain(message);
  const formats = await formatOptionsOf(settings, warn);
  const a = await readStructures(names.a, formats, run.signal);
  const b = await readStructures(names.b, formats, run.signal);
  checkSameAtoms(a, b, names);
  const atoms = a.reduce((sum, { system }) => sum + system.nodeCount, 0);
  return {
    names,
    of: `${counted(a.length, "structure")} of ${counted(atoms, "atom")} in all`,
    pairs: structurePairs(a, b, { geometry: true }),
    notes: [...onlyIn("A", a, b), ...onlyIn("B", b, a)],
  };
}

/** Returns a note about the quantities that all structures of one file have, and not all of the other. */
function onlyIn(name: string, own: readonly Structure[], other: readonly Structure[]): string[] {
  const has = (all: readonly Structure[], quantity: string) =>
    all.every(({ system }) => system.has(quantity));
  const alone = ["energy", "forces", "stress"].filter((each) =>
    has(own, each) && !has(other, each)
  );
  return alone.length === 0 ? [] : [`Only ${name} has ${alone.join(", ")}`];
}

function refuseColumns({ columns }: CompareSettings, what: string): void {
  if (columns.length > 0) {
    throw new UsageError(`Cannot use --columns: ${what} have no columns`);
  }
}

async function compareFolders(
  names: Names,
  settings: CompareSettings,
  run: CommandRun,
): Promise<Comparison> {
  const logs = logsOnly(names, await logOf(names.a), await logOf(names.b), settings);
  const finals = [names.a, names.b].map((folder) => `${folder}/final.xyz`);
  const missing = finals.filter((file) => !exists(file));
  if (missing.length > 0) {
    const note = `Final structures are not compared: there is no ${missing.join(" and no ")}`;
    return { ...logs, notes: [...logs.notes, ...(missing.length < 2 ? [note] : [])] };
  }
  const [a, b] = await Promise.all(finals.map((file) => readStructures(file, {}, run.signal)));
  checkSameAtoms(a!, b!, { a: finals[0]!, b: finals[1]! });
  const last = structurePairs(a!, b!, { geometry: true })
    .map((pair) => ({ ...pair, quantity: `final ${pair.quantity}` }));
  return {
    ...logs,
    of: `${logs.of}, and ${counted(a!.length, "final structure")}`,
    pairs: [...logs.pairs, ...last],
  };
}

/** Returns the rows of a log, or of the log of a run folder. */
async function logOf(path: string): Promise<readonly LogRow[]> {
  const files = kindOf(path) === "file"
    ? [path]
    : [`${path}/log.csv`, `${path}/logs/scalars.jsonl`];
  for (const file of files) {
    const text = await textIn(file).catch((error) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (text === undefined) continue;
    const rows = parseLog(text, file);
    if (rows.length > 0) return rows;
  }
  throw new UsageError(`Cannot compare ${path}: it has no rows of a log yet`);
}

function logsOnly(
  names: Names,
  a: readonly LogRow[],
  b: readonly LogRow[],
  settings: CompareSettings,
): Comparison {
  const rows = settings.common ? commonRows(names, a, b) : sameRows(names, a, b);
  const of = (all: readonly LogRow[]) =>
    new Set(
      all.flatMap(({ values }) => Object.keys(values)).map((name) =>
        SCALAR_OF_COLUMN[name] ?? name
      ),
    );
  const [inA, inB] = [of(a), of(b)];
  const shared = [...inA].filter((name) => inB.has(name) && !NOT_COMPARED.test(name));
  const columns = settings.columns.length > 0
    ? chosenColumns(settings.columns, shared, "compare")
    : shared;
  const lacks = (name: string, own: ReadonlySet<string>, other: ReadonlySet<string>) => {
    const alone = [...own].filter((each) => !other.has(each) && !NOT_COMPARED.test(each));
    return alone.length === 0 ? [] : [`Only ${name} has ${alone.join(", ")}`];
  };
  const pairs = columns.map((column): Pair => {
    const valueIn = ({ values }: LogRow) =>
      values[column] ?? values[
        Object.keys(SCALAR_OF_COLUMN).find((name) => SCALAR_OF_COLUMN[name] === column) ?? ""
      ] ??
        NaN;
    return {
      quantity: column,
      unit: unitOf(column),
      a: rows.map(([row]) => valueIn(row)),
      b: rows.map(([, row]) => valueIn(row)),
      where: (i) => `step ${rows[i]![0].step}`,
    };
  });
  return {
    names,
    of: `${counted(rows.length, "step")} of the logs, from ${rows[0]![0].step} to ${
      rows.at(-1)![0].step
    }`,
    pairs: pairs.filter(({ a, b }) => [...a, ...b].some(Number.isFinite)),
    notes: settings.columns.length > 0 ? [] : [...lacks("A", inA, inB), ...lacks("B", inB, inA)],
  };
}

/** Returns the rows of two logs. Throws a UsageError if their steps differ. */
function sameRows(names: Names, a: readonly LogRow[], b: readonly LogRow[]): [LogRow, LogRow][] {
  const count = Math.max(a.length, b.length);
  const at = Array.from({ length: count }).findIndex((_, i) => a[i]?.step !== b[i]?.step);
  if (at < 0) return a.map((row, i) => [row, b[i]!]);
  const text = (row: LogRow | undefined) =>
    row === undefined ? "has ended" : `has step ${row.step}`;
  throw new UsageError(
    `Cannot compare ${names.a} and ${names.b}: their steps differ. A has ${a.length} rows to step ${
      a.at(-1)!.step
    }, and B has ${b.length} to step ${b.at(-1)!.step}; where A ${text(a[at])}, B ${
      text(b[at])
    }. ` +
      "Pass --common to compare the steps that both have",
  );
}

function commonRows(names: Names, a: readonly LogRow[], b: readonly LogRow[]): [LogRow, LogRow][] {
  const known = new Map(b.map((row) => [row.step, row]));
  const rows = a.flatMap((row): [LogRow, LogRow][] => {
    const other = known.get(row.step);
    return other === undefined ? [] : [[row, other]];
  });
  if (rows.length > 0) return rows;
  throw new UsageError(`Cannot compare ${names.a} and ${names.b}: they have no step in common`);
}

async function compareScreenings(names: Names, settings: CompareSettings): Promise<Comparison> {
  refuseColumns(settings, "screenings");
  const [a, b] = await Promise.all([names.a, names.b].map(async (path) => await screeningIn(path)));
  const keyOf = ({ file, frame }: ScreenResult) => frame === null ? file : `${file}@${frame}`;
  const inB = new Map(b!.map((result) => [keyOf(result), result]));
  const inA = new Set(a!.map(keyOf));
  const alone = [
    ...a!.filter((one) => !inB.has(keyOf(one))),
    ...b!.filter((one) => !inA.has(keyOf(one))),
  ];
  if (alone.length > 0 && !settings.common) {
    throw new UsageError(
      `Cannot compare ${names.a} and ${names.b}: ${alone.length} of their structures are in one only, such as ${
        keyOf(alone[0]!)
      }. Pass --common to compare the others`,
    );
  }
  const shared = a!.flatMap((one) => {
    const other = inB.get(keyOf(one));
    return other === undefined ? [] : [[one, other] as const];
  });
  const wrong = shared.find(([one, other]) =>
    one.atoms !== null && other.atoms !== null && one.atoms !== other.atoms
  );
  if (wrong !== undefined) {
    throw new UsageError(
      `Cannot compare ${names.a} and ${names.b}: ${keyOf(wrong[0])} has ${
        wrong[0].atoms
      } atoms in A and ${wrong[1].atoms} in B`,
    );
  }
  const done = shared.filter((both) => both.every(({ status }) => status !== "failed"));
  const pairOf = (quantity: string, unit: string, value: (one: ScreenResult) => number): Pair => ({
    quantity,
    unit,
    a: done.map(([one]) => value(one)),
    b: done.map(([, other]) => value(other)),
    where: (i) => keyOf(done[i]![0]),
  });
  const changed = shared.filter(([one, other]) => one.status !== other.status);
  return {
    names,
    of: `${counted(done.length, "structure")} that have a result in both`,
    pairs: [
      pairOf("energy", "eV/atom", ({ energy, atoms }) => (energy ?? NaN) / (atoms ?? NaN)),
      pairOf("fmax", "eV/Å", ({ fmax }) => fmax ?? NaN),
      pairOf("steps", "", ({ steps }) => steps ?? NaN),
    ].filter(({ a }) => a.length > 0),
    notes: changed.map(([one, other]) => `${keyOf(one)}: ${one.status} in A, ${other.status} in B`),
    failsInOne: changed.some((both) => both.some(({ status }) => status === "failed")),
  };
}
