import { floatAttribute, intAttribute } from "../../codec/attributes.ts";
import { contract } from "../contract.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { type Labeled, labeled } from "../labeled.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";

const matMul: OperatorGradient = (step, write) => product(step, write, step.g, [0, 0]);

/** Rule of FusedMatMul, which is a MatMul with optional transpositions and a factor. */
const fusedMatMul: OperatorGradient = (step, write) => {
  const { node, g } = step;
  const [transA, transB, ...more] = ["transA", "transB", "transBatchA", "transBatchB"]
    .map((name) => intAttribute(node, name, 0));
  if (more.some((each) => each !== 0)) {
    throw new RangeError(
      `Cannot differentiate FusedMatMul "${node.name}": its batch axes must not be transposed; got ` +
        `transBatchA ${more[0]}, transBatchB ${more[1]}`,
    );
  }
  const scaled = write.mul(g, floatAttribute(node, "alpha", 1));
  return product(step, write, scaled, [transA!, transB!]);
};

function product(
  { a, b, y }: Step,
  write: GradientWriter,
  g: string,
  [transA, transB]: readonly [number, number],
): readonly Share[] {
  const [rankA, rankB] = [write.rankOf(a), write.rankOf(b)];
  const batch = Math.max(rankA, rankB, 2) - 2;
  const axes = (rank: number, last: readonly string[], isTurned: number) =>
    rank === 1 ? ["k"] : [...batchAxes(rank - 2), ...isTurned === 0 ? last : last.toReversed()];
  const left = labeled(write, a, axes(rankA, ["m", "k"], transA));
  const right = labeled(write, b, axes(rankB, ["k", "n"], transB));
  const made = [...batchAxes(batch), ...rankA === 1 ? [] : ["m"], ...rankB === 1 ? [] : ["n"]];
  // g has the shape of the output y, but more lengths of y may be known.
  const back = labeled(write, g, made, write.lengthsOf(y));
  return [() => shareOf(write, left, back, right), () => shareOf(write, right, left, back)];
}

/**
 * Returns labels for `count` batch axes. They are counted from the last axis, because broadcasting aligns the last
 * axes.
 */
function batchAxes(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${count - i}`);
}

/**
 * Adds the gradient of the operand `to`, and returns its name: the product of x and y, summed over the axes along
 * which `to` is known to be broadcast.
 */
function shareOf(write: GradientWriter, to: Labeled, x: Labeled, y: Labeled): string {
  const isRepeated = to.labels.map((label, axis) =>
    to.lengths[axis] === 1 && [x, y].some((value) => {
      const other = value.lengths[value.labels.indexOf(label)];
      return other !== undefined && other !== 1;
    })
  );
  const kept = to.labels.filter((_, axis) => !isRepeated[axis]);
  const { name } = contract(write, x, y, kept);
  return write.unsqueeze(name, isRepeated.flatMap((is, axis) => is ? [axis] : []));
}

/** Rule of Gemm. The gradient of each factor is a Gemm that transposes its operands by attributes. */
const gemm: OperatorGradient = (step, write) => {
  const { node, a, b, g } = step;
  const beta = floatAttribute(node, "beta", 1);
  const transA = intAttribute(node, "transA", 0) !== 0 ? 1 : 0;
  const transB = intAttribute(node, "transB", 0) !== 0 ? 1 : 0;
  const scaled = (x: string, y: string, turned: readonly [0 | 1, 0 | 1]) => () =>
    scaledGemm(step, write, [x, y], turned);
  return [
    transA === 0 ? scaled(g, b, [0, transB === 0 ? 1 : 0]) : scaled(b, g, [transB, 1]),
    transB === 0 ? scaled(a, g, [transA === 0 ? 1 : 0, 0]) : scaled(g, a, [1, transA]),
    () => write.mul(g, beta),
  ];
};

function scaledGemm(
  { node }: Step,
  write: GradientWriter,
  factors: readonly [string, string],
  [transA, transB]: readonly [0 | 1, 0 | 1],
): string {
  const alpha = floatAttribute(node, "alpha", 1);
  return write.make("Gemm", factors, {
    ...alpha === 1 ? {} : { alpha: { float: alpha } },
    ...transA === 0 ? {} : { transA },
    ...transB === 0 ? {} : { transB },
  });
}

/** Rules of matrix products. */
export const MATRICES: Readonly<Record<string, OperatorGradient>> = {
  MatMul: matMul,
  Gemm: gemm,
  "com.microsoft.FusedMatMul": fusedMatMul,
};
