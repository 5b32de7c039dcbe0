/**
 * Position within nested data.
 *
 * @module
 */

/**
 * Largest nesting depth of the data in a checkpoint. States of engines need less, and a recursion of this depth is
 * far from overflowing the call stack.
 */
export const MAX_DEPTH = 500;

/** Path to a value, written as in code: `data.hooks["my log"].rows[2]`. */
export class Place {
  readonly #keys: (string | number)[] = [];

  /** Number of keys in the path. */
  get depth(): number {
    return this.#keys.length;
  }

  /** Calls `visit` with the path extended by a key, and returns its result. */
  within<T>(key: string | number, visit: () => T): T {
    this.#keys.push(key);
    const result = visit();
    this.#keys.pop();
    return result;
  }

  /** Returns the path as text for error messages. */
  toString(): string {
    return `data${this.#keys.map(step).join("")}`;
  }
}

function step(key: string | number): string {
  const isName = typeof key === "string" && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key);
  return isName ? `.${key}` : `[${JSON.stringify(key)}]`;
}
