import type { Backend, Buffer } from "../../backend/backend.ts";
import type { Arrays } from "../../kernels/kernel.ts";
import type { NumericArray } from "../fields/fields.ts";

/** Buffers by name. Names of buffers that do not exist have the value `undefined`. */
export type NamedBuffers = Readonly<Record<string, Buffer | undefined>>;

/** The values of buffers as arrays, by the same names. */
export type ArraysOf<B extends NamedBuffers> = {
  readonly [k in keyof B]: B[k] extends Buffer<infer D> ? Arrays[D]
    : B[k] extends Buffer<infer D> | undefined ? Arrays[D] | undefined
    : never;
};

/** Passes buffers to `work` as arrays; see {@linkcode ResidentBatch.withArrays}. */
export function withArrays<const B extends NamedBuffers, T>(
  backend: Backend,
  buffers: B,
  changed: readonly (keyof B & string)[],
  work: (arrays: ArraysOf<B>) => T,
): T | Promise<Awaited<T>> {
  const existing = Object.entries(buffers).filter((entry): entry is [string, Buffer] =>
    entry[1] !== undefined
  );
  const named = (values: readonly NumericArray[]) =>
    Object.fromEntries(existing.map(([name], i) => [name, values[i]])) as ArraysOf<B>;
  const seen = backend.viewOrRead(existing.map(([, buffer]) => buffer));
  if (!(seen instanceof Promise)) return work(named(seen));
  return seen.then(async (values): Promise<Awaited<T>> => {
    const copies = named(values);
    const answer: Awaited<T> = await work(copies);
    for (const name of changed) {
      const buffer = buffers[name];
      if (buffer !== undefined) backend.write(buffer, copies[name] as NumericArray);
    }
    return answer;
  });
}
