/** The candidate most like `word`, for "did you mean"; `undefined` when none is at all like it. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined, least = Math.max(2, word.length / 2);
  for (const candidate of candidates) {
    const d = distance(word.toLowerCase(), candidate.toLowerCase());
    if (d < least) [best, least] = [candidate, d];
  }
  return best;
}

/** `; did you mean X?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const best = nearest(word, candidates);
  return best === undefined ? "" : `; did you mean ${best}?`;
}

/** Levenshtein's distance: insertions, deletions and substitutions from `a` to `b`. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(substituted, above[j]! + 1, row[j - 1]! + 1);
    }
  }
  return row[b.length]!;
}
