/** Models of energies in engines: forces are added when they are opened. */
import { assert, assertAlmostEquals, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import {
  Batch,
  DivergedError,
  fcc,
  initVelocities,
  lennardJones,
  type Model,
  NVE,
  rattle,
  type System,
} from "@hooke/hooke";
import { ModelMismatchError, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import {
  decodeModel,
  encodeModel,
  gradientRules,
  Graph,
  GraphBuilder,
  lennardJonesModel,
  type LennardJonesModelOptions,
  loadExternalData,
  UnsupportedNodeError,
} from "@hooke/hooke/onnx";
import { VERSION } from "../../src/models/onnx/made/cached_forces.ts";
import { device, testOnGpu } from "../backend/gpu.ts";
import { openWebGpu } from "../../src/backend/mod.ts";
import { farWeight, modelOf, node, unary, value, weight } from "../onnx/tiny_model.ts";

const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 6 };

/** A graph that gives energies only. */
function energyOnly(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const model = decodeModel(bytes);
  model.graph!.output = model.graph!.output.filter(({ name }) => name === "energy");
  return encodeModel(model);
}

const argonGraph = (options: Partial<LennardJonesModelOptions> = {}) =>
  energyOnly(lennardJonesModel({ ...ARGON, ...options }));

/** Crystals, one of them in a skewed cell, and a molecule. */
function systems(): System[] {
  const skewed = rattle(fcc({ element: "Ar", a: 5.2, cells: [2, 2, 3] }), 0.1, 2);
  for (const [i, x] of [0.3, -0.2, 0.5].entries()) skewed.cell[3 + i]! += x;
  return [
    rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.1, 1),
    skewed,
    Batch.from([{ symbols: ["Ar", "Ar", "Ar"], positions: [0, 0, 0, 3.6, 0, 0, 1, 3.5, 0] }])
      .systems()[0]!,
  ];
}

type Where = "wasm" | "reference";

async function evaluated(
  model: Model,
  of: Parameters<typeof Batch.from>[0],
  device: Where = "wasm",
): Promise<Batch> {
  const batch = Batch.from(of);
  if (model.gives.includes("stress")) batch.ensure("stress");
  await using md = new NVE({ model, dt: 1, device });
  return await md.run(batch, 0);
}

/** Returns the largest difference relative to the largest value; NaN if a value is NaN. */
function apart(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  assertEquals(actual.length, expected.length);
  const largest = Math.max(...Array.from(expected, Math.abs));
  return Array.from(actual, (x, i) => Math.abs(x - expected[i]!) / largest)
    .reduce((most, one) => one <= most ? most : one, 0);
}

/** E = Σ x², without an input for the systems of atoms. */
function springs(perAtom: boolean, shape: "plain" | "boxed" = "plain"): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("springs");
  const isBoxed = shape === "boxed";
  const x = builder.input("pos", "f32", isBoxed ? [1, "N", 3] : ["N", 3]);
  const atoms = builder.reduceSum(builder.mul(x, x), [isBoxed ? 2 : 1]);
  const energy = perAtom ? atoms : builder.reduceSum(atoms, [isBoxed ? 1 : 0]);
  const of = isBoxed ? [1] : [];
  builder.output("energies", energy, perAtom ? [...of, "N"] : of);
  return builder.build();
}

const forms: Readonly<Record<string, Partial<LennardJonesModelOptions>>> = {
  "pairs both ways, the system of each atom": {},
  "pairs once": { list: "half" },
};

for (const [name, options] of Object.entries(forms)) {
  Deno.test(`a Lennard-Jones graph of energies gives forces and stresses of the kernel: ${name}`, async () => {
    const kernel = lennardJones(ARGON);
    await using model = await OnnxModel.open(argonGraph(options), { stress: true });
    assertEquals(model.gives, ["energy", "forces", "stress"]);
    for (const where of ["wasm", "reference"] as const) {
      const tolerance = where === "wasm" ? 1e-5 : 1e-6; // factors of the graph are float32
      const found = await evaluated(model, systems(), where);
      const expected = await evaluated(kernel, systems(), where);
      for (const field of ["energy", "forces", "stress"] as const) {
        assert(apart(found.get(field), expected.get(field)) < tolerance, `${field} on ${where}`);
      }
    }
    await using single = await OnnxModel.open(argonGraph(options), {
      batch: "single",
      stress: true,
    });
    const one = await evaluated(single, systems());
    const all = await evaluated(model, systems());
    for (const field of ["energy", "forces", "stress"] as const) {
      assert(apart(one.get(field), all.get(field)) < 1e-6, field);
    }
  });
}

