/** Examples that train for seconds, run as a user would, and their output checked. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { Batch } from "../../src/batch/mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { lacks, MODELS_FOLDER } from "../machine.ts";
import { runExample } from "./run_example.ts";

Deno.test("examples/fit_potential.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const output = await runExample("fit_potential", `${folder}/argon.onnx`);
    const rows = [
      ...output.matchAll(/^epoch (\d+): off by ([\d.]+) meV per atom, ([\d.]+) meV\/Å$/gm),
    ].map(([, ...numbers]) => numbers.map(Number));
    assertEquals(rows.map(([epoch]) => epoch), [5, 10, 15, 20]);
    const [, energy, forces] = rows.at(-1)!;
    // Forces of argon at 100 K are some 60 meV/Å.
    assert(energy! < 0.1 && forces! < 3, output);
    const [, drift] = /^argon\.onnx: 500 steps, energy within (\d+) µeV per atom$/m.exec(output)!;
    assert(Number(drift) <= 10, output);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/fine_tune.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const given = await runExample("fine_tune");
    const off = [...given.matchAll(/ off by ([\d.]+) me?V.* before, ([\d.]+) after$/gm)];
    const [energy, forces] = off.map(([, ...numbers]) => numbers.map(Number));
    assert(energy![1]! < energy![0]! / 100 && forces![1]! < forces![0]! / 20, given);
    assertStringIncludes(given, "trains heights\n");
    const [, drift] = /^tuned\.onnx: 200 steps, energy within ([\d.]+) meV per atom$/m.exec(given)!;
    assert(Number(drift) <= 0.01, given);

    // A custom file: a spring of each atom to the origin, half as stiff as the frames say.
    const g = new GraphBuilder("springs");
    const x = g.input("positions", "f32", ["N", 3]), systems = g.input("system", "i64", ["N"]);
    const zeros = g.input("energy0", "f32", ["B"]), k = g.parameter("k", [0.5], [1]);
    const perAtom = g.reduceSum(g.mul(g.mul(x, x), k), [1]);
    g.output("energy", g.scatterAdd(zeros, systems, perAtom), ["B"]);
    await Deno.writeFile(`${folder}/springs.onnx`, g.build());
    const manifest = { cutoff: 5, inputs: { batchIndex: "system" } };
    await Deno.writeTextFile(`${folder}/springs.json`, JSON.stringify(manifest));
    const frames = [1, 2, 3, 4, 5].map((r) => ({
      symbols: ["Ar"],
      positions: [[r / 5, 0, 0]],
      energy: (r / 5) ** 2,
      forces: [-2 * r / 5, 0, 0],
    }));
    await Deno.writeTextFile(`${folder}/frames.xyz`, writeExtxyz(Batch.from(frames)));
    const out = `${folder}/out.onnx`;
    const said = await runExample(
      "fine_tune",
      `${folder}/springs.onnx`,
      `${folder}/frames.xyz`,
      out,
      "k",
    );
    assertStringIncludes(said, "trains k\n");
    const [then, now] = /^forces off by ([\d.]+) .* before, ([\d.]+) after$/m.exec(said)!.slice(1);
    // r / 5 of the one frame that is not trained with, over √3, at first.
    assertAlmostEquals(Number(then), 1000 / 5 / Math.sqrt(3), 0.1);
    assert(Number(now) < Number(then), said);
    const { atomEnergies, ...rest } = JSON.parse(await Deno.readTextFile(`${folder}/out.json`));
    assertEquals(rest, manifest);
    // What was left over of the energies before training, a mean of r² / 2.
    assertAlmostEquals(atomEnergies.Ar, (4 + 9 + 16 + 25) / 25 / 2 / 4, 1e-6);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "examples/fine_tune_ani.ts does what it says",
  ignore: lacks("models"),
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      const model = `${MODELS_FOLDER}/ani1x_1_e.onnx`;
      const output = await runExample("fine_tune_ani", model, `${folder}/t.onnx`);
      const off = [...output.matchAll(/ off by ([\d.]+) me?V.* before, ([\d.]+) after$/gm)];
      const [energy, forces] = off.map(([, ...numbers]) => numbers.map(Number));
      assert(energy![1]! < energy![0]! / 2 && forces![1]! < forces![0]! / 3, output);
      assertStringIncludes(output, "trained: W3 [4, 96, 1], b3 [4, 1, 1]\n");
      assertStringIncludes(output, "moved: W3, b3 of 43 tensors\n");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
