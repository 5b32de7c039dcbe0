/** A reusable buffer of integers. */
export class Room {
  #memory = new Int32Array();
  #view: Int32Array = this.#memory;

  /**
   * Returns a view of `length` integers with arbitrary values. The next call invalidates it. Memory is allocated only
   * if the buffer is too short, with a quarter in reserve.
   */
  take(length: number): Int32Array {
    if (length === this.#view.length) return this.#view;
    if (length > this.#memory.length) this.#memory = new Int32Array(Math.ceil(1.25 * length) + 16);
    return this.#view = this.#memory.subarray(0, length);
  }
}
