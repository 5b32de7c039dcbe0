/**
 * Speed of a run, as the page sees it.
 *
 * @module
 */

/** Time over which the speed is averaged, s. */
const WINDOW = 30;
/** Time after which the first speed is given, s. */
const SHORTEST = 1;

/** Estimates the speed of a run from the steps that the page sees. */
export class Pace {
  #seen: (readonly [step: number, time: number])[] = [];

  /** Notes the number of steps done at a time in seconds. A step that is undefined begins a new measurement. */
  see(step: number | undefined, time: number): void {
    if (step === undefined || step < (this.#seen.at(-1)?.[0] ?? 0)) this.#seen = [];
    if (step === undefined) return;
    this.#seen.push([step, time]);
    while (this.#seen.length > 2 && time - this.#seen[1]![1] > WINDOW) this.#seen.shift();
  }

  /** Steps per second; undefined until enough was seen. */
  get rate(): number | undefined {
    const first = this.#seen[0], last = this.#seen.at(-1);
    if (first === undefined || last === undefined || last[1] - first[1] < SHORTEST) {
      return undefined;
    }
    return (last[0] - first[0]) / (last[1] - first[1]);
  }
}
