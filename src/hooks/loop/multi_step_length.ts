// A leap should take about this long: Ctrl-C and `stop` come through between two.
const SHORT_MS = 25, LONG_MS = 50;

/** How many steps to do at once where no hook is due: as many as take about as long as a turn. */
export class LeapLength {
  #longest: number;

  /** How many to begin with. */
  constructor(first: number = 1024) {
    this.#longest = first;
  }

  /** The next leap, when `free` steps are free. */
  next(free: number): number {
    return Math.min(free, this.#longest);
  }

  /** A leap was done. */
  took(steps: number, milliseconds: number): void {
    // A leap that was cut short says nothing about longer ones.
    if (milliseconds < SHORT_MS && steps === this.#longest) this.#longest *= 2;
    else if (milliseconds > LONG_MS) this.#longest = Math.max(1, Math.floor(this.#longest / 2));
  }
}
