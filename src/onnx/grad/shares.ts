import type { GradientWriter } from "./gradient_writer.ts";
import { joined } from "./joined.ts";
import type { Placed, Share } from "./rule.ts";

/**
 * Contributions of nodes to the gradient of each value. They are summed when all nodes that use the value have added
 * theirs.
 */
export class Shares {
  readonly #write: GradientWriter;
  readonly #shares = new Map<string, Share[]>();
  readonly #sums = new Map<string, string | undefined>();

  constructor(write: GradientWriter) {
    this.#write = write;
  }

  /** Adds a share of a value that has not been summed yet. */
  add(name: string, share: Share): void {
    if (share === undefined) return;
    const shares = this.#shares.get(name);
    if (shares === undefined) this.#shares.set(name, [share]);
    else shares.push(share);
  }

  /** Returns whether a value has any shares. */
  has(name: string): boolean {
    return this.#shares.has(name);
  }

  /**
   * Adds nodes that sum the shares of a value, and returns the name of the sum; `undefined` if the value has no
   * shares. The nodes are added only by the first call for a value.
   */
  sum(name: string): string | undefined {
    const shares = this.#shares.get(name);
    if (shares === undefined) return undefined;
    if (!this.#sums.has(name)) this.#sums.set(name, this.#total(name, shares));
    return this.#sums.get(name);
  }

  /**
   * Adds the nodes of a sum, and returns its name. Scatters come last, because each adds its updates to the result of
   * the previous one.
   */
  #total(name: string, shares: readonly Share[]): string | undefined {
    const write = this.#write;
    const values: string[] = [], parts: Placed[] = [];
    for (const share of shares) {
      if (typeof share === "string") values.push(write.sumTo(share, name));
      else if (typeof share === "function") values.push(write.sumTo(share(), name));
      else if (share !== undefined && "part" in share) parts.push(share);
    }
    values.push(...joined(write, name, parts));
    let total = values.length === 0
      ? undefined
      : values.reduce((sum, value) => write.add(sum, value));
    for (const share of shares) {
      if (typeof share === "object" && "into" in share) {
        total = share.into(total ?? write.zeros(name));
      }
    }
    return total;
  }
}
