/** Integers in memory that is reused. */
export class Room {
  #memory = new Int32Array();
  #view: Int32Array = this.#memory;

  /**
   * Returns `length` integers with arbitrary values. Allocates memory only if there is too little,
   * with a quarter in reserve.
   */
  take(length: number): Int32Array {
    if (length === this.#view.length) return this.#view;
    if (length > this.#memory.length) this.#memory = new Int32Array(Math.ceil(1.25 * length) + 16);
    return this.#view = this.#memory.subarray(0, length);
  }
}