for (const perAtom of [true, false]) {
  for (const shape of ["plain", "boxed"] as const) {
    Deno.test(`one system at a time, with energies ${perAtom ? "per atom" : "in total"}, ${shape}`, async () => {
      await using model = await OnnxModel.open(springs(perAtom, shape), {
        outputs: { energy: { tensor: "energies", scale: 0.5 } },
        stress: true,
        energyUnit: "Hartree",
      });
      const cell = [2, 0, 0, 0, 2, 0, 0, 0, 2];
      for (const where of ["wasm", "reference"] as const) {
        const batch = await evaluated(model, [
          { numbers: [1, 1], positions: [0.5, 0, 0, 0, 0.25, 0], cell },
          { numbers: [1], positions: [0, 0, -1] },
        ], where);
        const half = 27.211386245988 / 2;
        assertAlmostEquals(batch.get("energy")[0]!, 0.3125 * half, 1e-5);
        assertAlmostEquals(batch.get("energy")[1]!, half, 1e-5);
        for (const [i, x] of [-1, 0, 0, 0, -0.5, 0, 0, 0, 2].entries()) {
          assertAlmostEquals(batch.get("forces")[i]!, x * half, 1e-5);
        }
        // 2 x ⊗ x / V, and 0 without a cell
        const expected = [0.0625, 0, 0, 0, 0.015625, ...Array(13).fill(0)];
        for (const [i, x] of expected.entries()) {
          assertAlmostEquals(batch.get("stress")[i]!, x * half, 1e-5);
        }
      }
    });
  }
}

Deno.test("a run whose forces are not finite ends with an error that lists places of infinite slopes", async () => {
  const builder = new GraphBuilder("inverse");
  const x = builder.input("positions", "f32", ["N", 3]);
  const square = builder.reduceSum(builder.mul(x, x), [1]);
  builder.output("energy", builder.op("Reciprocal", [square], "f32"), ["N"]);
  await using model = await OnnxModel.open(builder.build(), { name: "inverse" });
  const steep = "1 / x and its gradient are infinite at 0";
  assert(model.describe().includes(steep));
  await assertRejects(
    () => evaluated(model, [{ numbers: [1], positions: [0, 0, 0] }]),
    DivergedError,
    `forces of atom 0 is NaN; on their path the graph has the Reciprocal Reciprocal_reciprocal: ${steep})`,
  );
});

Deno.test("a model whose lists are derived by functions has forces, and derived floats give a warning", async () => {
  const derived: OnnxModelOptions["derived"] = {
    edge_index: ({ edgeSources, edgeTargets, edgeCount }) => ({
      data: [...edgeSources, ...edgeTargets],
      dims: [2, edgeCount],
    }),
    shifts: ({ shifts, edgeCount }) => ({ data: shifts, dims: [edgeCount, 3] }),
  };
  await using model = await OnnxModel.open(argonGraph(), { derived });
  await using plain = await OnnxModel.open(argonGraph());
  const [found, expected] = [await evaluated(model, systems()), await evaluated(plain, systems())];
  assert(apart(found.get("forces"), expected.get("forces")) < 1e-6);
  assert(model.describe().includes("mind shifts: a custom function computes it"), model.describe());
  assert(!model.describe().includes("mind edge_index"));
});

Deno.test("describe() shows what was differentiated, which passes ran, and warnings", async () => {
  await using model = await OnnxModel.open(argonGraph(), { name: "argon" });
  const text = model.describe();
  for (
    const line of [
      "  forces (float32 [N, 3]) → forces per atom, by differentiating the energy",
      "forces by differentiating energy by positions: ",
      "opset 18",
      "mind the ",
    ]
  ) assert(text.includes(line), `${line} is not in\n${text}`);
  await using bare = await OnnxModel.open(argonGraph(), { passes: ["prune"] });
  assert(!bare.describe().includes("foldConstants"));
});

