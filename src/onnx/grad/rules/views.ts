import { intsAttribute } from "../../attributes.ts";
import type { GradientRule } from "../rule.ts";

/** The same memory in another shape. */
const view: GradientRule = ({ a, g }, write) => [() => write.reshapeLike(g, a)];

/** The other way round; without an order, the axes are in the opposite one. */
const transpose: GradientRule = ({ node, g }, write) => {
  const order = intsAttribute(node, "perm");
  return [
    () =>
      order === undefined
        ? write.make("Transpose", [g])
        : write.transpose(g, order.map((_, axis) => order.indexOf(axis))),
  ];
};

/** Values in another shape, or repeated to one. */
export const VIEWS: Readonly<Record<string, GradientRule>> = {
  Reshape: view,
  Squeeze: view,
  Unsqueeze: view,
  Flatten: view,
  Transpose: transpose,
  Identity: ({ g }) => [g],
  // What was repeated is summed again by whoever takes the share.
  Expand: ({ g }) => [g],
};
