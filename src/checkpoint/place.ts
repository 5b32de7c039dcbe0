/**
 * Where in the data we are.
 *
 * @module
 */

/** How deep data may be nested: more than any state needs, and far from the end of any stack. */
export const MAX_DEPTH = 500;

/** The way to a value, as code would write it: `data.hooks["my log"].rows[2]`. */
export class Place {
  readonly #keys: (string | number)[] = [];

  /** How many steps from the data itself. */
  get depth(): number {
    return this.#keys.length;
  }

  /** What `visit` gives, called one step further on. */
  within<T>(key: string | number, visit: () => T): T {
    this.#keys.push(key);
    const result = visit();
    this.#keys.pop();
    return result;
  }

  /** The way, for messages. */
  toString(): string {
    return `data${this.#keys.map(step).join("")}`;
  }
}

function step(key: string | number): string {
  const isName = typeof key === "string" && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key);
  return isName ? `.${key}` : `[${JSON.stringify(key)}]`;
}
