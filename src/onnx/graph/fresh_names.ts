/** Names that are taken, and new ones that are not. */
export class FreshNames {
  readonly #taken = new Set<string>();
  /** Hint → the last number behind it. */
  readonly #numbers = new Map<string, number>();

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  take(name: string): void {
    this.#taken.add(name);
  }

  /** The hint, with a number where it is taken; taken from now on. */
  fresh(hint: string): string {
    let name = hint, number = this.#numbers.get(hint) ?? 0;
    while (name === "" || this.#taken.has(name)) name = `${hint}_${++number}`;
    this.#numbers.set(hint, number);
    this.#taken.add(name);
    return name;
  }
}
