/** Energies of free atoms that graphs add themselves, in float32. */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { Batch, NVE } from "@hooke/hooke";
import { ModelMismatchError, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { GraphBuilder, type Value } from "@hooke/hooke/onnx";

/** Energies of free atoms by number, rounded to float32. */
const FREE = Float32Array.of(0, -13663.6, -75.25, -2043.7);

/** Ways in which graphs add energies of free atoms. */
type Way = "by a table" | "by a product, per system" | "shared" | "a mean";

/** E = Σ free + Σ 0.001 z x², where the second sum is small. */
function graphOf(way: Way): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("totals");
  const x = g.input("positions", "f32", ["N", 3]);
  const z = g.input("z", "i64", ["N"]);
  const systems = g.input("batch_idx", "i64", ["N"]);
  const zeros = g.input("energy0", "f32", ["B"]);
  const table = g.constant("f32", FREE, [4]);
  const small = g.mul(g.reduceSum(g.mul(x, x), [1]), 0.001);
  const total = (perAtom: Value<"f32">) =>
    g.op<"f32">("ScatterND", [zeros, g.unsqueeze(systems, [1]), perAtom], "f32", {
      reduction: "add",
    });
  const free = g.gather(table, z);
  let energy: Value<"f32">;
  if (way === "by a table") energy = total(g.add(small, free));
  else if (way === "shared") {
    const all = g.add(small, free);
    g.output("atom_energies", g.mul(all, 1), ["N"]);
    energy = total(all);
  } else if (way === "a mean") {
    const counts = total(g.gather(g.constant("f32", [1, 1, 1, 1], [4]), z));
    energy = g.add(g.div(total(free), counts), total(small));
  } else {
    const isOne = g.op("Equal", [g.unsqueeze(z, [1]), g.constant("i64", [0, 1, 2, 3])], "bool");
    const ones = g.op("Cast", [isOne], "f32", { to: 1 });
    const product = g.op("MatMul", [ones, g.constant("f32", FREE, [4, 1])], "f32");
    energy = g.mul(g.add(total(g.squeeze(product, [1])), total(small)), 0.5);
  }
  g.output("energy", energy, ["B"]);
  return g.build();
}

const ATOMS = {
  numbers: [1, 1, 2, 3, 1],
  positions: [1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 1, 1, 2, 0, 1],
};
const SMALL = 0.001 * (1 + 4 + 9 + 3 + 5);
const TOTAL = ATOMS.numbers.reduce((sum, number) => sum + FREE[number]!, 0);

async function evaluated(way: Way | Uint8Array, options: OnnxModelOptions = {}) {
  const bytes = typeof way === "string" ? graphOf(way) : way;
  const model = await OnnxModel.open(bytes, { name: "totals", ...options });
  const batch = Batch.from([ATOMS, { numbers: [2], positions: [1, 0, 0] }]);
  await using md = new NVE({ model, dt: 1 });
  await md.run(batch, 0);
  return { model, energies: [...batch.get("energy")], forces: [...batch.get("forces")] };
}

Deno.test("energies of free atoms that a graph adds are added in float64", async () => {
  for (const [way, factor] of [["by a table", 1], ["by a product, per system", 0.5]] as const) {
    const { model, energies, forces } = await evaluated(way);
    assertAlmostEquals(energies[0]!, factor * (TOTAL + SMALL), 1e-8); // float32 has steps of 4e-3
    assertAlmostEquals(energies[1]!, factor * (FREE[2]! + 0.001), 1e-9);
    assertAlmostEquals(forces[0]!, -0.002 * factor, 1e-8);
    const text = model.describe();
    assert(
      text.includes("adds energies of free atoms, from the graph, whose last sum adds them from"),
      text,
    );
    const again = await evaluated(model.export());
    assertEquals(again.energies, energies);
    for (const one of [model, again.model]) await one.dispose();
  }
});

Deno.test("energies, units and scales of the manifest apply to energies of free atoms of the graph, too", async () => {
  const { model, energies } = await evaluated("by a table", {
    energyUnit: "Hartree",
    outputs: { energy: { tensor: "energy", scale: -1 } },
    atomEnergies: { H: 1, He: 2, Li: 3 },
  });
  const hartree = 27.211386245988;
  assertAlmostEquals(energies[0]!, 8 - hartree * (TOTAL + SMALL), 1e-6);
  await model.dispose();
});

Deno.test("energies of free atoms in the manifest that the graph adds itself are refused", async () => {
  // As a paper lists them, in fewer digits.
  const atomEnergies = { H: -13663, He: -75.3, Li: -2043.7 };
  await assertRejects(
    () => evaluated("by a table", { atomEnergies }),
    ModelMismatchError,
    "its last sum adds the same energies, such as that of H, so they would count twice; leave out atomEnergies",
  );
});

Deno.test("a sum of more than free atoms is not split", async () => {
  for (const way of ["shared", "a mean"] as const) {
    const { model, energies } = await evaluated(way);
    const free = way === "shared" ? TOTAL : TOTAL / 5;
    assertAlmostEquals(energies[0]!, free + SMALL, 0.01);
    assert(!model.describe().includes("free atoms"));
    await model.dispose();
  }
});
