import { floatAttribute, intAttribute } from "../../attributes.ts";
import { contract } from "../contract.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { type Labelled, labelled } from "../labelled.ts";
import type { GradientRule, Step } from "../rule.ts";

const matMul: GradientRule = (step, write) => {
  const { a, b, y, g } = step;
  const [rankA, rankB] = [write.rankOf(a), write.rankOf(b)];
  const batch = Math.max(rankA, rankB, 2) - 2;
  const left = labelled(write, a, rankA === 1 ? ["k"] : [...batchAxes(rankA - 2), "m", "k"]);
  const right = labelled(write, b, rankB === 1 ? ["k"] : [...batchAxes(rankB - 2), "k", "n"]);
  const made = [...batchAxes(batch), ...rankA === 1 ? [] : ["m"], ...rankB === 1 ? [] : ["n"]];
  // What has come back has the shape of the output, of which more may be known.
  const back = labelled(write, g, made, write.lengthsOf(y));
  return [() => shareOf(write, left, back, right), () => shareOf(write, right, left, back)];
};

/** Counted from the last one, where they are aligned. */
function batchAxes(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${count - i}`);
}

/** The product of two values, summed to the shape of a third as far as is known where that was repeated. */
function shareOf(write: GradientWriter, to: Labelled, x: Labelled, y: Labelled): string {
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

/** Each product is a Gemm of the operands as they lie. */
const gemm: GradientRule = (step, write) => {
  const { node, a, b, g } = step;
  const beta = floatAttribute(node, "beta", 1);
  const transA = intAttribute(node, "transA", 0) !== 0 ? 1 : 0;
  const transB = intAttribute(node, "transB", 0) !== 0 ? 1 : 0;
  const product = (x: string, y: string, turned: readonly [0 | 1, 0 | 1]) => () =>
    scaledGemm(step, write, [x, y], turned);
  return [
    transA === 0 ? product(g, b, [0, transB === 0 ? 1 : 0]) : product(b, g, [transB, 1]),
    transB === 0 ? product(a, g, [transA === 0 ? 1 : 0, 0]) : product(g, a, [1, transA]),
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

/** Products of matrices. */
export const MATRICES: Readonly<Record<string, GradientRule>> = { MatMul: matMul, Gemm: gemm };
