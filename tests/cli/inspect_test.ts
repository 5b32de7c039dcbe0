import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { decodeModel, encodeModel, GraphBuilder, lennardJonesModel } from "../../src/onnx/mod.ts";
import { ProgressLine } from "../../src/cli/run/progress_line.ts";
import { hooke, tempFolder } from "./session.ts";

const argon = fcc({ element: "Ar", a: 5.26, cells: 2 });

Deno.test("singlepoint prints and writes energies, forces and stresses, with kernels and with ONNX models", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, to = `${folder.path}/b.xyz`;
  const dimer = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.8, 0, 0] });
  await Deno.writeTextFile(from, writeExtxyz([argon, dimer]));
  const model = `${folder.path}/argon.onnx`;
  await Deno.writeFile(model, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
  for (const more of [["--model", "lj:argon"], ["--model", model]]) {
    const args = ["singlepoint", from, "-o", to, "--overwrite", "--json", ...more];
    const { code, out, err } = await hooke(args);
    assertEquals([code, err], [0, ""]);
    const [crystal, pair] = out.split("\n").map((line) => JSON.parse(line));
    assertAlmostEquals(crystal.energy / 32, -0.0776096534, 2e-7); // ASE
    assertEquals([crystal.atoms, pair.atoms, pair.pressure], [32, 2, null]);
    const [s6, s12] = [(3.4 / 3.8) ** 6, (3.4 / 3.8) ** 12];
    assertAlmostEquals(pair.fmax, 24 * 0.0104 * Math.abs(2 * s12 - s6) / 3.8, 1e-6);
    const [one, other] = parseExtxyz(await Deno.readTextFile(to));
    assertEquals(one!.energy, crystal.energy);
    assertAlmostEquals(Math.abs(other!.get("forces")[0]!), pair.fmax, 1e-9);
    if (more.includes(model)) continue;
    assertAlmostEquals(crystal.pressure, -one!.get("stress")[0]! * 160.2176634, 1e-6);
  }
});

Deno.test("singlepoint names structures whose energy is not finite, and ends in 3", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, to = `${folder.path}/b.xyz`;
  const twins = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 0, 0, 0] });
  await Deno.writeTextFile(from, writeExtxyz([argon, twins]));
  const { code, err } = await hooke(["singlepoint", from, "-o", to]);
  assertEquals(code, 3);
  assertMatch(err, /a\.xyz@1: the energy or a force is not finite; atoms may overlap$/);
});

Deno.test("inspect describes a model: tensors, meanings, operators, hook points and derivatives", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/argon.onnx`;
  await Deno.writeFile(file, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
  const { code, out } = await hooke(["inspect", file, "--points", "force*"]);
  assertEquals(code, 0);
  for (
    const text of [
      "  positions: f32 [N, 3]",
      "33 nodes: Mul 8",
      "edge_index (int32 [2, E]) → edges, by its name",
      "on WebGPU: 33 of 33 nodes",
      "hook points: 5 inputs, 12 constants, 31 values, 2 outputs",
      "  output  forces  f32 [N, 3]  Mul",
      "  d energy / d positions: can be computed",
    ]
  ) assertStringIncludes(out, text);
  const { derivatives, operators, inputs } = JSON.parse(
    (await hooke(["inspect", file, "--json"])).out,
  );
  assertEquals([derivatives[0], operators.Mul], [{ of: "energy", by: "positions" }, 8]);
  assertEquals(inputs[0], { name: "positions", type: "f32", shape: ["N", 3] });
});

Deno.test("inspect differentiates models whose nodes leave out the domain, as exporters write them", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/argon.onnx`;
  const model = decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
  for (const node of model.graph!.node) Reflect.deleteProperty(node, "domain");
  await Deno.writeFile(file, encodeModel(model));
  const { out } = await hooke(["inspect", file]);
  assertStringIncludes(out, "  d energy / d positions: can be computed");
});