Deno.test("an exported model has the added forces and opens without options", async () => {
  await using model = await OnnxModel.open(argonGraph());
  const bytes = model.export();
  await using again = await OnnxModel.open(bytes, { cutoff: 6 });
  assert(!again.describe().includes("by differentiating"), again.describe());
  const [found, expected] = [await evaluated(again, systems()), await evaluated(model, systems())];
  assertEquals(found.get("forces"), expected.get("forces"));

  // With its manifest.
  const said: OnnxModelOptions = { energyUnit: "kcal/mol", inputs: { positions: "positions" } };
  await using other = await OnnxModel.open(argonGraph(), said);
  await using read = await OnnxModel.open(other.export(), { name: "read" });
  assertMatch(read.describe(), /energies in 0.04.* eV, from the metadata of read/);
  const energies = (await evaluated(read, systems())).get("energy");
  assertEquals(energies, (await evaluated(other, systems())).get("energy"));
  assert(energies[0] !== found.get("energy")[0]);
  assertEquals(read.export(), other.export());
});

/** The graph of argon with forces, which are twice what they should be. */
function twiceTheForces(): Uint8Array<ArrayBuffer> {
  const graph = new Graph(decodeModel(lennardJonesModel(ARGON)));
  const forces = structuredClone(graph.outputs.find(({ name }) => name === "forces")!);
  graph.removeOutput("forces");
  graph.rename("forces", "half");
  graph.add("Add", ["half", "half"], { outputs: ["forces"] });
  graph.addOutput(forces);
  return graph.encode();
}

Deno.test('differentiate: "always" derives forces in place of those of the file', async () => {
  const bytes = twiceTheForces();
  await using wanted = await OnnxModel.open(argonGraph());
  await using own = await OnnxModel.open(bytes);
  await using always = await OnnxModel.open(bytes, {
    differentiate: "always",
    outputs: { forces: "forces", energy: "energy" },
  });
  const [right, twice, derived] = [
    await evaluated(wanted, systems()),
    await evaluated(own, systems()),
    await evaluated(always, systems()),
  ];
  assertEquals(derived.get("energy"), right.get("energy"));
  assertEquals(derived.get("forces"), right.get("forces"));
  for (const [i, force] of right.get("forces").entries()) {
    assertAlmostEquals(twice.get("forces")[i]!, 2 * force, 1e-5);
  }
  assert(right.get("forces").some((force) => Math.abs(force) > 0.01));
  assertMatch(always.describe(), /forces by differentiating energy/);

  // The exported file has these forces, and is used as it is.
  await using again = await OnnxModel.open(always.export());
  assert(!again.describe().includes("by differentiating"), again.describe());
  assertEquals((await evaluated(again, systems())).get("forces"), right.get("forces"));

  const error = await assertRejects(
    () =>
      OnnxModel.open(bytes, {
        name: "argon",
        differentiate: "always",
        outputs: { heat: "energy" },
      }),
    ModelMismatchError,
  );
  assert(error.message.includes("an output must be its energy"), error.message);
});

Deno.test("differentiate: false adds no forces, and stresses that cannot be added are named", async () => {
  const open = (bytes: Uint8Array, options: OnnxModelOptions) =>
    OnnxModel.open(bytes, { name: "argon", ...options });
  const off = await assertRejects(
    () => open(argonGraph(), { differentiate: false }),
    ModelMismatchError,
    "must give forces",
  );
  assert(off.message.includes("leave out { differentiate: false }"), off.message);
  await assertRejects(
    () => open(lennardJonesModel(ARGON), { stress: true }),
    RangeError,
    "Cannot open argon: stress: true derives stresses only together with forces",
  );
  await assertRejects(
    () => open(argonGraph(), { differentiate: "no" as never }),
    TypeError,
    'the option differentiate must be true, false or "always"',
  );
  await assertRejects(
    () => open(argonGraph(), { cache: 5 as never }),
    TypeError,
    "the option cache must be a folder",
  );
  await assertRejects(
    () => open(argonGraph(), { passes: "prune" as never }),
    TypeError,
    "the option passes must be a list",
  );
  const odd = modelOf({
    nodes: [node("Det", ["pos"], ["energy"])],
    inputs: [value("pos", "float32", ["N", 3])],
    outputs: [value("energy", "float32", [])],
  });
  await assertRejects(() => open(odd, {}), UnsupportedNodeError, "Det");
  const plain = await assertRejects(
    () =>
      open(unary("Mulle"), {
        runtime: "evaluator",
        outputs: { forces: "y" },
        differentiate: false,
      }),
    UnsupportedNodeError,
    "Cannot open argon by the evaluator: its operators must be supported (onnxruntime may run it: ",
  );
  assert(!plain.message.includes("pass operators"), plain.message);
  const builder = new GraphBuilder("stones");
  const z = builder.input("z", "i64", ["N"]);
  builder.input("pos", "f32", ["N", 3]);
  builder.output("energy", builder.op("Cast", [z], "f32", { to: 1 }), ["N"]);
  await assertRejects(() => open(builder.build(), {}), RangeError, "must depend on");
});

