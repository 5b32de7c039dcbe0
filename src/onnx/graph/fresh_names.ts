/** Names in use. Creates unused names. */
export class FreshNames {
  readonly #taken = new Set<string>();
  /** Last number that was appended to each hint, by hint. */
  readonly #numbers = new Map<string, number>();

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  take(name: string): void {
    this.#taken.add(name);
  }

  /** Returns an unused name and reserves it: the hint, with a number appended if it is used. */
  fresh(hint: string): string {
    let name = hint, number = this.#numbers.get(hint) ?? 0;
    while (name === "" || this.#taken.has(name)) name = `${hint}_${++number}`;
    this.#numbers.set(hint, number);
    this.#taken.add(name);
    return name;
  }
}
