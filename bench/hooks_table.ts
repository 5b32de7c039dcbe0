/**
 * Rows of the benchmark of the hook core. bench/README.md describes them.
 *
 * @module
 */

import { bytes, ratio, ratioOf } from "./hooks/runs.ts";
import type { BenchResult, BenchRow } from "./row.ts";

const PEERS = ["eventemitter3", "hookable", "mitt", "nanoevents", "typed-function", "array loop"];
const FREE = ["empty stage", "none due", "one shape", "classes", "functions"];

/** A row whose value is a case over its floor. */
function floorRow(n: number, name: string, limit: number, id: string): BenchRow {
  return {
    id: `hooks/${n}`,
    name,
    limit,
    unit: "x",
    run: () => ratioOf([id], (only) => only!),
  };
}

async function againstTapable(): Promise<BenchResult> {
  const result = await ratioOf(["classes", "tapable"], (ours, peer) => ours! / peer!);
  const all: string[] = [];
  for (const name of ["classes", "tapable", ...PEERS]) {
    all.push(`${name === "classes" ? "hooke" : name} ${show(await ratio(name))}`);
  }
  return { ...result, note: `over direct calls: ${all.join(", ")}` };
}

async function againstTypedFunction(): Promise<BenchResult> {
  const result = await ratioOf(
    ["overloads 12", "typed-function 3"],
    (ours, peer) => ours! / peer!,
  );
  const names = ["overloads 12", "typed-function 3", "typed-function 12"];
  const all = [...names, "overloads 12 all", "typed-function 12 all"];
  const seen: string[] = [];
  for (const name of all) seen.push(`${name} ${show(await ratio(name))}`);
  return {
    ...result,
    note: `over direct calls: ${seen.join(", ")} ("all": every signature in turn)`,
  };
}

async function bytesPerEvent(): Promise<BenchResult> {
  const runs: number[] = [];
  for (const name of FREE) runs.push(await bytes(name));
  const tenth = await bytes("every tenth");
  return {
    value: Math.max(...runs),
    runs,
    note: `cases 1 to 5; with every other hook of case 4 due at each tenth step: ${show(tenth)} B`,
  };
}

function show(value: number): string {
  return value === 0 ? "0" : value.toFixed(value < 10 ? 2 : 0);
}

const rows: BenchRow[] = [
  floorRow(1, "a stage without hooks, against an empty loop iteration", 1.3, "empty stage"),
  floorRow(2, "9 stages with 8 hooks none due, against 9 without hooks", 1.5, "none due"),
  floorRow(3, "8 hooks of one shape, against the calls written out", 1.2, "one shape"),
  floorRow(4, "2 engines, 8 hook classes, 15 calls, against direct calls", 1.8, "classes"),
  floorRow(5, "the same with plain functions in hook({...})", 2.4, "functions"),
  {
    id: "hooks/6",
    name: "case 4, against tapable",
    limit: 0.5,
    unit: "x",
    run: againstTapable,
  },
  {
    id: "hooks/7",
    name: "an overload set of 12 signatures, against typed-function with 3",
    limit: 1,
    unit: "x",
    run: againstTypedFunction,
  },
  {
    id: "hooks/8",
    name: "bytes allocated per event, cases 1 to 5",
    limit: 0,
    unit: "B",
    run: bytesPerEvent,
  },
];

export default rows;
