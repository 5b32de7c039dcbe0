/**
 * Letting others have a turn: signals, timers, deliveries.
 *
 * @module
 */

// Rarely enough to cost nothing, often enough for Ctrl-C and a page that repaints.
const MILLISECONDS = 50;
// A look at the clock costs as much as a small step, so it is not taken at each.
const LONGEST_STRIDE = 4096;

/** Gives way to the event loop every 50 ms or so. A message hop costs microseconds where a timer costs milliseconds. */
export class Turn {
  #given = performance.now();
  #looked = this.#given;
  #stride = 1;
  #left = 1;

  /** Something to await, when it is time to give way. */
  give(): Promise<void> | undefined {
    if (--this.#left > 0) return undefined;
    const now = performance.now();
    // Many small steps between two looks, or one large one: a look every few milliseconds.
    this.#stride = now - this.#looked < 2
      ? Math.min(this.#stride * 2, LONGEST_STRIDE)
      : Math.max(this.#stride >> 1, 1);
    this.#left = this.#stride;
    this.#looked = now;
    if (now - this.#given < MILLISECONDS) return undefined;
    this.#given = now;
    return hop();
  }
}

function hop(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
