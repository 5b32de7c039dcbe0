/** The command `hooke export`: files that any onnxruntime runs, and models that are refused. */

import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import * as ort from "onnxruntime-web";
import { System } from "../../src/batch/mod.ts";
import { checkWritten } from "../../src/cli/export/check.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { decodeModel, encodeModel, GraphBuilder, lennardJonesModel } from "../../src/onnx/mod.ts";
import { setMetadata } from "../../src/onnx/set_metadata.ts";
import { hooke, tempFolder } from "./session.ts";

/** Writes the Lennard-Jones potential without its forces. */
async function writeEnergies(path: string): Promise<void> {
  const model = decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
  model.graph!.output = model.graph!.output.filter(({ name }) => name !== "forces");
  setMetadata(model, "author", "a test");
  await Deno.writeFile(path, encodeModel(model));
}

Deno.test("export writes a file that onnxruntime runs by itself, with the forces and virials of a dimer", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/lj.onnx`, to = `${folder.path}/out.onnx`;
  await writeEnergies(from);
  const { code, out, err } = await hooke(["export", from, "-o", to]);
  assertEquals([code, err], [0, ""]);
  assertMatch(out, /added forces \[N, 3\]: −dE\/dpositions\nadded virial \[B, 3, 3\]: −dE\/dε/);
  assertMatch(out, /checked on 8 atoms of H in a periodic box .*: forces differ by \d/);
  const session = await ort.InferenceSession.create(await Deno.readFile(to));
  const r = 3.8,
    int = (values: number[], dims: number[]) =>
      new ort.Tensor("int32", Int32Array.from(values), dims);
  const real = (values: number[], dims: number[]) =>
    new ort.Tensor("float32", Float32Array.from(values), dims);
  const results = await session.run({
    positions: real([0, 0, 0, r, 0, 0], [2, 3]),
    edge_index: int([0, 1, 1, 0], [2, 2]),
    shifts: real([0, 0, 0, 0, 0, 0], [2, 3]),
    batch_idx: int([0, 0], [2]),
    energy0: real([0], [1]),
  });
  const [s6, s12] = [(3.4 / r) ** 6, (3.4 / r) ** 12];
  const pull = 24 * 0.0104 * (2 * s12 - s6) / r; // force on the second atom along x
  const forces = results.forces!.data as Float32Array;
  assertAlmostEquals(forces[3]!, pull, 1e-6);
  assertAlmostEquals(forces[0]!, -pull, 1e-6);
  assertAlmostEquals((results.virial!.data as Float32Array)[0]!, pull * r, 1e-5);
  await session.release();
  const { metadataProps, graph } = decodeModel(await Deno.readFile(to));
  assertEquals(metadataProps.find(({ key }) => key === "author")?.value, "a test");
  assertEquals(graph!.node.filter(({ opType }) => opType === "ScatterND").length, 0);
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name).sort(), [
    "lj.onnx",
    "out.onnx",
  ]);
  const again = await hooke(["export", to, "-o", `${folder.path}/again.onnx`]);
  assertEquals(again.code, 2);
  assertStringIncludes(
    again.err,
    "it has an output of forces already; its outputs are energy, forces, virial",
  );
});

Deno.test("export includes weights of other files and the manifest, with the units of the model", async () => {
  await using folder = await tempFolder();
  const builder = new GraphBuilder("springs");
  const x = builder.input("positions", "f32", ["N", 3]);
  const scaled = builder.mul(builder.mul(x, x), builder.parameter("k", [1, 2, 3], [3]));
  builder.output("energy", builder.reduceSum(scaled, [1]), ["N"]);
  const model = decodeModel(builder.build());
  const k = model.graph!.initializer.find(({ name }) => name === "k")!;
  await Deno.writeFile(`${folder.path}/k.bin`, new Uint8Array(new Float32Array([1, 2, 3]).buffer));
  const entry = { $typeName: "onnx.StringStringEntryProto", key: "location", value: "k.bin" };
  Object.assign(k, { rawData: new Uint8Array(), floatData: [], externalData: [entry] });
  k.dataLocation = 1;
  const from = `${folder.path}/springs.onnx`, to = `${folder.path}/out/springs.onnx`;
  await Deno.writeFile(from, encodeModel(model));
  await Deno.writeTextFile(`${folder.path}/springs.json`, '{ "energyUnit": "Hartree" }');
  const struct = `${folder.path}/two.xyz`;
  await Deno.writeTextFile(struct, "2\nProperties=species:S:1:pos:R:3\nHe 1 0 0\nHe 0 0 1\n");
  const args = ["export", from, "-o", to, "--forces-only", "--struct", struct, "--json"];
  const { code, out, err } = await hooke(args);
  assertEquals([code, err], [0, ""]);
  const { added, checked } = JSON.parse(out);
  assertEquals(added, [{ name: "forces", shape: ["N", 3] }]);
  assertEquals(checked.structure, "2 atoms of He without a box");
  assertAlmostEquals(checked.fmax, 6 * 27.211386, 1e-4); // 2 k z, in eV/Å
  const session = await ort.InferenceSession.create(await Deno.readFile(to));
  const positions = new ort.Tensor("float32", Float32Array.of(1, 1, 1), [1, 3]);
  const { forces } = await session.run({ positions });
  assertEquals([...forces!.data as Float32Array], [-2, -4, -6]); // the file's own units
  await session.release();
});

Deno.test("a written file whose forces are wrong is refused", async () => {
  await using folder = await tempFolder();
  const [from, to] = [`${folder.path}/lj.onnx`, `${folder.path}/out.onnx`];
  await writeEnergies(from);
  await using model = await OnnxModel.open(from, { stress: true });
  const file = decodeModel(model.export());
  const { node } = file.graph!;
  const last = node.find(({ output }) => output[0] === "forces")!;
  last.opType = last.opType === "Neg" ? "Abs" : "Neg";
  await Deno.writeFile(to, encodeModel(file));
  const dimer = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.5, 0.1, 0.2] });
  await assertRejects(
    () => checkWritten({ path: to, name: "lj.onnx" }, model, [dimer]),
    Error,
    "Cannot export lj.onnx: the forces of the written file differ by ",
  );
  const far = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 50, 0, 0] });
  await assertRejects(
    () => checkWritten({ path: to, name: "lj.onnx" }, model, [far]),
    Error,
    "no forces act",
  );
});

Deno.test("export refuses wrong files before it opens a model", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/lj.onnx`;
  await writeEnergies(from);
  const refused = async (...args: string[]) => {
    const { code, err } = await hooke(["export", ...args]);
    assertEquals(code, 2);
    return err.split("\n")[0]!.replaceAll(`${folder.path}/`, "");
  };
  assertEquals(
    [
      await refused(),
      await refused(from, "-o", from),
      await refused(from, "-o", `${folder.path}/a.pt`),
      await refused(from, from),
    ],
    [
      "Cannot export without one model: pass an .onnx file",
      "Cannot write lj.onnx: it is the model itself. Pass another file by --output",
      "Cannot write a.pt: its name must end with .onnx",
      "Cannot export without one model: pass an .onnx file",
    ],
  );
  const { code, out } = await hooke(["export", from, "--dry-run"]);
  assertEquals(code, 0);
  assert(out.includes('"lj.forces.onnx"'), out);
});