Deno.test("weights from other files are included when forces are added", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const parts = {
      nodes: [
        node("Mul", ["x", "w"], ["wx"]),
        node("Mul", ["x", "wx"], ["squares"]),
        node("ReduceSum", ["squares"], ["energy"]),
      ],
      inputs: [value("x", "float32", ["N", 3])],
      outputs: [value("energy", "float32", [1, 1])],
      weights: [farWeight("w", [1], { location: "w.bin", offset: "4", length: "4" })],
    };
    const weights = new Uint8Array(Float32Array.of(7, 5).buffer);
    await Deno.writeFile(`${folder}/far.onnx`, modelOf(parts));
    const atom = [{ numbers: [1], positions: [1, 0, 2] }];
    await assertRejects(() => OnnxModel.open(`${folder}/far.onnx`), Error, "w.bin");
    const given = { externalData: { "w.bin": weights } };
    for (const runtime of [{}, { runtime: "evaluator" }] as const) {
      await using model = await OnnxModel.open(modelOf(parts), { ...given, ...runtime });
      assertEquals([...(await evaluated(model, atom)).get("forces")], [-10, -0, -20]);
    }
    await Deno.writeFile(`${folder}/w.bin`, weights);
    await using beside = await OnnxModel.open(`${folder}/far.onnx`);
    assertEquals([...(await evaluated(beside, atom)).get("forces")], [-10, -0, -20]);
    const whole = decodeModel(beside.export());
    assertEquals(await loadExternalData(whole, () => new Uint8Array()), 0);
    const own = modelOf({ ...parts, weights: [weight("w", Float32Array.of(1))] });
    await assertRejects(
      () => OnnxModel.open(own, given),
      RangeError,
      "must contain only files of the model (it has none); got w.bin",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("models with forces are cached by their content, and damaged files are replaced", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const cache = `${folder}/deep/er`;
    const opened = async (options: OnnxModelOptions = {}) => {
      await using model = await OnnxModel.open(argonGraph(), { cache, ...options });
      return { text: model.describe(), bytes: model.export() };
    };
    const names = async () =>
      (await Array.fromAsync(Deno.readDir(cache))).map(({ name }) => name).sort();
    const first = await opened();
    assert(first.text.includes(`written to the cache ${cache}`), first.text);
    const files = await names();
    assertEquals(files.map((name) => name.replace(/^[0-9a-f]{64}/, "")), [".json", ".onnx"]);
    const second = await opened();
    assert(second.text.includes(`read from the cache ${cache}`), second.text);
    assertEquals(second.bytes, first.bytes);
    const told = (text: string) => text.split("\n").filter((line) => !line.includes(cache));
    assertEquals(told(second.text), told(first.text));

    // Other options give other files.
    assert((await opened({ stress: true })).text.includes("written to the cache"));
    assert((await opened({ passes: [] })).text.includes("written to the cache"));
    assertEquals((await names()).length, 6);

    // Functions have no names.
    const own = { name: "own", about: "", apply: () => 0 };
    for (
      const [options, what] of [[{ rules: gradientRules }, "rules"], [
        { passes: [own] },
        "custom passes",
      ]] as const
    ) {
      assertMatch(
        (await opened(options)).text,
        new RegExp(`not cached in .*: ${what}.* have no names`),
      );
    }
    assertEquals((await names()).length, 6);

    const path = `${cache}/${files[1]}`;
    const damaged = first.bytes.slice();
    damaged[damaged.length >> 1]! ^= 1;
    for (const wrong of [damaged, damaged.subarray(0, 100), new Uint8Array()]) {
      await Deno.writeFile(path, wrong);
      const again = await opened();
      assert(again.text.includes("written to the cache"), again.text);
      assertEquals(await Deno.readFile(path), first.bytes);
    }
    await Deno.writeTextFile(`${cache}/${files[0]}`, "{");
    assert((await opened()).text.includes("written to the cache"));
    assertEquals((await names()).length, 6); // and no incomplete file is left

    const blocked = `${folder}/file`;
    await Deno.writeTextFile(blocked, "");
    assert((await opened({ cache: blocked })).text.includes(`not written to the cache ${blocked}`));
    const { version } = JSON.parse(
      await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
    );
    assertEquals(VERSION, version);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a model runs in double precision on the reference backend, or describe() says why not", async () => {
  const atom = [{ numbers: [1], positions: [1 / 3, 0, 0] }];
  const options: OnnxModelOptions = { outputs: { energy: "energies" } };
  await using model = await OnnxModel.open(springs(false), options);
  const energy = async (of: OnnxModel, where: Where) =>
    (await evaluated(of, atom, where)).get("energy")[0]!;
  assertEquals(await energy(model, "reference"), (1 / 3) * (1 / 3));
  assertEquals(await energy(model, "wasm"), Math.fround(Math.fround(1 / 3) ** 2));
  assertMatch(
    model.describe(),
    /on the reference backend the evaluator runs it, in double precision/,
  );
  await using plain = await OnnxModel.open(springs(false), { ...options, runtime: "evaluator" });
  assertEquals(await energy(plain, "reference"), (1 / 3) * (1 / 3));
  assert(plain.describe().includes("the evaluator runs it"));
  const old = modelOf({
    opset: 13,
    outputs: [value("energy", "float32", [1, 1]), value("forces", "float32", ["N", 3])],
    nodes: [node("ReduceMean", ["x"], ["energy"], {}), node("Neg", ["x"], ["forces"])],
    inputs: [value("x", "float32", ["N", 3])],
  });
  await using other = await OnnxModel.open(old);
  await evaluated(other, atom, "reference");
  const text = other.describe();
  assert(text.includes("on the reference backend onnxruntime runs it, in single precision"), text);
  await assertRejects(
    () => OnnxModel.open(springs(false), { ...options, runtime: "wasm" as never }),
    RangeError,
    'the option runtime must be "auto", "native", "web", "evaluator"; got "wasm"',
  );
  await model.dispose();
  await assertRejects(() => energy(model, "reference"), Error, "it was disposed of");
});

Deno.test("the evaluator runs a model without loading onnxruntime", async () => {
  const file = await Deno.makeTempFile({ suffix: ".onnx" });
  try {
    await Deno.writeFile(file, argonGraph());
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          fileURLToPath(new URL("no_runtime.ts", import.meta.url)),
          file,
          ...args,
        ],
        env: { NO_COLOR: "1" },
      }).output();
      const text = new TextDecoder();
      assertEquals(code, 0, text.decode(stderr));
      return text.decode(stdout).trim();
    };
    assertEquals(await run("evaluator"), "no onnxruntime was loaded");
    assertEquals(await run(), "onnxruntime was loaded"); // otherwise the test would show nothing
  } finally {
    await Deno.remove(file);
  }
});

testOnGpu("added forces run on WebGPU, recorded, and agree with those on wasm", async () => {
  const backend = await openWebGpu({ device: device! });
  try {
    await using model = await OnnxModel.open(argonGraph());
    const run = async (on: { backend: typeof backend } | { device: "wasm" }) => {
      const batch = Batch.from(systems().slice(0, 2));
      initVelocities(batch, 60, { seed: 3 });
      await using md = new NVE({ model, dt: 2, ...on });
      return await md.run(batch, 20);
    };
    const [fast, slow] = [await run({ backend }), await run({ device: "wasm" })];
    assert(apart(fast.get("positions"), slow.get("positions")) < 1e-6);
    assert(apart(fast.get("forces"), slow.get("forces")) < 1e-4);
    const notes = model.describe().split("\n").slice(-2);
    assert(/^webgpu against wasm: they (agree|are equal)/.test(notes[0]!), notes[0]);
    assert(/^captured against uncaptured: they (agree|are equal)/.test(notes[1]!), notes[1]);
  } finally {
    backend.dispose();
  }
});
