import { FAR } from "../kernels/edges/edge_list.ts";
import type { EdgesOptions } from "./backend.ts";

/** Throws a RangeError unless a list of pairs has such edges. */
export function checkEdges({ pairs, cutoff, isHalf, reach }: EdgesOptions): void {
  if (!(cutoff > 0 && cutoff <= pairs.cutoff)) {
    throw new RangeError(
      `Cannot list edges as their cutoff must be above 0 and at most that of the pairs, ${pairs.cutoff} Å: ` +
        `current value is ${cutoff}`,
    );
  }
  if (cutoff >= FAR) {
    throw new RangeError(
      `Cannot list edges as their cutoff must be below ${FAR} Å, the length of those that lists are filled up with: ` +
        `current value is ${cutoff}`,
    );
  }
  if (!(reach >= 0 && reach <= cutoff)) {
    throw new RangeError(
      `Cannot list triplets as their reach must be from 0 to the cutoff of the edges, ${cutoff} Å: ` +
        `current value is ${reach}`,
    );
  }
  if (isHalf && reach > 0) {
    throw new RangeError(
      `Cannot list triplets as their edges must be listed both ways, not once: current value of reach is ${reach}`,
    );
  }
}
