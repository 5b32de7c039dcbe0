/**
 * Checks of the values of systems.
 *
 * @module
 */

import { checkCell, isFiniteCell } from "../cell.ts";
import { LARGEST_NUMBER } from "../elements.ts";
import { checkRows } from "../fields/field_values.ts";
import { rowsOf, sizeOf, type Store } from "../store.ts";

/**
 * A system of a store that is checked. In error messages, `action` is the attempted action ("make a batch"), and `of`
 * names the system (" of system 5", or an empty string).
 */
interface Subject {
  readonly store: Store;
  readonly system: number;
  readonly action: string;
  readonly of: string;
  /** True if positions, velocities and the cell may be NaN or infinite. */
  readonly isData: boolean;
}

const finite = (subject: Subject, name: string) => checkNumbers(subject, name, false);
const positive = (subject: Subject, name: string) => checkNumbers(subject, name, true);

/**
 * The check of each field. Fields without a check may have any values: energies, forces and stresses are NaN until
 * they are computed.
 */
const CHECKS: ReadonlyMap<string, (subject: Subject, name: string) => void> = new Map([
  ["numbers", checkElements],
  ["positions", finite],
  ["velocities", finite],
  ["charges", finite],
  ["masses", positive],
  ["cell", checkCellOf],
  ["pbc", checkCellOf],
  ["edges", checkEdges],
]);

/** Fields that may be NaN or infinite in data, because the frames of a diverged run are valid data. */
const MOVED: ReadonlySet<string> = new Set(["positions", "velocities"]);

/** Options of `checkStore`. */
export interface StoreCheck {
  /**
   * Name of the only field to check.
   *
   * @default all fields
   */
  readonly only?: string;
  /**
   * True for data from a file or another batch: positions, velocities and cells may be NaN or infinite. Engines check
   * them again and refuse such systems.
   *
   * @default false
   */
  readonly isData?: boolean;
}

/**
 * Checks the values of all systems in a store.
 *
 * @param nameOf returns the text after "atom 3" in messages: " of system 5", or an empty string for a single system
 * @throws {RangeError} for the first value that makes computations impossible; the message names atom and system
 */
export function checkStore(
  store: Store,
  action: string,
  nameOf: (system: number) => string,
  { only, isData = false }: StoreCheck = {},
): void {
  const checks = [...CHECKS].filter(([name]) =>
    store.fields.has(name) && (only === undefined ? name !== "pbc" : name === only) &&
    !(isData && MOVED.has(name))
  );
  for (let system = 0; system < sizeOf(store); system++) {
    const subject = { store, system, action, of: nameOf(system), isData };
    for (const [name, check] of checks) check(subject, name);
  }
}

function checkNumbers(subject: Subject, name: string, positive: boolean): void {
  const { store, system, action, of } = subject;
  const { info, values } = store.fields.get(name)!;
  const from = rowsOf(info, store, system) * info.width;
  const to = rowsOf(info, store, system + 1) * info.width;
  checkRows(values.subarray(from, to), info, action, { of, positive });
}

function checkElements({ store, system, action, of }: Subject): void {
  const numbers = store.fields.get("numbers")!.values;
  const [from, to] = [store.nodeOffsets[system]!, store.nodeOffsets[system + 1]!];
  for (let node = from; node < to; node++) {
    const number = numbers[node]!;
    if (number >= 0 && number <= LARGEST_NUMBER) continue;
    throw new RangeError(
      `Cannot ${action}: the atomic number of atom ${
        node - from
      }${of} must be an integer from 0 to ${LARGEST_NUMBER}; got ${number}`,
    );
  }
}

function checkCellOf({ store, system, action, of, isData }: Subject): void {
  const cell = store.fields.get("cell")!.values.subarray(9 * system, 9 * system + 9);
  if (isData && !isFiniteCell(cell)) return;
  const pbc = store.fields.get("pbc")!.values.subarray(3 * system, 3 * system + 3);
  checkCell(cell, pbc, action, of);
}

function checkEdges({ store, system, action, of }: Subject): void {
  const edges = store.fields.get("edges")!.values;
  const [from, to] = [store.nodeOffsets[system]!, store.nodeOffsets[system + 1]!];
  const first = store.edgeOffsets[system]!;
  for (let i = 2 * first; i < 2 * store.edgeOffsets[system + 1]!; i++) {
    if (edges[i]! >= from && edges[i]! < to) continue;
    throw new RangeError(
      `Cannot ${action}: edge ${
        (i >> 1) - first
      }${of} must connect nodes of its own system, ${from} … ${to - 1}; got [${edges[i & ~1]}, ${
        edges[i | 1]
      }]`,
    );
  }
}
