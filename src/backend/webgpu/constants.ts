/**
 * Flags of WebGPU with the values of its specification. TypeScript's DOM library has their types,
 * but not their values.
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
  /** Uniforms. */
  UNIFORM: 0x40,
  /** Storage of kernels. */
  STORAGE: 0x80,
} as const;

/** Mapping for reading. */
export const MAP_READ = 0x1;

/** Visibility to compute shaders. */
export const COMPUTE = 0x4;
