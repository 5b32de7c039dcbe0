/** Means of the powers of a series of numbers. */
export class Moments {
  #count = 0;
  readonly #sums = [0, 0, 0, 0];

  add(value: number): void {
    this.#count++;
    for (let n = 0, power = value; n < 4; n++, power *= value) this.#sums[n]! += power;
  }

  get count(): number {
    return this.#count;
  }

  get mean(): number {
    return this.moment(1);
  }

  get variance(): number {
    return this.moment(2) - this.mean ** 2;
  }

  /** The mean of the powers, up to the fourth. */
  moment(power: number): number {
    return this.#sums[power - 1]! / this.#count;
  }
}
