import { FAR } from "../kernels/edges/edge_list.ts";
import type { EdgesOptions } from "./backend.ts";

/** Throws a RangeError if a list of edges with these options cannot be made from its list of pairs. */
export function checkEdges({ pairs, cutoff, isHalf, reach }: EdgesOptions): void {
  if (!(cutoff > 0 && cutoff <= pairs.cutoff)) {
    throw new RangeError(
      `Cannot list edges: their cutoff must be above 0 and at most that of the pairs, ${pairs.cutoff} Å; ` +
        `got ${cutoff}`,
    );
  }
  if (cutoff >= FAR) {
    throw new RangeError(
      `Cannot list edges: their cutoff must be below ${FAR} Å, the length of padding edges; ` +
        `got ${cutoff}`,
    );
  }
  if (!(reach >= 0 && reach <= cutoff)) {
    throw new RangeError(
      `Cannot list triplets: their reach must be from 0 to the cutoff of the edges, ${cutoff} Å; ` +
        `got ${reach}`,
    );
  }
  if (isHalf && reach > 0) {
    throw new RangeError(
      `Cannot list triplets: half lists of edges must have reach 0; got ${reach}`,
    );
  }
}
