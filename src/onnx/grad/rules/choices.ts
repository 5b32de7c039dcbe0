import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";

/** Rules of operators that select one of several values. */
export const CHOICES: Readonly<Record<string, OperatorGradient>> = {
  Max: (step, write) => extreme(step, write, "Greater"),
  Min: (step, write) => extreme(step, write, "Less"),
  Where: ({ a: condition, g }, write) => [
    undefined,
    () => write.where(condition, g, 0),
    () => write.where(condition, 0, g),
  ],
  // At a bound the gradient passes, as in PyTorch's clamp.
  Clip: ({ a, b: least, c: most, g }, write) => [
    () => {
      const capped = most === "" ? g : write.where(write.make("LessOrEqual", [a, most]), g, 0);
      return least === ""
        ? capped
        : write.where(write.make("GreaterOrEqual", [a, least]), capped, 0);
    },
    // If the lower bound is above the upper one, the result is the upper one.
    () => {
      const raised = write.where(write.make("Less", [a, least]), g, 0);
      return most === ""
        ? raised
        : write.where(write.make("LessOrEqual", [least, most]), raised, 0);
    },
    () => {
      const x = least === "" ? a : write.make("Max", [a, least]);
      return write.where(write.make("Greater", [x, most]), g, 0);
    },
  ],
};

/**
 * Returns the shares of Max or Min. Equal inputs get equal shares, as in PyTorch's maximum. If only one input needs a
 * gradient, it gets the whole gradient, as in PyTorch's clamp.
 */
function extreme(step: Step, write: GradientWriter, isAbove: "Greater" | "Less"): readonly Share[] {
  const { inputs, a, b, g } = step;
  if (inputs.length === 1) return [g];
  if (inputs.length > 2) return byCount(step, write);
  const share = (own: string, other: string, isAlone: boolean) => () => {
    if (isAlone) return write.where(write.make(`${isAbove}OrEqual`, [own, other]), g, 0);
    const tied = write.where(write.make("Equal", [own, other]), write.mul(g, 0.5), 0);
    return write.where(write.make(isAbove, [own, other]), g, tied);
  };
  if (a === b) return [g];
  return [share(a, b, !step.wants(1)), share(b, a, !step.wants(0))];
}

/**
 * Returns the shares of Max or Min with more than two inputs: g is divided equally among the inputs that equal the
 * output. Inputs that need no gradient are not counted.
 */
function byCount(step: Step, write: GradientWriter): readonly Share[] {
  const { inputs, y, g } = step, type = write.typeOf(y);
  const are = inputs.map((name, i) => step.wants(i) ? write.make("Equal", [name, y]) : undefined);
  const moving = are.filter((is) => is !== undefined);
  const count = moving.map((is) => write.cast(is, type)).reduce((sum, one) => write.add(sum, one));
  const isAll = moving.length === inputs.length;
  const each = write.div(g, isAll ? count : write.make("Max", [count, 1]));
  return are.map((is) => is && (() => write.where(is, each, 0)));
}
