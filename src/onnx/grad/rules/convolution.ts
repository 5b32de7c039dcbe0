import { intAttribute, intsAttribute } from "../../codec/attributes.ts";
import { type Convolution, narrowed, places, weighed, widened } from "../windows/convolve.ts";
import { edgesOf } from "../windows/image_edges.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient, Step } from "../rule.ts";
import { lengthsAlong, windowsOver, windowsUnder } from "../windows/windows.ts";

/**
 * Rule of Conv. The gradient of the image is the transposed convolution of g by the weights. The gradient of the
 * weights is the convolution of the image by g.
 */
const conv: OperatorGradient = (step, write) => {
  const { node, a, b, y, g } = step;
  const lengths = lengthsAlong(write, { wide: a, narrow: y, kernel: kernelOf(step, write) });
  const plan = {
    windows: windowsOver(node, lengths),
    group: intAttribute(node, "group", 1),
    edges: edgesOf(write, { node, wide: a, narrow: y, lengths }),
  };
  return [
    () => widened(write, g, b, { ...plan, like: a }),
    () => weighed(write, a, g, { ...plan, like: b }),
    () => biasOf(write, g, plan),
  ];
};

/** Rule of ConvTranspose: the rule of Conv with the roles of image and result exchanged. */
const convTranspose: OperatorGradient = (step, write) => {
  const { node, a, b, y, g } = step;
  const lengths = lengthsAlong(write, { wide: y, narrow: a, kernel: kernelOf(step, write) });
  const plan = { windows: windowsUnder(node, lengths), group: intAttribute(node, "group", 1) };
  return [
    () => narrowed(write, g, b, { ...plan, like: a }),
    () => weighed(write, g, a, { ...plan, like: b }),
    () => biasOf(write, g, plan),
  ];
};

/** Adds the gradient of the bias, the sum of g per channel, and returns its name. */
function biasOf(write: GradientWriter, g: string, { windows }: Convolution): string {
  return write.reduceSum(g, [0, ...places(2, windows.length + 2)]);
}

function kernelOf({ node, b }: Step, write: GradientWriter): readonly (number | string)[] {
  return intsAttribute(node, "kernel_shape") ?? write.lengthsOf(b).slice(2);
}

/** Rules of convolutions. */
export const CONVOLUTION: Readonly<Record<string, OperatorGradient>> = {
  Conv: conv,
  ConvTranspose: convTranspose,
};
