/**
 * The flags of WebGPU, as its specification numbers them: TypeScript's library of the browser has their types, but not
 * the objects that hold them.
 *
 * @module
 */

/** What a buffer is for. */
export const BufferUsage = {
  /** The host may look at it. */
  MAP_READ: 0x1,
  /** It is copied from. */
  COPY_SRC: 0x4,
  /** It is copied to. */
  COPY_DST: 0x8,
  /** It holds the numbers of a call. */
  UNIFORM: 0x40,
  /** Kernels work on it. */
  STORAGE: 0x80,
} as const;

/** Mapped to be read. */
export const MAP_READ = 0x1;

/** Bound to kernels. */
export const COMPUTE = 0x4;
