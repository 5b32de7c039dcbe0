import type { OnnxBindings } from "./bindings.ts";
import type { LoadedOnnx } from "./options.ts";

/**
 * Returns the cutoff of edges and the reach of triplets in Å. Throws a RangeError if one of them is required and
 * missing, if the reach exceeds the cutoff, or if options for lists contradict each other.
 */
export function reachOf(
  { name, manifest: { cutoff, reach, neighbors, nearest } }: Pick<LoadedOnnx, "name" | "manifest">,
  { inputs, hasEdges, hasTriplets, rules }: OnnxBindings,
): { readonly cutoff: number; readonly reach: number } {
  const where = "to the options, to a JSON manifest beside its file, or to the file's metadata";
  if (hasEdges && cutoff === undefined) {
    throw new RangeError(
      `Cannot open ${name}: cutoff is required for its edges. Add { "cutoff": 5 } (Å) ${where}`,
    );
  }
  if (hasTriplets && reach === undefined) {
    throw new RangeError(
      `Cannot open ${name}: reach is required for its triplets. Add ` +
        `{ "reach": 3.5 } (Å) ${where}`,
    );
  }
  if (hasTriplets && !(reach! <= cutoff!)) {
    throw new RangeError(
      `Cannot open ${name}: its reach must be at most its cutoff, ${cutoff} Å; got ${reach} Å`,
    );
  }
  if (hasTriplets && neighbors === "half") {
    throw new RangeError(
      `Cannot open ${name}: its neighbors must be "full", because it has triplets; got "half"`,
    );
  }
  const needsBoth = rules.hasBonds || inputs.some(({ meaning }) => meaning === "reverseEdges");
  if (nearest !== undefined && (needsBoth || neighbors === "half")) {
    throw new RangeError(
      `Cannot open ${name}: nearest drops one direction of some pairs, and its ${
        needsBoth ? "inputs need" : "half lists have"
      } both. Leave out nearest`,
    );
  }
  if (rules.hasBonds && neighbors === "half") {
    throw new RangeError(`Cannot open ${name}: bonds need neighbors "full"; got "half"`);
  }
  return { cutoff: hasEdges ? cutoff! : 0, reach: hasTriplets ? reach! : 0 };
}
