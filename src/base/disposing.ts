/**
 * Runs `use` with a resource and disposes of the resource afterwards, even if `use` fails. It stands for
 * `await using`, which Node 22 and some browsers cannot parse. If both fail, the error has the message of the first, and
 * contains both.
 */
export async function disposing<R extends AsyncDisposable, T>(
  resource: R,
  use: (resource: R) => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await use(resource);
  } catch (first) {
    try {
      await resource[Symbol.asyncDispose]();
    } catch (second) {
      const message = first instanceof Error ? first.message : String(first);
      throw new AggregateError([first, second], message, { cause: first });
    }
    throw first;
  }
  await resource[Symbol.asyncDispose]();
  return result;
}
