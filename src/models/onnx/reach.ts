import type { OnnxBindings } from "./bindings.ts";
import type { LoadedOnnx } from "./options.ts";

/** Returns the cutoff of edges and the reach of triplets. Throws a RangeError if one of them is missing. */
export function reachOf(
  { name, manifest: { cutoff, reach, neighbors, nearest } }: Pick<LoadedOnnx, "name" | "manifest">,
  { inputs, hasEdges, hasTriplets, rules }: OnnxBindings,
): { readonly cutoff: number; readonly reach: number } {
  const where = "in the options, in a manifest of JSON beside its file, or in the file's metadata";
  if (hasEdges && cutoff === undefined) {
    throw new RangeError(
      `Cannot open ${name}: somebody must say how far its edges reach, as in { "cutoff": 5 } (Å), ${where}: ` +
        "nobody does",
    );
  }
  if (hasTriplets && reach === undefined) {
    throw new RangeError(
      `Cannot open ${name}: somebody must say how long the edges of its triplets are at most, as in ` +
        `{ "reach": 3.5 } (Å), ${where}: nobody does`,
    );
  }
  if (hasTriplets && !(reach! <= cutoff!)) {
    throw new RangeError(
      `Cannot open ${name}: its reach must be at most its cutoff, ${cutoff} Å; got ${reach}`,
    );
  }
  if (hasTriplets && neighbors === "half") {
    throw new RangeError(
      `Cannot open ${name}: its neighbors must be full where it is fed triplets; got half`,
    );
  }
  const needsBoth = rules.hasBonds || inputs.some(({ meaning }) => meaning === "reverseEdges");
  if (nearest !== undefined && (needsBoth || neighbors === "half")) {
    throw new RangeError(
      `Cannot open ${name}: nearest leaves pairs with one direction only, and its ${
        needsBoth ? "inputs need" : "half lists have"
      } both: leave nearest out`,
    );
  }
  if (rules.hasBonds && neighbors === "half") {
    throw new RangeError(`Cannot open ${name}: bonds need neighbors "full"; got "half"`);
  }
  return { cutoff: hasEdges ? cutoff! : 0, reach: hasTriplets ? reach! : 0 };
}
