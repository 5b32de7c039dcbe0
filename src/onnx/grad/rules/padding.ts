import { textAttribute } from "../../codec/attributes.ts";
import { numbersOf } from "../../infer/fact.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";
import { scatterFlat } from "../scatter_flat.ts";

/**
 * Rule of Pad. The gradient of constant padding is dropped. The gradient of copied elements is added to the elements
 * from which they were copied.
 */
const pad: OperatorGradient = (step, write) => {
  const { node, inputs, g } = step;
  if (textAttribute(node, "mode", "constant") !== "constant") return [copied(step, write)];
  let inner: string | undefined;
  const inside = () => inner ??= unpadded(step, write);
  const value: Share = () => {
    const rank = write.rankOf(g), all = Array.from({ length: rank }, (_, axis) => axis);
    return write.reshapeLike(
      write.sub(write.reduceSum(g, all), write.reduceSum(inside(), all)),
      inputs[2]!,
    );
  };
  return [inside, undefined, value];
};

/**
 * Adds a node that removes the padding from g, and returns the name of the result. It is a Slice, or a Pad with the
 * opposite counts if the operator has cut elements off.
 */
function unpadded({ inputs, g }: Step, write: GradientWriter): string {
  const { facts } = write, [, pads = "", , axes = ""] = inputs;
  const counts = numbersOf(facts.of(pads)), half = (counts?.length ?? 0) / 2;
  const along = axes === "" ? undefined : numbersOf(facts.of(axes));
  if (counts === undefined || counts.some((n) => n < 0) || (axes !== "" && along === undefined)) {
    return write.make(
      "Pad",
      [g, write.make("Neg", [pads]), "", axes].slice(0, axes === "" ? 2 : 4),
    );
  }
  const cut = Array.from({ length: half }, (_, i) => i)
    .filter((i) => counts[i] !== 0 || counts[half + i] !== 0);
  if (cut.length === 0) return g;
  const starts = cut.map((i) => counts[i]!);
  const ends = cut.map((i) => counts[half + i] === 0 ? 2 ** 31 - 1 : -counts[half + i]!);
  return write.make("Slice", [
    g,
    ...[starts, ends, cut.map((i) => along?.[i] ?? i)].map((list) => write.ints(list)),
  ]);
}

/**
 * Returns the gradient of the input. Pads the indices of the elements as the node pads the elements, which shows from
 * which element each padded element was copied.
 */
function copied({ node, inputs, a, g }: Step, write: GradientWriter): Share {
  const mode = textAttribute(node, "mode", "constant");
  return scatterFlat(write, a, g, (places) => {
    const [, pads = "", , axes = ""] = inputs;
    return write.make("Pad", axes === "" ? [places, pads] : [places, pads, "", axes], { mode });
  });
}

/** Rule of Pad. */
export const PADDING: Readonly<Record<string, OperatorGradient>> = { Pad: pad };
