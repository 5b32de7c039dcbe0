import { numbersOf } from "../../infer/fact.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { type Cut, placeOfCut, putBack } from "../windows/put_back.ts";
import type { GradientRule, Share, Step } from "../rule.ts";
import { scatterFlat } from "../scatter_flat.ts";

/** Zeros with what was cut out at its place. */
const slice: GradientRule = (step, write) => {
  const cuts = cutsOf(step, write);
  if (cuts === undefined) return [scatteredSlice(step, write)];
  const place = placeOfCut(write, step.y, step.a, cuts);
  if (place !== undefined) return [{ ...place, part: () => step.g }];
  return [() => putBack(write, step.g, step.a, cuts, step.y)];
};

/** What was cut; `undefined` where the axes or steps turn out when the graph runs. */
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

/** One of the starts, as a list of one. */
function startOf(write: GradientWriter, starts: string, i: number, count: number): string {
  const own = count === 1
    ? starts
    : write.make("Slice", [starts, write.ints([i]), write.ints([i + 1])]);
  return write.cast(own, "i64");
}

/** The same cut of the elements' numbers says where each one was. */
function scatteredSlice({ inputs, a, g }: Step, write: GradientWriter): Share {
  return scatterFlat(write, a, g, (places) => write.make("Slice", [places, ...inputs.slice(1)]));
}

/** What is cut out. */
export const SLICING: Readonly<Record<string, GradientRule>> = { Slice: slice };
