/**
 * The reference backend: kernels as they are written in TypeScript, in float64.
 *
 * @module
 */

export { ReferenceBackend } from "./reference_backend.ts";
