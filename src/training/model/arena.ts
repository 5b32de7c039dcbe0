/**
 * Arrays of the parameters on a backend. Each array has one section per parameter.
 *
 * @module
 */

import type { Backend, Buffer, FrameBuffers } from "../../backend/backend.ts";

/** A parameter, and its section in each array. */
export interface Place {
  /** Name of the tensor in the model. */
  readonly name: string;
  /** Shape of the tensor. */
  readonly dims: readonly number[];
  /** Index of its first element in each array. */
  readonly from: number;
  /** Number of elements. */
  readonly size: number;
}

/**
 * Arrays with a number for each element of the parameters, by role: `"parameters"`, `"gradients"`, `"first"` and so
 * on.
 */
export class Arena {
  readonly backend: Backend;
  readonly places: readonly Place[];
  /** Number of elements of all parameters. */
  readonly size: number;
  /** Frame for kernels, to which each parameter is a system and each of its elements an atom. */
  readonly frame: FrameBuffers;
  readonly #arrays = new Map<string, Buffer<"real">>();
  readonly #active: Int32Array;

  /** Allocates the frame. Throws a RangeError or a BackendUnavailableError if there is not enough memory. */
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

  /** Returns the array of a role. It is allocated, with zeros, at the first call. */
  array(name: string): Buffer<"real"> {
    let buffer = this.#arrays.get(name);
    if (buffer === undefined) {
      this.#arrays.set(name, buffer = this.backend.alloc("real", this.size));
    }
    return buffer;
  }

  /** Roles of the arrays that are allocated. */
  get names(): readonly string[] {
    return [...this.#arrays.keys()];
  }

  /** Returns whether the array of a role is allocated. */
  has(name: string): boolean {
    return this.#arrays.has(name);
  }

  /** Chooses the parameters on which later kernel calls work. */
  activate(isActive: (index: number) => boolean): void {
    let changed = false;
    for (let i = 0; i < this.#active.length; i++) {
      const now = isActive(i) ? 1 : 0;
      changed ||= now !== this.#active[i];
      this.#active[i] = now;
    }
    if (changed) this.backend.write(this.frame.active, this.#active);
  }

  /** Frees all arrays and the frame. */
  free(): void {
    const { offsets, active, ids, ages, control } = this.frame;
    for (const buffer of this.#arrays.values()) this.backend.free(buffer);
    for (const buffer of [active, ids, ages, control, offsets]) this.backend.free(buffer);
    this.#arrays.clear();
  }
}
