/**
 * A small potential of pairs, and frames that another one of its kind has made.
 *
 * @module
 */

import { openBackend } from "../../../src/backend/mod.ts";
import { Batch, fcc, rattle, System } from "../../../src/batch/mod.ts";
import { evaluateModel } from "../../../src/models/evaluate.ts";
import { OnnxModel } from "../../../src/models/onnx.ts";
import { GraphBuilder } from "../../../src/onnx/mod.ts";

/** The manifest of the model. */
export const MANIFEST = { cutoff: 4.2, elements: ["Ar", "Kr"] } as const;

/** E = Σ over pairs of heights · Gaussians of r²; inputs have names that a manifest or a matcher must know. */
export function pairsModel(height: number): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("pairs"), count = 6;
  const positions = g.input("positions", "f32", ["N", 3]);
  g.input("species", "i64", ["N"]);
  const edges = g.input("edge_index", "i64", [2, "E"]),
    shifts = g.input("offsets", "f32", ["E", 3]);
  const systems = g.input("batch", "i64", ["N"]), zeros = g.input("energy0", "f32", ["B"]);
  const [from, to] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));
  const vectors = g.add(g.sub(g.gather(positions, to!), g.gather(positions, from!)), shifts);
  const squares = g.reduceSum(g.mul(vectors, vectors), [1], true);
  const centers = g.constant("f32", Array.from({ length: count }, (_, k) => 12 + k));
  const away = g.sub(squares, centers);
  const gaussians = g.op("Exp", [g.op("Neg", [g.mul(away, away)], "f32")], "f32");
  const heights = g.parameter("net.heights", new Float32Array(count).fill(height), [count, 1]);
  const scale = g.parameter("net.scale", [1], [1]);
  const each = g.squeeze(g.op("MatMul", [gaussians, heights], "f32"), [1]);
  g.output("energy", g.scatterAdd(zeros, g.gather(systems, from!), g.mul(each, scale)), ["B"]);
  return g.build();
}

/** Frames of four atoms under the names REF_…, with energies that are shifted by some eV per atom. */
export async function pairFrames(
  bytes: Uint8Array<ArrayBuffer>,
  count: number,
  shift: number,
): Promise<System[]> {
  const crystal = fcc({ element: "Ar", a: 5.3, cells: 1 });
  await using model = await OnnxModel.open(bytes, { ...MANIFEST, stress: true });
  const backend = openBackend("reference");
  const frames: System[] = [];
  for (let seed = 0; seed < count; seed++) {
    const { symbols, positions, cell, pbc } = rattle(crystal, 0.15, seed);
    const input = { symbols, positions, cell, pbc: Array.from(pbc, Boolean) };
    const found = await evaluateModel(model, Batch.from([input]), backend);
    const volume = 5.3 ** 3;
    frames.push(
      new System({
        ...input,
        info: {
          REF_energy: found.energy[0]! + 4 * shift,
          REF_stress: found.virial.map((value) => -value / volume),
        },
        fields: { REF_forces: { level: "node", values: chunked(found.forces) } },
      }),
    );
  }
  return frames;
}

/** Three by three. */
function chunked(values: readonly number[]): number[][] {
  return Array.from({ length: values.length / 3 }, (_, i) => values.slice(3 * i, 3 * i + 3));
}
