/**
 * What goes into a checkpoint and comes out of it.
 *
 * @module
 */

/** What one checkpoint holds. */
export interface CheckpointContent {
  /** Whose state it is, so that no engine takes another's: `"dynamics/NVE"`. */
  readonly kind: string;
  /** The version of the shape of `data`, a whole number from 0 on. Its kind counts it up with each change. */
  readonly schema: number;
  /**
   * The state: `null`, booleans, numbers (`NaN`, infinities and `-0` too), bigints, texts, typed arrays of every
   * type, and lists and plain objects of these. Whoever reads it checks its shape.
   */
  readonly data: unknown;
}

/** What a reader of checkpoints knows how to restore. What is left out is not checked. */
export interface CheckpointExpectation {
  /** The only kind it takes. */
  readonly kind?: string;
  /** The newest schema it knows. */
  readonly schema?: number;
  /** The oldest schema it knows. */
  readonly oldest?: number;
}
