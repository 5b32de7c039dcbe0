import { numbersOf } from "../../infer/fact.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { type Cut, placeOfCut, unslice } from "../windows/unslice.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";
import { scatterFlat } from "../scatter_flat.ts";

/** Rule of Slice. Puts the gradient at the position of the slice, with zeros around it. */
const slice: OperatorGradient = (step, write) => {
  const cuts = cutsOf(step, write);
  if (cuts === undefined) return [scatteredSlice(step, write)];
  const place = placeOfCut(write, step.y, step.a, cuts);
  if (place !== undefined) return [{ ...place, part: () => step.g }];
  return [() => unslice(write, step.g, step.a, cuts, step.y)];
};

/** Returns the slices of a node, one per sliced axis; `undefined` if axes or steps are known only at run time. */
function cutsOf({ inputs, a }: Step, write: GradientWriter): readonly Cut[] | undefined {
  const { facts } = write;
  const [, starts = "", , axes = "", steps = ""] = inputs;
  const count = facts.of(starts).shape?.[0], rank = write.rankOf(a);
  const by = steps === "" ? [] : numbersOf(facts.of(steps));
  const along = axes === "" ? [] : numbersOf(facts.of(axes));
  if (typeof count !== "number" || by === undefined || along === undefined) return undefined;
  return Array.from({ length: count }, (_, i) => {
    const axis = along[i] ?? i, start = facts.of(starts).values?.[i];
    return {
      axis: axis < 0 ? axis + rank : axis,
      start: typeof start === "number" ? start : { value: startOf(write, starts, i, count) },
      step: by[i] ?? 1,
    };
  });
}

/**
 * Returns the name of element `i` of `starts`, an int64 tensor with one element. `count` is the number of elements of
 * `starts`.
 */
function startOf(write: GradientWriter, starts: string, i: number, count: number): string {
  const own = count === 1
    ? starts
    : write.make("Slice", [starts, write.ints([i]), write.ints([i + 1])]);
  return write.cast(own, "i64");
}

/**
 * Returns the gradient of the input. Slices the indices of the elements as the node slices the elements, which shows
 * from which element each result element was taken.
 */
function scatteredSlice({ inputs, a, g }: Step, write: GradientWriter): Share {
  return scatterFlat(write, a, g, (places) => write.make("Slice", [places, ...inputs.slice(1)]));
}

/** Rule of Slice. */
export const SLICING: Readonly<Record<string, OperatorGradient>> = { Slice: slice };
