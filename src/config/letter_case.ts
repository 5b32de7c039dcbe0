/**
 * Conversion between snake_case and camelCase.
 *
 * @module
 */

/** The snake_case form of a camelCase name, as a type: `"log_every_n_batches"` for `"logEveryNBatches"`. */
export type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** The members of `T` with names in snake_case. */
export type SnakeCased<T> = {
  [K in keyof T as SnakeCase<K & string>]: T[K];
};

/**
 * Converts a name to camelCase: `"log_every_n_batches"` becomes `"logEveryNBatches"`. Names in camelCase do not
 * change.
 */
export function camelCase(name: string): string {
  return name.replace(/(?<=.)_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts a name to snake_case: `"logEveryNBatches"` becomes `"log_every_n_batches"`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
