/**
 * snake_case and camelCase.
 *
 * @module
 */

/** `"logEveryNBatches"` → `"log_every_n_batches"`, in types. */
export type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** The same members, called in snake_case. */
export type SnakeCased<T> = {
  [K in keyof T as SnakeCase<K & string>]: T[K];
};

/** `"log_every_n_batches"` → `"logEveryNBatches"`; camelCase stays as it is. */
export function camelCase(name: string): string {
  return name.replace(/(?<=.)_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `"logEveryNBatches"` → `"log_every_n_batches"`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
