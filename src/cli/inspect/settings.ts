/**
 * Settings of the command `hooke inspect`.
 *
 * @module
 */

/** Settings of the command `inspect`. */
export interface InspectSettings {
  /** Files and run folders. */
  readonly files: readonly string[];
  /** Pattern of the hook points of a model to list. */
  readonly points: string | undefined;
  /** Options of an ONNX model, such as `cutoff`. */
  readonly modelOptions: Readonly<Record<string, unknown>>;
  /** Assignments `NAME=VALUE`, which the frame has applied already. */
  readonly set: readonly string[];
  /** True to print one JSON object per file. */
  readonly json: boolean;
}
