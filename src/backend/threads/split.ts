/**
 * Which thread has which systems of a batch, and which numbers of a buffer go there.
 *
 * @module
 */

import { Control } from "../../kernels/kernel.ts";
import type { SavedPairs, Spread } from "../backend.ts";
import type { Numbers } from "./requests.ts";

/** From … to before …. */
export type Stretch = readonly [from: number, to: number];

/** What one thread has of a batch. */
export interface Part {
  /** Its systems. */
  readonly systems: Stretch;
  /** Its atoms. */
  readonly atoms: Stretch;
}

/** Systems in a row for each of so many threads, with about as many atoms each; fewer parts where there are few systems. */
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

/** The same, and what a frame has: where atoms begin, counted anew on each thread, and what stops all. */
export type SpreadHere = Spread | "offsets" | "control";

/** Which numbers of a buffer a part has. */
export function stretchOf(
  { systems, atoms }: Part,
  spread: SpreadHere,
  length: number,
  of: { readonly systems: number; readonly atoms: number },
): Stretch {
  if (spread === "all" || spread === "control") return [0, length];
  if (spread === "starts" || spread === "offsets") return [systems[0], systems[1] + 1];
  const [rows, [from, to]] = spread === "node" ? [of.atoms, atoms] : [of.systems, systems];
  const width = rows === 0 ? 0 : length / rows;
  return [width * from, width * to];
}

/** The words of `control` of all threads as one: what stopped them first, by its place in the batch. */
export function mergedControl(parts: readonly Part[], words: readonly Numbers[]): Int32Array {
  const merged = new Int32Array(Control.LENGTH);
  let first = Infinity;
  for (const [i, control] of words.entries()) {
    for (let word = 0; word < Control.LENGTH; word++) merged[word] ||= control[word]!;
    const lost = control[Control.LENGTH]!; // in which of all its steps, as the thread adds
    if (control[Control.DIVERGED] === 0 || lost >= first) continue;
    first = lost;
    merged[Control.DIVERGED] = control[Control.DIVERGED]! + parts[i]!.systems[0];
    merged[Control.CAUSE] = control[Control.CAUSE]!;
  }
  return merged;
}

/** How pairs of all parts were found, of how those of each were. */
export function mergedPairs(saved: readonly SavedPairs[]): SavedPairs {
  if (saved.length === 1) return saved[0]!;
  return {
    reference: Float64Array.from(saved.flatMap(({ reference }) => [...reference])),
    images: Int32Array.from(saved.flatMap(({ images }) => [...images])),
    cells: Float64Array.from(saved.flatMap(({ cells }) => [...cells])),
    builds: Int32Array.from(saved.flatMap(({ builds }) => [...builds])),
  };
}

/** How the pairs of each part were found: systems whose pairs never were have none. */
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