Deno.test("inspect says what cannot be differentiated, and why a file is no potential", async () => {
  await using folder = await tempFolder();
  const g = new GraphBuilder("odd");
  const x = g.input("x", "f32", ["N", "N"]), y = g.input("y", "f32", ["N"]);
  g.output("a", g.op("Det", [x], "f32"), []);
  g.output("b", g.op("Add", [y, y], "f32"), ["N"]);
  const file = `${folder.path}/odd.onnx`;
  await Deno.writeFile(file, g.build());
  const { code, out } = await hooke(["inspect", file]);
  assertEquals(code, 0);
  assertMatch(out, /not usable as a potential as it is:\n {2}Cannot /);
  assertMatch(out, /d a \/ d x: no: the Det "[^"]*" has no gradient rule \(node 1 of \d/);
  assertMatch(out, /d a \/ d y: no: .*depend/);
  assertMatch(out, /d b \/ d y: can be computed/);
});

Deno.test("inspect describes structures, run folders and checkpoints", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, run = `${folder.path}/run`;
  await Deno.writeTextFile(from, writeExtxyz([argon]));
  const args = [
    "--model",
    "lj:argon",
    "--temperature",
    "40",
    "--steps",
    "100",
    "--log-every",
    "10",
    "--traj-every",
    "10",
  ];
  assertEquals((await hooke(["md", from, "-o", run, "-q", ...args])).code, 0);
  const checkpoint = `${run}/checkpoints/step-000000100.hooke`;
  const { code, out } = await hooke(["inspect", from, `${run}/trajectory.xyz`, run, checkpoint]);
  assertEquals(code, 0);
  const [structure, trajectory, folderText, saved] = out.split("\n\n");
  assertMatch(structure!, /^.*a\.xyz: 1 structure\n.*atoms {5}32\n.*formulas {2}Ar32\n/);
  assertStringIncludes(structure!, "10.52 × 10.52 × 10.52 Å, 90°, 90°, 90°");
  assertStringIncludes(trajectory!, "11 structures");
  assertMatch(trajectory!, / {2}[▁▂▃▄▅▆▇█]{11} {2}energy, -2\.48351 to /);
  assertMatch(folderText!, /outcome {3}completed\n {2}steps {5}100 of 100/);
  assertMatch(folderText!, / {2}[▁▂▃▄▅▆▇█]{10,} {2}temperature, \d/);
  assertMatch(saved!, /checkpoint of dynamics\/NVTLangevin, version 2.*\n {2}steps {5}100\n/);
  const damaged = `${folder.path}/damaged.hooke`;
  const bytes = await Deno.readFile(checkpoint);
  bytes[bytes.length - 9]! ^= 1;
  await Deno.writeFile(damaged, bytes);
  const wrong = await hooke(["inspect", damaged]);
  assertEquals(wrong.code, 1);
  assertMatch(wrong.err, /^Cannot read checkpoint .*damaged\.hooke/);
  for (
    const [file, message] of [["none.onnx", "there is no such file"], [
      "a.foo",
      "there is no such file",
    ]]
  ) {
    const missing = await hooke(["inspect", `${folder.path}/${file}`]);
    assertEquals(missing.code, 2);
    assertStringIncludes(missing.err, message!);
  }
});

Deno.test("inspect describes screenings and trainings, and says what else it takes", async () => {
  await using folder = await tempFolder();
  const { path } = folder, from = `${path}/frames.xyz`, run = `${path}/screened`;
  const twins = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 0, 0, 0] });
  const small = [1, 2].map((seed) => rattle(fcc({ element: "Ar", a: 5.26 }), 0.1, seed));
  await Deno.writeTextFile(from, writeExtxyz([...small, twins]));
  assertEquals((await hooke(["screen", from, "-o", run, "-q"])).code, 3);
  const { out } = await hooke(["inspect", run]);
  for (
    const text of [
      "outcome       completed",
      "structures    3 of 1 file have a result",
      "converged     2\n  not converged 0\n  failed        1\n",
      "results       status.csv, results.xyz",
      `failed: ${from}@2: `,
      "steps until convergence:",
    ]
  ) assertStringIncludes(out, text);
  await Deno.remove(`${run}/outcome.json`);
  const { outcome, converged } = JSON.parse((await hooke(["inspect", run, "--json"])).out);
  assertEquals(converged, 2);
  assertMatch(outcome, /^not ended/);
  await Deno.mkdir(`${path}/plain`);
  await Deno.writeTextFile(`${path}/x.json`, "{}");
  assertMatch(
    (await hooke(["inspect", `${path}/plain`])).err,
    /plain: it is not a run folder, .* \.onnx/,
  );
  assertMatch(
    (await hooke(["inspect", `${path}/x.json`])).err,
    /end with \.onnx .*, \.hooke .* \.xyz/,
  );
});

