// A multi-step call should take about this long: Ctrl-C and `stop` are noticed between two calls.
const SHORT_MS = 25, LONG_MS = 50;

/** Picks how many steps to run in one call when no hook is due: as many as take about one turn of the event loop. */
export class MultiStepLength {
  #longest: number;

  /** Starts with calls of `first` steps. */
  constructor(first: number = 1024) {
    this.#longest = first;
  }

  /** Returns the length of the next call if `free` steps may run. */
  next(free: number): number {
    return Math.min(free, this.#longest);
  }

  /** Adapts the length to a call that ran `steps` steps in so many milliseconds. */
  took(steps: number, milliseconds: number): void {
    // A shortened call says nothing about longer ones.
    if (milliseconds < SHORT_MS && steps === this.#longest) this.#longest *= 2;
    else if (milliseconds > LONG_MS) this.#longest = Math.max(1, Math.floor(this.#longest / 2));
  }
}
