/**
 * The norm of the gradients of a step. It is computed at most once, and only if it is used.
 *
 * @module
 */

import type { OpenedModel } from "../model/opened_model.ts";

/** State of the norm. If it is `pending`, the squares are computed, and are being read from a device. */
type NormState =
  | { readonly status: "unknown" }
  | { readonly status: "pending" }
  | { readonly status: "known"; readonly norm: number };

const UNKNOWN: NormState = { status: "unknown" };

/** The norm, before clipping, of all gradients that a step uses. */
export class GradientNorm {
  readonly #model: OpenedModel;
  readonly #isUsed: (index: number) => boolean;
  #state: NormState = UNKNOWN;

  /**
   * Creates the norm of the gradients of a model. `isUsed` returns whether the step uses the gradient of a parameter.
   */
  constructor(model: OpenedModel, isUsed: (index: number) => boolean) {
    this.#model = model;
    this.#isUsed = isUsed;
  }

  /** Discards the norm, because the gradients have changed. */
  forget(): void {
    this.#state = UNKNOWN;
  }

  /** True if the norm is neither known nor pending. */
  get isUnknown(): boolean {
    return this.#state.status === "unknown";
  }

  /** The norm; NaN if it is not known. */
  get ifKnown(): number {
    return this.#state.status === "known" ? this.#state.norm : NaN;
  }

  /**
   * The norm. If the gradients are in host memory, it is computed on demand.
   *
   * @throws {TypeError} if the norm is not known and the gradients are on a GPU
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

  /** Computes the norm, and waits until it is read from the device. */
  async fetch(): Promise<void> {
    this.#sumSquares();
    const squares = this.#model.updates.squares();
    this.#know(await squares);
  }

  /** Computes the norm, and starts to read it from the device. Only the returned promise waits for it. */
  fetchLate(): Promise<number> {
    this.#state = { status: "pending" };
    this.#sumSquares();
    return this.#model.updates.takeSquares().then(normOf);
  }

  /** Computes the sums of squares that clipping by norm needs, unless they are known already. */
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
