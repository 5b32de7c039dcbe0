import { floatAttribute, intAttribute, intsAttribute } from "../../codec/attributes.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";

/**
 * Rules of normalizations. They center values, scale them to variance 1, and then multiply by a scale and add a
 * shift.
 */
export const NORMALIZATIONS: Readonly<Record<string, OperatorGradient>> = {
  LayerNormalization: (step, write) => {
    const { node, a, b: scale, g, gradients } = step;
    const rank = write.rankOf(a), axis = intAttribute(node, "axis", -1);
    const axes = range(axis < 0 ? axis + rank : axis, rank);
    const of = normalized(write, a, axes, floatAttribute(node, "epsilon", 1e-5));
    return [
      () => sumOf(write, [of.back(write.mul(g, scale)), ...of.backFromMoments(gradients)]),
      () => write.mul(g, of.values),
      () => g,
    ];
  },
  InstanceNormalization: ({ node, a, b: scale, g }, write) => {
    const rank = write.rankOf(a), axes = range(2, rank);
    const of = normalized(write, a, axes, floatAttribute(node, "epsilon", 1e-5));
    return perChannel(write, { a, g, scale, values: of.values, back: of.back });
  },
  GroupNormalization: groupNormalization,
  BatchNormalization: batchNormalization,
  // The derivative is 0 where the norm is 0, as for the norm itself.
  LpNormalization: ({ node, a, y, g }, write) => [
    () => {
      const axis = [intAttribute(node, "axis", -1)], p = intAttribute(node, "p", 2);
      const norm = write.make(p === 1 ? "ReduceL1" : "ReduceL2", [a, write.ints(axis)], {
        keepdims: 1,
      });
      const all = write.reduceSum(write.mul(g, y), axis, true);
      const along = p === 1 ? write.signed(write.expandLike(all, a), a) : write.mul(y, all);
      const isZero = write.make("Equal", [norm, 0]);
      const slope = write.div(write.sub(g, along), write.where(isZero, 1, norm));
      return write.where(isZero, 0, slope);
    },
  ],
  MeanVarianceNormalization: ({ node, a, g }, write) => [
    () => {
      const axes = intsAttribute(node, "axes") ?? [0, 2, 3];
      const centered = write.sub(a, mean(write, a, axes));
      const deviation = write.make("Sqrt", [mean(write, write.square(centered), axes)]);
      const scale = write.add(deviation, 1e-9);
      // If all values are equal, divide by 1 instead of 0: the centered values are 0 in any case.
      const divisor = write.where(write.make("Equal", [deviation, 0]), 1, deviation);
      const along = write.div(
        mean(write, write.mul(g, centered), axes),
        write.mul(write.square(scale), divisor),
      );
      const across = write.div(write.sub(g, mean(write, g, axes)), scale);
      return write.sub(across, write.mul(centered, along));
    },
  ],
};

/** Values that are centered and scaled along axes, with their gradients. */
interface Normalized {
  /** Name of the normalized values, which have mean 0 and variance 1. */
  readonly values: string;
  /** Adds the gradient of the original values for a gradient of the normalized values, and returns its name. */
  back(g: string): string;
  /**
   * Adds the contributions to the gradient of the original values from further outputs, and returns their names.
   * LayerNormalization has the mean and the inverse deviation as further outputs. `gradients` contains the gradients
   * of all outputs.
   */
  backFromMoments(gradients: readonly (string | undefined)[]): readonly string[];
}

function normalized(
  write: GradientWriter,
  a: string,
  axes: readonly number[],
  epsilon: number,
): Normalized {
  const centered = write.sub(a, mean(write, a, axes));
  const variance = write.add(mean(write, write.square(centered), axes), epsilon);
  const inverse = write.make("Reciprocal", [write.make("Sqrt", [variance])]);
  const values = write.mul(centered, inverse);
  const back = (g: string) => {
    const along = write.mul(values, mean(write, write.mul(g, values), axes));
    return write.mul(write.sub(write.sub(g, mean(write, g, axes)), along), inverse);
  };
  const backFromMoments = ([, ofMean, ofInverse]: readonly (string | undefined)[]) => {
    if (ofMean === undefined && ofInverse === undefined) return [];
    const count = write.reduceSum(write.fill(1, a), axes, true), type = write.typeOf(a);
    const shares = ofMean === undefined
      ? []
      : [write.expandLike(write.div(write.cast(ofMean, type), count), a)];
    if (ofInverse !== undefined) {
      const cubed = write.mul(write.square(inverse), inverse);
      const slope = write.neg(write.div(write.mul(write.cast(ofInverse, type), cubed), count));
      shares.push(write.mul(centered, slope));
    }
    return shares;
  };
  return { values, back, backFromMoments };
}

