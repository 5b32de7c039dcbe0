/**
 * Frames of argon, and a potential to train on them.
 *
 * @module
 */

import { Batch, fcc, rattle, System } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";

/** Energies of pairs, A / r⁶ + B / r¹², with strengths that are far too small. */
function pairs(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("pairs");
  const x = g.input("positions", "f32", ["N", 3]), shifts = g.input("shifts", "f32", ["E", 3]);
  const edges = g.input("edge_index", "i64", [2, "E"]), zeros = g.input("energy0", "f32", ["B"]);
  const systems = g.input("batch_idx", "i64", ["N"]);
  const [from, to] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));
  const r = g.add(g.sub(g.gather(x, to!), g.gather(x, from!)), shifts);
  const square = g.div(g.reduceSum(g.mul(r, r), [1], true), 3.4 ** 2);
  const sixth = g.div(1, g.mul(square, g.mul(square, square)));
  const terms = g.op("Concat", [sixth, g.mul(sixth, sixth)], "f32", { axis: 1 });
  const strengths = g.parameter("pair.strengths", [-0.015, 0.015], [2, 1]);
  const each = g.squeeze(g.op("MatMul", [terms, strengths], "f32"), [1]);
  g.output("energy", g.scatterAdd(zeros, g.gather(systems, from!), each), ["B"]);
  return g.build();
}

/** Writes the model and 20 frames of argon, whose targets have the names of other programs if `prefix` is given. */
export async function inputs(
  folder: string,
  prefix = "",
): Promise<{ model: string; frames: string }> {
  const crystal = fcc({ element: "Ar", a: 5.3, cells: 1 });
  const batch = Batch.from(Array.from({ length: 20 }, (_, seed) => rattle(crystal, 0.15, seed)));
  await using engine = new NVE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 }),
    dt: 1,
  });
  await engine.run(batch, 0);
  const frames = batch.systems().map((system) =>
    prefix === "" ? system : new System({
      symbols: system.symbols,
      positions: system.positions,
      cell: system.cell,
      info: { [`${prefix}energy`]: system.energy },
      fields: {
        [`${prefix}forces`]: {
          values: system.get("forces"),
          level: "node",
          dtype: "f64",
          width: 3,
        },
      },
    })
  );
  await Deno.writeFile(`${folder}/pairs.onnx`, pairs());
  await Deno.writeTextFile(`${folder}/frames.xyz`, writeExtxyz(frames));
  return { model: `${folder}/pairs.onnx`, frames: `${folder}/frames.xyz` };
}
