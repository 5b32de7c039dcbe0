// Positions are relative to an origin near the system only if the graph shows that this changes nothing.
import { assert, assertEquals } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { isTranslationInvariant } from "../../src/onnx/infer/translation.ts";
import { decodeModel, GraphBuilder, lennardJonesModel, type Value } from "../../src/onnx/mod.ts";
import { lacks } from "../machine.ts";
import { readModel } from "../onnx/shared_models.ts";

/** A graph of positions and of pairs (rows of two numbers). */
function graphOf(
  energy: (g: GraphBuilder, x: Value<"f32">, rows: Value<"i64">) => Value<"f32">,
): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("graph");
  const x = g.input("positions", "f32", ["N", 3]), rows = g.input("rows", "i64", ["E"]);
  g.output("energy", g.reduceSum(energy(g, x, rows), [1]), ["M"]);
  return g.build();
}

const CASES: Readonly<Record<string, [boolean, Uint8Array]>> = {
  "differences of gathered rows": [
    true,
    graphOf((g, x, rows) => g.sub(g.gather(x, rows), g.gather(x, rows))),
  ],
  "differences after a shift of one of them": [
    true,
    graphOf((g, x, rows) => g.sub(g.gather(x, rows), g.add(g.gather(x, rows), 1))),
  ],
  "positions themselves": [false, graphOf((g, x) => g.mul(x, x))],
  "a sum of two": [false, graphOf((g, x, rows) => g.add(g.gather(x, rows), g.gather(x, rows)))],
  "a difference of which one is scaled": [
    false,
    graphOf((g, x, rows) => g.sub(g.gather(x, rows), g.mul(g.gather(x, rows), 2))),
  ],
  "a number less a position": [false, graphOf((g, x) => g.sub(g.mul(x, 0), x))],
  "differences of columns": [
    false,
    graphOf((g, x, rows) => g.sub(g.op("Gather", [x, rows], "f32", { axis: 1 }), x)),
  ],
};

for (const [what, [expected, file]] of Object.entries(CASES)) {
  Deno.test(`${what}: ${expected ? "the graph is invariant" : "invariance does not follow from the graph"}`, () => {
    assertEquals(isTranslationInvariant(decodeModel(file), "positions"), expected);
  });
}

Deno.test("a graph of Lennard-Jones is known to be invariant", () => {
  const file = decodeModel(lennardJonesModel({ epsilon: 0.01, sigma: 3.4, cutoff: 6 }));
  assert(isTranslationInvariant(file, "positions"));
});

Deno.test({
  name: "potentials that PyTorch exported are known to be invariant",
  ignore: lacks("models"),
  fn: async () => {
    for (const name of ["schnet_e", "painnx_e", "ani1x_1_e", "ani1x_1_ef"]) {
      assert(
        isTranslationInvariant(decodeModel(await readModel(`${name}.onnx`)), "positions"),
        name,
      );
    }
  },
});

Deno.test("springs to the origin act far away, too, and a manifest may state invariance that the graph does not show", async () => {
  const file = springs();
  for (const [invariant, expected] of [[undefined, -200], [true, 0]] as const) {
    const manifest = invariant === undefined ? {} : { invariant };
    await using model = await OnnxModel.open(file, manifest);
    assertEquals(model.isInvariant, invariant === true);
    await using md = new NVE({ model, dt: 1 });
    const batch = Batch.from([{ symbols: ["Ar"], positions: [100, 0, 0] }]);
    assertEquals((await md.run(batch, 0)).get("forces")[0], expected);
  }
});

/** The energy is the square of the distance from the origin. */
function springs(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("springs");
  const x = g.input("positions", "f32", ["N", 3]);
  g.output("energy", g.reduceSum(g.mul(x, x), [1]), ["N"]);
  return g.build();
}
