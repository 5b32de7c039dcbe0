/**
 * Orders in which batches of several sources are mixed.
 *
 * @module
 */

import type { TrainingBatch } from "./data_source.ts";
import type { NamedBatch, NamedSource } from "./named_data.ts";

type Batches = AsyncGenerator<NamedBatch, void, undefined>;

/**
 * Yields all batches of the first source, then all of the second, and so on, beginning with batch `from` of the
 * epoch.
 */
export async function* oneAfterAnother(
  loaders: readonly NamedSource[],
  epoch: number,
  from: number,
): Batches {
  let before = from;
  for (const [loaderIndex, { name: loaderName, source }] of loaders.entries()) {
    const { length } = source;
    if (length !== undefined && before >= length) {
      before -= length;
      continue;
    }
    // A source of unknown length produces all its batches, because its skipped batches must be counted.
    const begin = length === undefined ? 0 : before;
    if (length !== undefined) before = 0;
    for await (const batch of source.batches(epoch, begin)) {
      if (before > 0) before--;
      else yield { batch, loaderIndex, loaderName };
    }
  }
}

/** Yields one batch of each source in turn, as long as a source has more, beginning with batch `from` of the epoch. */
export async function* inTurn(
  loaders: readonly NamedSource[],
  epoch: number,
  from: number,
): Batches {
  const lengths = loaders.map(({ source }) => source.length);
  const known = lengths.every((length) => length !== undefined);
  const { taken, next } = known ? turnsBefore(lengths, from) : { taken: [], next: 0 };
  const open = loaders.map(({ source }, k) => iteratorOf(source.batches(epoch, taken[k] ?? 0)));
  const live = new Set(open.keys());
  let before = known ? 0 : from;
  try {
    for (let k = next; live.size > 0; k = (k + 1) % open.length) {
      if (!live.has(k)) continue;
      const { done, value } = await open[k]!.next();
      if (done) live.delete(k);
      else if (before > 0) before--;
      else yield { batch: value, loaderIndex: k, loaderName: loaders[k]!.name };
    }
  } finally {
    // A consumer that stops early must close the sources, because they may hold files open.
    for (const k of live) await open[k]!.return?.();
  }
}

/**
 * Returns the number of batches that each source has yielded after a number of turns, and the index of the source
 * whose turn is next.
 */
function turnsBefore(
  lengths: readonly number[],
  turns: number,
): { readonly taken: number[]; readonly next: number } {
  const taken = lengths.map(() => 0);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let next = 0;
  for (let left = Math.min(turns, total); left > 0; next = (next + 1) % lengths.length) {
    if (taken[next]! === lengths[next]!) continue;
    taken[next]!++;
    left--;
  }
  return { taken, next };
}

function iteratorOf(
  batches: Iterable<TrainingBatch> | AsyncIterable<TrainingBatch>,
): Iterator<TrainingBatch> | AsyncIterator<TrainingBatch> {
  return Symbol.asyncIterator in batches
    ? batches[Symbol.asyncIterator]()
    : batches[Symbol.iterator]();
}
