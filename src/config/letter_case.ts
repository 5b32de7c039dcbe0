/**
 * Conversion between snake_case and camelCase.
 *
 * @module
 */

/** A name in camelCase converted to snake_case, as a type: `"logEveryNBatches"` → `"log_every_n_batches"`. */
export type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** The members of `T` with names in snake_case. */
export type SnakeCased<T> = {
  [K in keyof T as SnakeCase<K & string>]: T[K];
};

/** Converts a name to camelCase: `"log_every_n_batches"` → `"logEveryNBatches"`. Names in camelCase do not change. */
export function camelCase(name: string): string {
  return name.replace(/(?<=.)_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts a name to snake_case: `"logEveryNBatches"` → `"log_every_n_batches"`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
