/**
 * Flags of WebGPU, as its specification numbers them. TypeScript's DOM library has their types, but not their values.
 *
 * @module
 */

/** Usages of a buffer. */
export const BufferUsage = {
  /** The host may map it. */
  MAP_READ: 0x1,
  /** Source of copies. */
  COPY_SRC: 0x4,
  /** Target of copies. */
  COPY_DST: 0x8,
  /** Numbers of a call. */
  UNIFORM: 0x40,
  /** Memory of kernels. */
  STORAGE: 0x80,
} as const;

/** Mapping for reading. */
export const MAP_READ = 0x1;

/** Visibility to compute shaders. */
export const COMPUTE = 0x4;
