import type { GradientWriter } from "./gradient_writer.ts";
import type { Share } from "./rule.ts";

/**
 * What comes back through an operator that puts elements elsewhere or copies them: each goes to where it came from.
 *
 * @param like what the elements were taken from
 * @param g what comes back for what they make
 * @param move does to the elements' numbers (int64, of the shape of `like`) what was done to the elements
 */
export function scatterFlat(
  write: GradientWriter,
  like: string,
  g: string,
  move: (places: string) => string,
): Share {
  return {
    into: (base) => {
      const shape = write.shapeOf(like);
      const count = write.make("ReduceProd", [shape], { keepdims: 0 });
      const numbers = write.make("Range", [write.scalar(0, "i64"), count, write.scalar(1, "i64")]);
      const places = write.reshape(move(write.reshape(numbers, shape)), [-1]);
      const inputs = [write.reshape(base, [-1]), places, write.reshape(g, [-1])];
      const sum = write.make("ScatterElements", inputs, { axis: 0, reduction: "add" });
      return write.reshapeLike(sum, like);
    },
  };
}
