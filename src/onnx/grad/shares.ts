import type { GradientWriter } from "./gradient_writer.ts";
import type { Share } from "./rule.ts";

/** What has come back to each value, summed when all of it has. */
export class Shares {
  readonly #write: GradientWriter;
  readonly #shares = new Map<string, Share[]>();
  readonly #sums = new Map<string, string | undefined>();

  constructor(write: GradientWriter) {
    this.#write = write;
  }

  /** One more share of a value, which must not have been summed yet. */
  add(name: string, share: Share): void {
    if (share === undefined) return;
    const shares = this.#shares.get(name);
    if (shares === undefined) this.#shares.set(name, [share]);
    else shares.push(share);
  }

  /** Has anything come back to a value? */
  has(name: string): boolean {
    return this.#shares.has(name);
  }

  /** The sum of all that has come back to a value; `undefined` where nothing has. Written once. */
  sum(name: string): string | undefined {
    const shares = this.#shares.get(name);
    if (shares === undefined) return undefined;
    if (!this.#sums.has(name)) this.#sums.set(name, this.#total(name, shares));
    return this.#sums.get(name);
  }

  /** Scatters last, one into what the other has made. */
  #total(name: string, shares: readonly Share[]): string | undefined {
    const write = this.#write;
    let total: string | undefined;
    for (const share of shares) {
      if (typeof share !== "string" && typeof share !== "function") continue;
      const value = write.sumTo(typeof share === "string" ? share : share(), name);
      total = total === undefined ? value : write.add(total, value);
    }
    for (const share of shares) {
      if (typeof share === "object") total = share.into(total ?? write.zeros(name));
    }
    return total;
  }
}
