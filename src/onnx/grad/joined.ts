import type { GradientWriter } from "./gradient_writer.ts";
import type { Placed } from "./rule.ts";

/**
 * Adds nodes that put parts back into the shape of the value from which they were cut, with zeros elsewhere. Adjacent
 * parts are joined by one Concat, which is cheaper than a Pad and an Add per part. Parts that overlap are in
 * different layers. Returns one value per layer.
 */
export function joined(write: GradientWriter, like: string, parts: readonly Placed[]): string[] {
  const layers: Placed[][] = [];
  for (const part of [...parts].sort((a, b) => a.start - b.start)) {
    const layer = layers.find((each) => {
      const { axis, start, length } = each.at(-1)!;
      return axis === part.axis && start + length <= part.start;
    });
    if (layer === undefined) layers.push([part]);
    else layer.push(part);
  }
  return layers.map((layer) => ofLayer(write, like, layer));
}

function ofLayer(write: GradientWriter, like: string, layer: readonly Placed[]): string {
  const [{ axis }] = layer as [Placed], length = Number(write.lengthsOf(like)[axis]);
  const values = layer.map(({ part }) => part());
  const numbers = new Set(values.map((value) => write.fillOf(value))), [number] = numbers;
  const isWhole = layer.reduce((sum, part) => sum + part.length, 0) === length;
  if (isWhole && numbers.size === 1 && number !== undefined) return write.fill(number, like);
  let end = 0;
  const pieces = layer.map(({ start, length: own }, i) => {
    const before = start - end;
    end = start + own;
    return padded(write, values[i]!, axis, before, i === layer.length - 1 ? length - end : 0);
  });
  return pieces.length === 1 ? pieces[0]! : write.make("Concat", pieces, { axis });
}

/** Adds a node that pads x along an axis, with `before` zeros before its elements and `behind` zeros after them. */
function padded(
  write: GradientWriter,
  x: string,
  axis: number,
  before: number,
  behind: number,
): string {
  if (before === 0 && behind === 0) return x;
  const rank = write.rankOf(x), pads = new Array<number>(2 * rank).fill(0);
  pads[axis] = before;
  pads[rank + axis] = behind;
  return write.make("Pad", [x, write.ints(pads)]);
}
