/**
 * Content of checkpoints.
 *
 * @module
 */

/** Content of one checkpoint. */
export interface CheckpointContent {
  /** Kind of the engine that has saved the state, such as `"dynamics/NVE"`. Other engines refuse it. */
  readonly kind: string;
  /**
   * Version of the format of `data`: a non-negative integer, which the engine increments at each change of the
   * format.
   */
  readonly schema: number;
  /**
   * State of the engine. It may contain `null`, booleans, numbers (including `NaN`, infinities and `-0`), bigints,
   * strings, typed arrays of all types, and lists and plain objects of these. A reader must check its format.
   */
  readonly data: unknown;
}

/** Kind and schema that a reader can restore. An omitted member is not checked. */
export interface CheckpointExpectation {
  /** Kind that the checkpoint must have. */
  readonly kind?: string;
  /** Newest schema that the reader accepts. */
  readonly schema?: number;
  /** Oldest schema that the reader accepts. */
  readonly oldest?: number;
}
