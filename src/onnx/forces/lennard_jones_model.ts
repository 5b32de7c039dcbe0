import { GraphBuilder, type Value } from "../graph/graph_builder.ts";

/** Options of {@linkcode lennardJonesModel}. */
export interface LennardJonesModelOptions {
  /** Depth of the well, eV. */
  readonly epsilon: number;
  /** Distance at which the energy is 0, Å. */
  readonly sigma: number;
  /** Cutoff radius, Å. */
  readonly cutoff: number;
  /**
   * Treatment of the cutoff: `"shift"` subtracts the energy at the cutoff from each pair, so that the energy is
   * continuous; `"cut"` does not.
   *
   * @default "shift"
   */
  readonly truncation?: "shift" | "cut";
  /**
   * Form of the neighbor list: each pair in both directions (`"full"`) or once (`"half"`).
   *
   * @default "full"
   */
  readonly list?: "full" | "half";
  /**
   * Form of the pairs: one input `edge_index` [2, E], or two inputs `edge_src` and `edge_dst` [E].
   *
   * @default "stacked"
   */
  readonly edges?: "stacked" | "separate";
  /**
   * Input with the systems: `batch_idx` [N], one per atom, or `edge_batch` [E], one per pair.
   *
   * @default "atom"
   */
  readonly batchIndex?: "atom" | "edge";
}

/**
 * The Lennard-Jones potential as an .onnx file, E = Σ 4ε((σ/r)¹² − (σ/r)⁶) below the cutoff: batched, over a
 * neighbor list, float32, with energies and forces.
 *
 * | input | type | shape | meaning |
 * |---|---|---|---|
 * | `positions` | f32 | [N, 3] | Å |
 * | `edge_index` | i32 | [2, E] | the two atoms of each pair as rows; or `edge_src`, `edge_dst` [E] |
 * | `shifts` | f32 | [E, 3] | Å; a pair's vector is `positions[dst] − positions[src] + shifts` |
 * | `batch_idx` | i32 | [N] | system of each atom; or `edge_batch` [E] |
 * | `energy0` | f32 | [B] | one zero per system |
 *
 * Outputs: `energy` [B] in eV, `forces` [N, 3] in eV/Å. Pairs beyond the cutoff contribute exactly zero, so lists
 * can be padded with the pair 0–0 at a shift of (100, 0, 0).
 *
 * The whole graph runs on WebGPU and can be captured: indices are int32, no output is a view, and the bases of sums
 * are computed in each run. Energies are summed per atom first, which reduces rounding errors, and contention of
 * threads for one number.
 *
 * @throws {TypeError} if a parameter is not a number
 * @throws {RangeError} if a parameter is not positive and finite, or an option has an unknown value
 *
 * @example
 * ```ts
 * import { decodeModel, describeModel, lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5, list: "half" });
 * const { inputs } = describeModel(decodeModel(bytes));
 * assertEquals(inputs[1], { name: "edge_index", type: "i32", shape: [2, "E"] });
 * ```
 */
export function lennardJonesModel(options: LennardJonesModelOptions): Uint8Array<ArrayBuffer> {
  const { epsilon, sigma, cutoff, truncation = "shift", list = "full" } = options;
  const { edges = "stacked", batchIndex = "atom" } = options;
  for (const [name, value] of Object.entries({ epsilon, sigma, cutoff })) positive(name, value);
  oneOf("truncation", truncation, ["shift", "cut"]);
  oneOf("list", list, ["full", "half"]);
  oneOf("edges", edges, ["stacked", "separate"]);
  oneOf("batchIndex", batchIndex, ["atom", "edge"]);
  const g = new GraphBuilder("lennard_jones", {
    metadata: { cutoff: `${cutoff}`, neighbors: list, units: "eV, Å" },
  });
  const positions = g.input("positions", "f32", ["N", 3]);
  const [src, dst] = pairInputs(g, edges);
  const shifts = g.input("shifts", "f32", ["E", 3]);
  const systems = batchIndex === "atom"
    ? g.input("batch_idx", "i32", ["N"])
    : g.input("edge_batch", "i32", ["E"]);
  const energy0 = g.input("energy0", "f32", ["B"]);

  const vectors = g.add(g.sub(g.gather(positions, dst), g.gather(positions, src)), shifts);
  const squares = g.reduceSum(g.mul(vectors, vectors), [1], true);
  const pair = pairTerms(g, squares, { sigma, cutoff, truncation });
  const zeros = g.sub(energy0, energy0);
  const energies = g.squeeze(pair.energies, [1]);
  const energy = batchIndex === "edge"
    ? g.scatterAdd(zeros, systems, energies)
    : g.scatterAdd(zeros, systems, g.scatterAdd(zeroPerAtom(g, positions), src, energies));
  const forces = scatterForces(g, positions, { src, dst, vectors, slopes: pair.slopes, list });
  // Multiply after the sums, because outputs that are scatters themselves cannot be captured.
  g.output("energy", g.mul(energy, 4 * epsilon * (list === "full" ? 0.5 : 1)), ["B"]);
  g.output("forces", g.mul(forces, 48 * epsilon), ["N", 3]);
  return g.build();
}

