/**
 * Requests for many elements, of which the server gets a bounded number at a time.
 *
 * @module
 */

/** Requests to the server at a time. */
const AT_ONCE = 64;

/** Calls `f` for each element, for a bounded number at a time. Returns the results in the order of the elements. */
export async function mapSome<T, R>(
  all: readonly T[],
  f: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [], rest = all.entries();
  const take = async () => {
    for (const [i, one] of rest) results[i] = await f(one);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, all.length) }, take));
  return results;
}
