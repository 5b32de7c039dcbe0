/**
 * Flags of WebGPU with the values of its specification. TypeScript's DOM library has their types,
 * but not their values.
 *
 * @module
 */

/** Flags for the usage of a buffer. */
export const BufferUsage = {
  /** The host may map the buffer for reading. */
  MAP_READ: 0x1,
  /** The buffer may be the source of copies. */
  COPY_SRC: 0x4,
  /** The buffer may be the target of copies and writes. */
  COPY_DST: 0x8,
  /** Shaders may bind the buffer as uniforms. */
  UNIFORM: 0x40,
  /** Shaders may bind the buffer as storage. */
  STORAGE: 0x80,
} as const;

/** Mode in which a buffer is mapped for reading. */
export const MAP_READ = 0x1;

/** Shader stage flag that makes a binding visible to compute shaders. */
export const COMPUTE = 0x4;
