/**
 * The norm of the gradients of a step, computed once and only if something uses it.
 *
 * @module
 */

import type { OpenedModel } from "../model/opened_model.ts";

/** State of the norm. `pending`: it is being read from a device, and the squares are already computed. */
type NormState =
  | { readonly status: "unknown" }
  | { readonly status: "pending" }
  | { readonly status: "known"; readonly norm: number };

const UNKNOWN: NormState = { status: "unknown" };

/** The norm of all gradients of a step that are used, before clipping. */
export class GradientNorm {
  readonly #model: OpenedModel;
  readonly #isUsed: (index: number) => boolean;
  #state: NormState = UNKNOWN;

  /** `isUsed` returns whether the step uses the gradient of a parameter. */
  constructor(model: OpenedModel, isUsed: (index: number) => boolean) {
    this.#model = model;
    this.#isUsed = isUsed;
  }

  /** Forgets the norm, because the gradients have changed. */
  forget(): void {
    this.#state = UNKNOWN;
  }

  /** True if it is neither known nor pending. */
  get isUnknown(): boolean {
    return this.#state.status === "unknown";
  }

  /** The norm if it is known, else NaN. */
  get ifKnown(): number {
    return this.#state.status === "known" ? this.#state.norm : NaN;
  }

  /**
   * The norm. In host memory it is computed on demand.
   *
   * @throws {TypeError} if it is not known and the gradients are on a GPU
   */
  get value(): number {
    if (this.#state.status === "known") return this.#state.norm;
    const { updates, arena } = this.#model;
    if (!arena.backend.isHost) {
      throw new TypeError(
        'Cannot read gradNorm: gradients are on a GPU. Declare it in the hook: reads: ["gradNorm"]',
      );
    }
    this.#sumSquares();
    return this.#know(updates.squares() as ArrayLike<number>);
  }

  /** Reads the norm from its device, and waits for it. */
  async fetch(): Promise<void> {
    this.#sumSquares();
    const squares = this.#model.updates.squares();
    this.#know(await squares);
  }

  /** Begins to read the norm from its device. Nothing waits for it but the returned promise. */
  fetchLate(): Promise<number> {
    this.#state = { status: "pending" };
    this.#sumSquares();
    return this.#model.updates.takeSquares().then(normOf);
  }

  /** Computes the sums of squares that clipping by norm uses, unless they are there. */
  prepareClip(): void {
    if (this.isUnknown) this.#sumSquares();
  }

  #sumSquares(): void {
    this.#model.updates.sumSquares(this.#isUsed);
  }

  #know(squares: ArrayLike<number>): number {
    const norm = normOf(squares);
    this.#state = { status: "known", norm };
    return norm;
  }
}

function normOf(squares: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < squares.length; i++) sum += squares[i]!;
  return Math.sqrt(sum);
}