Deno.test("a model without options is refused once, with a manifest of all that is missing", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/pairs.onnx`, from = `${folder.path}/a.xyz`;
  const g = new GraphBuilder("pairs");
  const x = g.input("positions", "f32", ["N", 3]), edges = g.input("edge_index", "i64", [2, "E"]);
  const species = g.input("species", "i64", ["N"]), systems = g.input("batch_idx", "i64", ["N"]);
  const shifts = g.input("shifts", "f32", ["E", 3]), zeros = g.input("energy0", "f32", ["B"]);
  const [source, target] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));
  const r = g.add(g.sub(g.gather(x, target!), g.gather(x, source!)), shifts);
  const strength = g.gather(g.parameter("strengths", [1, 2], [2]), g.gather(species, source!));
  const each = g.mul(strength, g.reduceSum(g.mul(r, r), [1]));
  g.output("energy", g.scatterAdd(zeros, g.gather(systems, source!), each), ["B"]);
  await Deno.writeFile(file, g.build());
  await Deno.writeTextFile(from, writeExtxyz([argon]));
  const args = ["singlepoint", from, "-o", `${folder.path}/b.xyz`, "--overwrite", "--model", file];
  const { code, err } = await hooke(args);
  assertEquals(code, 2);
  const path = `${folder.path}/pairs.json`;
  for (
    const text of [
      `the file does not state elements, cutoff. Write ${path}, with`,
      '{\n  "elements": ["H", "C", "N", "O"],\n  "cutoff": 5\n}\n',
      "--set modelOptions.inputs.numbers=species",
      "--set modelOptions.elements=H,C,N,O --set modelOptions.cutoff=5\n",
      "docs/models.md",
    ]
  ) assertStringIncludes(err, text);
  assertStringIncludes((await hooke(["inspect", file])).out, '    "cutoff": 5\n');
  const given = ["--set", "modelOptions.cutoff=5", "--set", "modelOptions.elements=Ar,Kr"];
  assertStringIncludes((await hooke(["inspect", file, ...given])).out, "cutoff 5 Å");
  const set = ["--set", "modelOptions.elements=Ar,Kr", "--set", "modelOptions.cutoff=5"];
  assertEquals((await hooke([...args, ...set])).err, "");
  await Deno.writeTextFile(path, '{ "elements": ["Ar", "Kr"] }');
  assertStringIncludes((await hooke(args)).err, `does not state cutoff. Add to ${path}, with`);
});

Deno.test("doctor names devices, runtimes, formats and speed, with advice", async () => {
  const { code, out } = await hooke(["doctor", "--json"]);
  assertEquals(code, 0);
  const { findings } = JSON.parse(out) as { findings: { name: string; found: string }[] };
  assertEquals(findings.map(({ name }) => name), [
    "Hooke",
    "processors",
    "WebGPU",
    "native ONNX",
    "reads",
    "writes",
    "potentials",
    "speed",
  ]);
  assertMatch(findings.at(-1)!.found, /^[\d.e+]+ ns per atom and step/);
  const text = (await hooke(["doctor"])).out;
  assert(findings.slice(0, -1).every(({ found }) => text.includes(found)), text);
});

Deno.test("reading for a description shows how far it is", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/a.xyz`;
  await Deno.writeTextFile(file, writeExtxyz([argon, argon]));
  const texts: string[] = [];
  const progress = {
    isTerminal: true,
    columns: 30,
    write: (text: string) => void texts.push(text),
  };
  const terminal = { print: () => {}, complain: () => {}, progress };
  const line = new ProgressLine({ terminal }, { quiet: false });
  line.show(() => "2 structures read, and more text than fits");
  line.show(() => "too early");
  line.clear();
  line.clear();
  assertEquals(texts, ["\r2 structures read, and more t\x1b[K", "\r\x1b[K"]);
  const plain = { ...terminal, progress: { ...progress, isTerminal: false } };
  const other = new ProgressLine({ terminal: plain }, { quiet: false, delay: 1e6 });
  other.show(() => "before the delay");
  other.show(() => "at the end", true);
  other.clear();
  assertEquals(texts.slice(2), ["at the end\n"]);
  assertEquals((await hooke(["inspect", file], { isTerminal: true })).progress, "");
});
