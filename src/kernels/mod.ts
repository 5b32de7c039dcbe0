/**
 * Kernels: computations with a name, typed arguments, and a TypeScript version. Every backend implements them.
 *
 * @module
 */

export { ACCELERATION, BAR, BOLTZMANN, GIGAPASCAL, TIME_UNIT_FS } from "./constants.ts";
export type {
  Argument,
  Arrays,
  BufferType,
  Frame,
  Kernel,
  KernelArguments,
  KernelTraits,
  KernelValues,
  ValueOf,
} from "./kernel.ts";
export type { EdgeList, EdgeRules } from "./edges/edge_list.ts";
export { Control, defineKernel } from "./kernel.ts";
export type {
  BinaryOperation,
  PairOperation,
  PairProgram,
  UnaryOperation,
} from "./pairs/expression/program.ts";
export type { PairKernel } from "./pairs/pair_potential.ts";
export { PAIR_ARGS } from "./pairs/sum_pairs.ts";
export type { PairList, SystemPairs } from "./pairs/pair_list.ts";
