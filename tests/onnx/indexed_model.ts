import { GraphBuilder } from "../../src/onnx/mod.ts";
import { f32, i64, type Tensors } from "./ort.ts";

/**
 * A model as exporters write them: int64 indices, GatherND, ScatterND, sums that begin in ConstantOfShape, outputs
 * that are views.
 *
 * With positions x [N, 3], edges [2, E] and species [N]: each edge has w = table[species[src] · 2 + species[dst]] · d,
 * d the vector between its atoms. Outputs: the sum of w at each src, [N, 3]; that of |w|² at each dst, by system, [B]; the
 * places src + 1, int64 [E].
 */
export function indexed(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("indexed");
  const x = g.input("x", "f32", ["N", 3]);
  const edges = g.input("edges", "i64", [2, "E"]);
  const species = g.input("species", "i64", ["N"]);
  const batch = g.input("batch", "i64", ["N"]);
  const energy0 = g.input("energy0", "f32", ["B"]);
  const [src, dst] = [g.gather(edges, g.constant("i64", 0)), g.gather(edges, g.constant("i64", 1))];
  const at = (places: typeof src) => g.describe(g.unsqueeze(places, [-1]), ["E", 1]);
  const [srcAt, dstAt] = [at(src), at(dst)];
  const gatherND = <T extends "f32" | "i64">(data: { name: string; type: T }, places: typeof src) =>
    g.op("GatherND", [data, places], data.type);
  const d = g.sub(gatherND(x, dstAt), gatherND(x, srcAt));
  const pair = g.add(g.mul(gatherND(species, srcAt), 2), gatherND(species, dstAt));
  const renumbered = gatherND(g.constant("i64", [3, 2, 1, 0]), at(pair));
  const table = g.constant("f32", [0.5, 1, 2, -1]);
  const w = g.mul(d, g.unsqueeze(g.gather(table, renumbered), [1]));
  const shape = g.op("Shape", [x], "i64");
  const zeros = g.describe(g.op("ConstantOfShape", [shape], "f32"), ["N", 3]);
  const scatterND = (base: typeof x, places: typeof src, updates: typeof x) =>
    g.op("ScatterND", [base, places, updates], "f32", { reduction: "add" });
  g.output("sums", scatterND(zeros, srcAt, w), ["N", 3]);
  // The same base for two sums: neither may change it.
  const others = scatterND(zeros, dstAt, g.mul(w, w));
  const squares = g.describe(g.reduceSum(others, [1]), ["N"]);
  const systems = g.describe(g.unsqueeze(batch, [-1]), ["N", 1]);
  g.output("energy", scatterND(energy0, systems, squares), ["B"]);
  g.output("next", g.op("Identity", [g.add(src, 1)], "i64"), ["E"]);
  g.output("column", g.reshape(squares, g.constant("i64", [-1, 1])), ["N", 1]);
  return g.build();
}

const X = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4];
const EDGES: readonly [src: number, dst: number][] = [[0, 1], [1, 0], [2, 3], [0, 2], [3, 0]];
const SPECIES = [0, 1, 1, 0], BATCH = [0, 0, 1, 1];

/** Four atoms in two systems. */
export function feeds(): Tensors {
  return {
    x: f32(X, 4, 3),
    edges: i64([...EDGES.map(([src]) => src), ...EDGES.map(([, dst]) => dst)], 2, EDGES.length),
    species: i64(SPECIES, 4),
    batch: i64(BATCH, 4),
    energy0: f32([0.5, 0.25], 2),
  };
}

/** Returns the expected results of the formulas above. */
export function expectedOf(): { sums: number[]; energy: number[] } {
  const sums = Array<number>(12).fill(0), energy = [0.5, 0.25];
  for (const [src, dst] of EDGES) {
    // The table is renumbered by 3, 2, 1, 0.
    const factor = [0.5, 1, 2, -1][3 - (2 * SPECIES[src]! + SPECIES[dst]!)]!;
    for (let d = 0; d < 3; d++) {
      const w = factor * (X[3 * dst + d]! - X[3 * src + d]!);
      sums[3 * src + d]! += w;
      energy[BATCH[dst]!]! += w * w;
    }
  }
  return { sums, energy };
}