type Parameters = Required<Pick<LennardJonesModelOptions, "sigma" | "cutoff" | "truncation">>;

function pairInputs(g: GraphBuilder, edges: "stacked" | "separate"): [Value<"i32">, Value<"i32">] {
  if (edges === "separate") {
    return [g.input("edge_src", "i32", ["E"]), g.input("edge_dst", "i32", ["E"])];
  }
  const stacked = g.input("edge_index", "i32", [2, "E"]);
  return [g.gather(stacked, g.constant("i32", 0)), g.gather(stacked, g.constant("i32", 1))];
}

/**
 * Returns two terms of each pair, [E, 1], with s = (σ/r)⁶: `energies` is s² − s, the energy divided by 4ε, and
 * `slopes` is s(½ − s)/r², which is (dE/dr)/r divided by 48ε.
 */
function pairTerms(
  g: GraphBuilder,
  squares: Value<"f32">,
  { sigma, cutoff, truncation }: Parameters,
): { energies: Value<"f32">; slopes: Value<"f32"> } {
  const s2 = g.div(sigma * sigma, squares);
  const s6 = g.mul(g.mul(s2, s2), s2);
  const end = (sigma / cutoff) ** 6;
  const well = g.mul(s6, g.sub(s6, 1));
  const shifted = truncation === "shift" ? g.sub(well, end * (end - 1)) : well;
  const slopes = g.div(g.mul(s6, g.sub(0.5, s6)), squares);
  // Do not test for "below": neither comparison holds for NaN, and a NaN distance must not give energy 0.
  const isBeyond = g.greaterOrEqual(squares, cutoff * cutoff);
  return { energies: g.where(isBeyond, 0, shifted), slopes: g.where(isBeyond, 0, slopes) };
}

/**
 * Adds nodes that sum the forces of pairs over their atoms. If the energy rises along the vector of a pair, the force
 * on `src` points along it.
 */
function scatterForces(
  g: GraphBuilder,
  positions: Value<"f32">,
  { src, dst, vectors, slopes, list }: {
    readonly src: Value<"i32">;
    readonly dst: Value<"i32">;
    readonly vectors: Value<"f32">;
    readonly slopes: Value<"f32">;
    readonly list: "full" | "half";
  },
): Value<"f32"> {
  const pulls = g.mul(vectors, slopes);
  const places = (atoms: Value<"i32">) => g.expand(g.unsqueeze(atoms, [1]), [1, 3]);
  const zeros = g.sub(positions, positions);
  const forces = g.scatterAdd(zeros, places(src), pulls);
  return list === "full" ? forces : g.scatterAdd(forces, places(dst), g.mul(pulls, -1));
}

/**
 * Adds nodes that compute zeros, [N], one per atom. The formula differs from that of the zeros for forces, because
 * the runtime would otherwise merge both and start both sums in one buffer.
 */
function zeroPerAtom(g: GraphBuilder, positions: Value<"f32">): Value<"f32"> {
  const x = g.gather(positions, g.constant("i32", 0), 1);
  return g.sub(x, x);
}

function positive(what: string, value: unknown): void {
  if (typeof value !== "number") {
    throw new TypeError(
      `Cannot make a Lennard-Jones model: ${what} must be a number; got ${String(value)}`,
    );
  }
  if (value > 0 && value < Infinity) return;
  throw new RangeError(
    `Cannot make a Lennard-Jones model: ${what} must be above 0 and finite; got ${value}`,
  );
}

function oneOf(what: string, value: string, values: readonly string[]): void {
  if (values.includes(value)) return;
  throw new RangeError(
    `Cannot make a Lennard-Jones model: ${what} must be ${values.join(" or ")}; got ${value}`,
  );
}
