import type { GradientRule } from "../rule.ts";

/** The same memory in another shape. */
const view: GradientRule = ({ a, g }, write) => [() => write.reshapeLike(g, a)];

/** Values in another shape, or repeated to one. */
export const VIEWS: Readonly<Record<string, GradientRule>> = {
  Reshape: view,
  Squeeze: view,
  Unsqueeze: view,
  Flatten: view,
  Identity: ({ g }) => [g],
  // What was repeated is summed again by whoever takes the share.
  Expand: ({ g }) => [g],
};