function mean(write: GradientWriter, x: string, axes: readonly number[]): string {
  return write.make("ReduceMean", [x, write.ints(axes)], { keepdims: 1 });
}

function sumOf(write: GradientWriter, terms: readonly string[]): string {
  return terms.reduce((sum, term) => write.add(sum, term));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** A normalization with one scale and one shift per channel (axis 1). */
interface Stretched {
  readonly a: string;
  readonly g: string;
  readonly scale: string;
  /** Name of the normalized values. */
  readonly values: string;
  readonly back: (g: string) => string;
}

function perChannel(
  write: GradientWriter,
  { a, g, scale, values, back }: Stretched,
): readonly Share[] {
  const rank = write.rankOf(a), others = [0, ...range(2, rank)];
  return [
    () => back(write.mul(g, write.unsqueeze(scale, range(1, rank - 1)))),
    () => write.reduceSum(write.mul(g, values), others),
    () => write.reduceSum(g, others),
  ];
}

/**
 * Rule of GroupNormalization, which normalizes groups of channels together. Before opset 21, it has one scale and
 * shift per group; from opset 21 on, one per channel.
 */
function groupNormalization(
  { node, opset, a, b: scale, c: shift, g }: Step,
  write: GradientWriter,
): readonly Share[] {
  const groups = intAttribute(node, "num_groups", 1);
  const grouped = write.reshape(a, [0, groups, -1]);
  const of = normalized(write, grouped, [2], floatAttribute(node, "epsilon", 1e-5));
  if (opset >= 21) {
    const values = write.reshapeLike(of.values, a);
    const back = (g: string) => write.reshapeLike(of.back(write.reshapeLike(g, grouped)), a);
    return perChannel(write, { a, g, scale, values, back });
  }
  const ofGroups = write.reshapeLike(g, grouped);
  return [
    () => write.reshapeLike(of.back(write.mul(ofGroups, write.unsqueeze(scale, [1]))), a),
    () => write.reshapeLike(write.reduceSum(write.mul(ofGroups, of.values), [0, 2]), scale),
    () => write.reshapeLike(write.reduceSum(ofGroups, [0, 2]), shift),
  ];
}

/**
 * Rule of BatchNormalization. In inference, the mean and variance are inputs. In training mode, they are computed
 * from the batch.
 */
function batchNormalization(
  { node, inputs, outputs, gradients, a, b: scale, g }: Step,
  write: GradientWriter,
): readonly Share[] {
  const rank = write.rankOf(a), others = [0, ...range(2, rank)];
  const epsilon = floatAttribute(node, "epsilon", 1e-5);
  if (intAttribute(node, "training_mode", 0) === 1) {
    if (gradients.slice(1).some((each) => each !== undefined)) throw noStatistics(outputs);
    const { values, back } = normalized(write, a, others, epsilon);
    return perChannel(write, { a, g, scale, values, back });
  }
  const lifted = (name = "") => write.unsqueeze(name, range(1, rank - 1));
  const [, , , mean, variance] = inputs;
  const deviation = write.make("Sqrt", [write.add(lifted(variance), epsilon)]);
  const values = write.div(write.sub(a, lifted(mean)), deviation);
  const back = (each: string) => write.div(each, deviation);
  const along = () => back(write.mul(g, lifted(scale)));
  return [
    ...perChannel(write, { a, g, scale, values, back }),
    () => write.neg(write.reduceSum(along(), others)),
    () => {
      const slope = write.div(write.mul(along(), values), deviation);
      return write.mul(write.reduceSum(slope, others), -0.5);
    },
  ];
}

function noStatistics(outputs: readonly string[]): RangeError {
  return new RangeError(
    "Cannot differentiate a BatchNormalization in training: nothing may depend on its running mean and variance; " +
      `got the outputs ${outputs.join(", ")}`,
  );
}
