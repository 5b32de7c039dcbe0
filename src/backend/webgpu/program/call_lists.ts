import type { KernelCall } from "../../backend.ts";
import { GpuEdges } from "../gpu_edges.ts";
import { GpuPairs } from "../gpu_pairs.ts";
import type { Growing } from "./growing.ts";

/** The lists among the arguments of a call. */
export interface CallLists {
  /** The list of pairs: an argument of the call, or the pairs of its list of edges. */
  readonly pairs: GpuPairs | undefined;
  /** The list of edges. */
  readonly edges: GpuEdges | undefined;
  /** The list that the kernel fills and that may be too short; `undefined` if the kernel fills no list. */
  readonly fills: Growing | undefined;
}

/** Finds the lists among the arguments of a call. */
export function listsOf({ kernel, args }: KernelCall): CallLists {
  const given = Object.values(args);
  const edges = given.find((one) => one instanceof GpuEdges);
  const pairs = given.find((one) => one instanceof GpuPairs) ?? edges?.pairs;
  const filled = new Map<string, Growing | undefined>([
    ["neighbors", pairs],
    ["edges", edges?.rows],
    ["triplets", edges?.fans],
  ]);
  return { pairs, edges, fills: filled.get(kernel.name) };
}

/** Returns the properties of an edge list that a kernel gets as number arguments, by name. */
export function edgeNumbers(edges: GpuEdges, kernel: string): Readonly<Record<string, number>> {
  const { capacity, tripletCapacity, cutoff, reach, isHalf } = edges;
  return kernel === "triplets"
    ? { room: tripletCapacity, limit: reach, edgeRoom: capacity }
    : { room: capacity, limit: cutoff, once: Number(isHalf) };
}
