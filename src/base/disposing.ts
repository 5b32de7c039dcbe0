/**
 * Runs `use` with a resource and disposes of the resource afterwards, even if `use` fails. It stands for
 * `await using`, which Node 22 and some browsers cannot parse.
 */
export async function disposing<R extends AsyncDisposable, T>(
  resource: R,
  use: (resource: R) => Promise<T>,
): Promise<T> {
  try {
    return await use(resource);
  } finally {
    await resource[Symbol.asyncDispose]();
  }
}
