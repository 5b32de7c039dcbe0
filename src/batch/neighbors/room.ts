/** Whole numbers in memory that is kept from one use to the next. */
export class Room {
  #memory = new Int32Array();
  #view: Int32Array = this.#memory;

  /** So many numbers, with whatever was there before. Memory is made, with a quarter to spare, when there is too little. */
  take(length: number): Int32Array {
    if (length === this.#view.length) return this.#view;
    if (length > this.#memory.length) this.#memory = new Int32Array(Math.ceil(1.25 * length) + 16);
    return this.#view = this.#memory.subarray(0, length);
  }
}
