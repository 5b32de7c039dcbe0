/**
 * Checks that steps take time.
 *
 * @module
 */

/** Throws an Error if steps take no time (`time` is NaN), as in a relaxation, where rates are undefined. */
export function assertTimed(hook: string, time: ArrayLike<number>): void {
  if (!Number.isNaN(time[0])) return;
  throw new Error(
    `Cannot sample with ${hook}: the steps of a relaxation take no time. Use it with molecular dynamics`,
  );
}
