/**
 * The reference backend: the kernels as they are written, in float64.
 *
 * @module
 */

export { ReferenceBackend } from "./reference_backend.ts";
