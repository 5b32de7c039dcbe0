import type { GradientWriter } from "./gradient_writer.ts";
import type { Share } from "./rule.ts";

/**
 * Returns the share of an operator that moves or copies elements. The gradient of each result element is added to the
 * element from which it was moved or copied.
 *
 * @param like value from which the elements were taken
 * @param g gradient of the result
 * @param move applies the operator to the indices of the elements (int64, of the shape of `like`)
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
