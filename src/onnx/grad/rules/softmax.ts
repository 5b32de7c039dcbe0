import { intAttribute } from "../../codec/attributes.ts";
import type { OperatorGradient } from "../rule.ts";

/** Rules of Softmax, LogSoftmax and Hardmax along a single axis, as they are defined since opset 13. */
export const SOFTMAX: Readonly<Record<string, OperatorGradient>> = {
  Softmax: ({ node, y, g }, write) => [
    () => {
      const part = write.mul(g, y);
      const all = write.reduceSum(part, [intAttribute(node, "axis", -1)], true);
      return write.sub(part, write.mul(y, all));
    },
  ],
  LogSoftmax: ({ node, y, g }, write) => [
    () => {
      const all = write.reduceSum(g, [intAttribute(node, "axis", -1)], true);
      return write.sub(g, write.mul(write.make("Exp", [y]), all));
    },
  ],
  Hardmax: () => [],
};
