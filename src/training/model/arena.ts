/**
 * The arrays of the parameters on the backend: one parameter after another in each array.
 *
 * @module
 */

import type { Backend, Buffer, FrameBuffers } from "../../backend/backend.ts";

/** A parameter and its position in each array. */
export interface Place {
  /** Name in the file. */
  readonly name: string;
  /** Lengths. */
  readonly dims: readonly number[];
  /** First element. */
  readonly from: number;
  /** Number of its elements. */
  readonly size: number;
}

/** Numbers of the parameters, by the name of their role: "parameters", "gradients", "first" … */
export class Arena {
  readonly backend: Backend;
  readonly places: readonly Place[];
  /** Number of elements of all parameters. */
  readonly size: number;
  /** For kernels, each parameter is a system and each number an atom. */
  readonly frame: FrameBuffers;
  readonly #arrays = new Map<string, Buffer<"real">>();
  readonly #active: Int32Array;

  /** Throws a RangeError, or a BackendUnavailableError, when there is not enough memory. */
  constructor(backend: Backend, places: readonly Place[]) {
    this.backend = backend;
    this.places = places;
    this.size = places.reduce((sum, { size }) => sum + size, 0);
    this.#active = new Int32Array(places.length).fill(1);
    const words = (values: ArrayLike<number>) => {
      const buffer = backend.alloc("i32", values.length);
      backend.write(buffer, values);
      return buffer;
    };
    const zeros = new Int32Array(places.length);
    this.frame = {
      systems: places.length,
      offsets: words([...places.map(({ from }) => from), this.size]),
      active: words(this.#active),
      ids: words(zeros),
      ages: words(zeros),
      control: words(new Int32Array(4)),
    };
  }

  /** Returns an array of a number for each parameter's; of zeros when it is first asked for. */
  array(name: string): Buffer<"real"> {
    let buffer = this.#arrays.get(name);
    if (buffer === undefined) {
      this.#arrays.set(name, buffer = this.backend.alloc("real", this.size));
    }
    return buffer;
  }

  /** The names of the arrays there are. */
  get names(): readonly string[] {
    return [...this.#arrays.keys()];
  }

  /** Returns whether this array exists. */
  has(name: string): boolean {
    return this.#arrays.has(name);
  }

  /** Parameters that later kernel calls work on. */
  activate(isActive: (index: number) => boolean): void {
    let changed = false;
    for (let i = 0; i < this.#active.length; i++) {
      const now = isActive(i) ? 1 : 0;
      changed ||= now !== this.#active[i];
      this.#active[i] = now;
    }
    if (changed) this.backend.write(this.frame.active, this.#active);
  }

  /** Gives the arrays back. */
  free(): void {
    const { offsets, active, ids, ages, control } = this.frame;
    for (const buffer of this.#arrays.values()) this.backend.free(buffer);
    for (const buffer of [active, ids, ages, control, offsets]) this.backend.free(buffer);
    this.#arrays.clear();
  }
}
