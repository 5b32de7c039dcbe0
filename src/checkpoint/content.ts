/**
 * Content of checkpoints.
 *
 * @module
 */

/** Content of one checkpoint. */
export interface CheckpointContent {
  /** Kind of the engine that the state belongs to, such as `"dynamics/NVE"`. Other engines refuse it. */
  readonly kind: string;
  /** Version of the shape of `data`: a non-negative integer that the engine increments with each change. */
  readonly schema: number;
  /**
   * State of the engine: `null`, booleans, numbers (including `NaN`, infinities and `-0`), bigints, strings, typed
   * arrays of every type, and lists and plain objects of these. The reader must check its shape.
   */
  readonly data: unknown;
}

/** Content that a reader of checkpoints can restore. Members that are omitted are not checked. */
export interface CheckpointExpectation {
  /** The only kind that the reader accepts. */
  readonly kind?: string;
  /** Newest schema that the reader accepts. */
  readonly schema?: number;
  /** Oldest schema that the reader accepts. */
  readonly oldest?: number;
}
