/**
 * Step loops over ONNX models, with hooks into every stage of them.
 *
 * @module
 */

/** The version of this package. */
export const VERSION = "0.1.0";
