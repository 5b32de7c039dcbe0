/**
 * Splits batches and buffers among threads, and merges the results of threads.
 *
 * @module
 */

import { Control } from "../../kernels/kernel.ts";
import type { SavedPairs, Spread } from "../backend.ts";
import type { Numbers } from "./requests.ts";

/** A range of indices, from `from` up to but not including `to`. */
export type Stretch = readonly [from: number, to: number];

/** The systems and atoms of a batch that one thread computes. */
export interface Part {
  /** Range of the systems within the batch. */
  readonly systems: Stretch;
  /** Range of the atoms within the batch. */
  readonly atoms: Stretch;
}

/**
 * Splits the systems of a batch into consecutive parts with about equal numbers of atoms, one part per thread. If
 * there are fewer systems than threads, there are fewer parts.
 */
export function partsOf(offsets: Int32Array, threads: number): readonly Part[] {
  const systems = offsets.length - 1, atoms = offsets[systems]!;
  const count = Math.max(1, Math.min(threads, systems));
  const cuts = [0];
  for (let part = 1; part < count; part++) {
    const goal = atoms * part / count;
    const last = systems - (count - part);
    let cut = cuts.at(-1)! + 1;
    const isNearer = () => Math.abs(offsets[cut + 1]! - goal) <= Math.abs(offsets[cut]! - goal);
    while (cut < last && isNearer()) cut++;
    cuts.push(cut);
  }
  cuts.push(systems);
  return Array.from({ length: count }, (_, part) => {
    const [from, to] = [cuts[part]!, cuts[part + 1]!];
    return { systems: [from, to], atoms: [offsets[from]!, offsets[to]!] };
  });
}

/**
 * Work that each thread of a team does for all atoms of the batch, as a fraction of the work on the pairs of an atom,
 * which threads share.
 */
const REPEATED = 0.25;

/**
 * Returns the number of threads of a team that is faster than splitting the batch by systems; `undefined` if no team
 * is. `domainsOf` returns the number of threads that can share the pairs of a system with a given number of atoms.
 */
export function teamSize(
  offsets: Int32Array,
  threads: number,
  domainsOf: (atoms: number) => number,
): number | undefined {
  const systems = offsets.length - 1;
  if (systems >= threads) return undefined;
  const sizes = Array.from({ length: systems }, (_, s) => offsets[s + 1]! - offsets[s]!);
  const domains = sizes.map(domainsOf);
  const size = Math.min(threads, Math.max(1, ...domains));
  const most = Math.max(...partsOf(offsets, threads).map(({ atoms: [from, to] }) => to - from));
  // The atoms of the domains of one member.
  const shared = sizes.reduce(
    (sum, atoms, s) => sum + atoms * Math.ceil(domains[s]! / size) / domains[s]!,
    0,
  );
  const whole = REPEATED * offsets[systems]!;
  return size > 1 && shared + whole < most + REPEATED * most ? size : undefined;
}

/**
 * Level of the rows of a buffer. Two buffers of a frame have levels that callers cannot choose: `"offsets"`, which
 * start from 0 on each thread, and `"control"`, the control words.
 */
export type FrameSpread = Spread | "offsets" | "control";

/**
 * Returns the range of a buffer of `length` numbers that one thread holds. `of` has the numbers of systems and atoms
 * in the batch.
 */
export function stretchOf(
  { systems, atoms }: Part,
  spread: FrameSpread,
  length: number,
  of: { readonly systems: number; readonly atoms: number },
): Stretch {
  if (spread === "all" || spread === "control") return [0, length];
  if (spread === "starts" || spread === "offsets") return [systems[0], systems[1] + 1];
  const [rows, [from, to]] = spread === "node" ? [of.atoms, atoms] : [of.systems, systems];
  const width = rows === 0 ? 0 : length / rows;
  return [width * from, width * to];
}

/**
 * Merges the control words of all threads into those of the batch. If systems diverged on several threads, the words
 * report the system that diverged in the earliest step, by its index in the batch, with its cause. Of several systems
 * in that step it is the one with the lowest index.
 */
export function mergedControl(parts: readonly Part[], words: readonly Numbers[]): Int32Array {
  const merged = new Int32Array(Control.LENGTH);
  let first = Infinity;
  for (const [i, control] of words.entries()) {
    merged[Control.HALT] ||= control[Control.HALT]!;
    const lost = control[Control.LENGTH]!; // the thread appends the step in which its part diverged
    if (control[Control.DIVERGED] === 0 || lost >= first) continue;
    first = lost;
    merged[Control.DIVERGED] = control[Control.DIVERGED]! + parts[i]!.systems[0];
    merged[Control.CAUSE] = control[Control.CAUSE]!;
  }
  return merged;
}

/** Concatenates the saved pairs of the threads, which gives the saved pairs of the batch. */
export function mergedPairs(saved: readonly SavedPairs[]): SavedPairs {
  if (saved.length === 1) return saved[0]!;
  return {
    reference: Float64Array.from(saved.flatMap(({ reference }) => [...reference])),
    images: Int32Array.from(saved.flatMap(({ images }) => [...images])),
    cells: Float64Array.from(saved.flatMap(({ cells }) => [...cells])),
    builds: Int32Array.from(saved.flatMap(({ builds }) => [...builds])),
  };
}

/**
 * Splits the saved pairs of a batch into those of each thread. Also returns the offsets of each thread's systems,
 * counted from its first atom. `reference` and `images` have no entries for systems whose pairs were never found.
 */
export function splitPairs(
  parts: readonly Part[],
  offsets: Int32Array,
  saved: SavedPairs,
): { readonly offsets: Int32Array; readonly saved: SavedPairs }[] {
  let at = 0;
  return parts.map(({ systems: [from, to], atoms: [first] }) => {
    const begin = at;
    for (let s = from; s < to; s++) {
      if (saved.builds[s]! > 0) at += 3 * (offsets[s + 1]! - offsets[s]!);
    }
    return {
      offsets: offsets.slice(from, to + 1).map((offset) => offset - first),
      saved: {
        reference: saved.reference.slice(begin, at),
        images: saved.images.slice(begin, at),
        cells: saved.cells.slice(9 * from, 9 * to),
        builds: saved.builds.slice(from, to),
      },
    };
  });
}
