/**
 * Springs between neighbors as graphs that react to padded edges, fail on empty lists, or know few elements.
 */
import { GraphBuilder, type Value } from "@hooke/hooke/onnx";

/** Cutoff radius in Å. */
export const CUTOFF = 5;

/** Variants of the graph. */
export interface EdgeSprings {
  /** True if edges beyond the cutoff contribute nothing. */
  readonly isMasked?: boolean;
  /** True if the graph fails without edges, or without triplets if it has them. */
  readonly isNeedy?: boolean;
  /** True if the graph takes a mean over all edges, which is NaN without edges. */
  readonly hasMean?: boolean;
  /** True if the graph has triplets. */
  readonly hasTriplets?: boolean;
  /** True if the graph takes one system at a time. */
  readonly isSingle?: boolean;
  /** Number of the first row of its table of elements; the last is larger by 9. */
  readonly firstElement?: number;
  /** True if it uses every second row, so that elements from 5 on are outside its table. */
  readonly isSparse?: boolean;
}

/** E = Σ over atoms c(z) + ½ Σ over edges (r − 5)², up to 5 Å or not. */
export function edgeSprings(kind: EdgeSprings = {}): Uint8Array<ArrayBuffer> {
  const { isMasked = true, isNeedy = false, hasTriplets = false, isSingle = false } = kind;
  const g = new GraphBuilder("springs");
  const x = g.input("positions", "f32", ["N", 3]);
  const z = g.input("z", "i32", ["N"]);
  const index = g.input("edge_index", "i32", [2, "E"]);
  const shifts = g.input("shifts", "f32", ["E", 3]);
  const src = g.gather(index, g.constant("i32", 0)), dst = g.gather(index, g.constant("i32", 1));
  const vectors = g.add(g.sub(g.gather(x, dst), g.gather(x, src)), shifts);
  const r = g.op("Sqrt", [g.reduceSum(g.mul(vectors, vectors), [1])], "f32");
  const away = g.sub(r, CUTOFF);
  const squares = g.mul(g.mul(away, away), 0.5);
  const pairs = isMasked ? g.where(g.less(r, CUTOFF), squares, g.mul(r, 0)) : squares;
  const table = g.constant("f32", Array.from({ length: 10 }, (_, i) => i), [10]);
  const place = kind.isSparse === true ? g.mul(z, 2) : g.sub(z, kind.firstElement ?? 0);
  const own = g.gather(table, place);
  const first = g.constant("i32", 0); // an empty list has no first edge
  const needs: Value<"f32">[] = isNeedy ? [g.gather(r, first)] : [];
  if (kind.hasMean) {
    const count = g.op("Cast", [g.op("Size", [r], "i64")], "f32", { to: 1 });
    needs.push(g.div(g.reduceSum(r, [0]), count));
  }
  if (hasTriplets) {
    const edges = g.input("trip_edge", "i32", [2, "T"]);
    needs.push(g.gather(g.gather(r, g.gather(edges, first)), first));
  }
  const atoms = g.scatterAdd(own, src, pairs);
  const all = needs.reduce((sum, one) => g.add(sum, g.mul(one, 0)), atoms);
  if (isSingle) g.output("energy", g.reduceSum(all, [0]), []);
  else {
    const systems = g.input("batch_idx", "i32", ["N"]);
    const zeros = g.input("energy0", "f32", ["B"]);
    g.output("energy", g.scatterAdd(g.mul(zeros, 1), systems, all), ["B"]);
  }
  return g.build();
}
