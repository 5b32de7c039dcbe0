/** Models are compared with their references when they are opened, which finds wrong manifests. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch, NVE } from "@hooke/hooke";
import { ModelMismatchError, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { decodeModel, encodeModel, GraphBuilder } from "@hooke/hooke/onnx";
import { setMetadata } from "../../src/onnx/set_metadata.ts";
import { fileOf, labeled, referenceOf } from "./made_reference.ts";

/** kcal/mol and Bohr. Terms that are even and odd in the direction of an edge, by elements; 0 beyond 8 Bohr. */
function pairs(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("pairs");
  const x = g.input("positions", "f32", ["N", 3]);
  const species = g.input("species", "i32", ["N"]);
  const source = g.input("edge_src", "i32", ["E"]), target = g.input("edge_dst", "i32", ["E"]);
  const shifts = g.input("shifts", "f32", ["E", 3]);
  const systems = g.input("batch_idx", "i32", ["N"]);
  const energy0 = g.input("energy0", "f32", ["B"]);
  const v = g.add(g.sub(g.gather(x, target), g.gather(x, source)), shifts);
  const r2 = g.reduceSum(g.mul(v, v), [1]);
  const fade = g.sub(1, g.div(r2, 64));
  const envelope = g.where(g.greaterOrEqual(r2, 64), 0, g.mul(fade, g.mul(fade, fade)));
  const of = (values: number[], atoms: typeof source) =>
    g.gather(g.constant("f32", values, [values.length]), g.gather(species, atoms));
  const even = g.mul(of([3, 7, 5], source), of([2, 1, 4], target));
  const along = g.reduceSum(g.mul(v, g.constant("f32", [0.9, 0.4, -0.3], [1, 3])), [1]);
  const odd = g.mul(of([1, -2, 0.5], source), along);
  const energies = g.mul(envelope, g.add(even, odd));
  const atoms = g.gather(systems, source);
  g.output("energy", g.scatterAdd(g.sub(energy0, energy0), atoms, energies), ["B"]);
  return g.build();
}

const MODEL = pairs();

const RIGHT: OnnxModelOptions = {
  cutoff: 8 * 0.529177210903,
  elements: ["H", "C", "O"],
  energyUnit: "kcal/mol",
  lengthUnit: "Bohr",
  atomEnergies: { H: -13.6, C: -1029, O: -2041 },
};

const STRUCTURES = [
  labeled("molecule", {
    symbols: ["O", "H", "H", "C"],
    positions: [0, 0, 0.12, 0.1, 0.77, -0.47, 0, -0.75, -0.48, 1.3, 0.2, 0.1],
  }),
  labeled("crystal", {
    symbols: ["C", "O"],
    positions: [0, 0, 0, 1.6, 1.4, 1.5],
    cell: [3.1, 0.1, 0, 0, 3.2, 0.2, 0, 0, 3.3],
    pbc: [true, true, true],
  }),
];

const REFERENCE = await referenceOf(MODEL, { ...RIGHT, stress: true }, STRUCTURES);
const open = (options: OnnxModelOptions, reference = fileOf(REFERENCE)) =>
  OnnxModel.open(MODEL, { name: "pairs.onnx", ...RIGHT, ...options, reference });

Deno.test("describe() shows that a model agrees with its reference", async () => {
  await using model = await open({ stress: true });
  const line = model.describe().split("\n").find((text) => text.startsWith("agrees"));
  assert(
    /^agrees with its reference of pairs\.onnx: energy 0 eV per atom, forces 0 relative, stress \de-\d+ relative, of 2 structures, on wasm$/
      .test(line!),
    line,
  );
});

/** The reference with an energy that is off, and what PyTorch in float32 is off by. */
function shifted(off: number, float32: number) {
  const energy = REFERENCE.energy.map((value, s) => value + (s === 1 ? 2 * off : 0));
  const none = { energy: 0, forces: 0, stress: 0 };
  return fileOf({ ...REFERENCE, energy, float32: [none, { ...none, energy: float32 }] });
}

Deno.test("a difference that PyTorch has in float32 is accepted, and describe() shows it", async () => {
  await using model = await open({}, shifted(5e-5, 2e-5));
  const line = model.describe().split("\n").find((text) => text.startsWith("agrees"))!;
  const said = "; PyTorch in float32 is beyond the tolerance, too: energy 5e-5 eV per atom of " +
    "structure 1 (crystal)";
  assert(line.endsWith(said), line);
});

Deno.test("a difference of PyTorch in float32 never allows more than 1e-4 eV per atom", async () => {
  const error = await assertRejects(() => open({}, shifted(5e-4, 1)), ModelMismatchError);
  assert(
    /energy of structure 1 .*, but at most 0\.0001 is allowed/.test(error.message),
    error.message,
  );
});

/** Name, wrong options, and the finding and the remedy in the error. */
const WRONG: readonly [string, OnnxModelOptions, RegExp, RegExp][] = [
  [
    "unit of energy",
    { energyUnit: "eV" },
    /forces of/,
    /agrees with \{ energyUnit: "kcal\/mol" \}/,
  ],
  ["unit of length", { lengthUnit: "Å" }, /forces of/, /agrees with \{ lengthUnit: "Bohr" \}/],
  [
    "units of both",
    { energyUnit: "eV", lengthUnit: "Å" },
    /forces of/,
    /agrees with \{ energyUnit: "kcal\/mol", lengthUnit: "Bohr" \}/,
  ],
  [
    "order of elements",
    { elements: ["O", "H", "C"] },
    /energy of/,
    /agrees with \{ elements: \["H","C","O"\] \}/,
  ],
  [
    "shifted table of elements",
    { elements: { H: 1, C: 2, O: 3 } },
    /able to evaluate/,
    /correct the manifest/,
  ],
  [
    "missing energies of free atoms",
    { atomEnergies: { H: 0, C: 0, O: 0 } },
    /energy of/,
    /atomEnergies/,
  ],
  ["short cutoff", { cutoff: 3 }, /forces of/, /no other unit|cutoff/],
  [
    "lists of pairs once",
    { neighbors: "half" },
    /forces of/,
    /agrees with \{ neighbors: "full" \}/,
  ],
  [
    "direction of edges",
    { inputs: { edgeSources: "edge_dst", edgeTargets: "edge_src" } },
    /forces of/,
    /agrees with (\{ inputs: \{ edgeSources: "edge_src", edgeTargets: "edge_dst" \} \}|shifts)/,
  ],
  [
    "scale of the energy",
    { outputs: { energy: { tensor: "energy", scale: -1 } } },
    /energy of/,
    /./,
  ],
];

for (const [what, options, finding, hint] of WRONG) {
  Deno.test(`a reference finds a wrong manifest: ${what}`, async () => {
    const error = await assertRejects(() => open(options), ModelMismatchError);
    assert(finding.test(error.message), error.message);
    assert(hint.test(error.message), error.message);
    await using unverified = await OnnxModel.open(MODEL, {
      ...RIGHT,
      ...options,
      reference: fileOf(REFERENCE),
      verify: false,
    });
    assert(!unverified.describe().includes("agrees with"));
  });
}

Deno.test("a reference of another file, and one that is not JSON, are refused", async () => {
  const other = { ...REFERENCE, model: "0".repeat(64) };
  await assertRejects(
    () => open({}, fileOf(other)),
    ModelMismatchError,
    "must belong to this file",
  );
  const broken = new TextEncoder().encode("{");
  await assertRejects(() => open({}, broken), SyntaxError, "must be JSON");
});

Deno.test("a reference beside the model is found, and another manifest is compared anew", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${folder}/pairs.onnx`, MODEL);
    await Deno.writeFile(`${folder}/pairs.ref.json`, fileOf(REFERENCE));
    await using model = await OnnxModel.open(`${folder}/pairs.onnx`, RIGHT);
    assert(model.describe().includes("agrees with its reference pairs.ref.json: "));
    await assertRejects(
      () => OnnxModel.open(`${folder}/pairs.onnx`, { ...RIGHT, energyUnit: "eV" }),
      ModelMismatchError,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("describe() names elements without a structure in the reference", async () => {
  const [molecule] = STRUCTURES;
  const water = labeled("water", {
    symbols: ["O", "H", "H"],
    positions: Array.from(molecule!.positions).slice(0, 9),
  });
  await using model = await open({}, fileOf(await referenceOf(MODEL, RIGHT, [water])));
  assert(/^agrees .*, of 1 structure, on wasm; no structure has C$/m.test(model.describe()));
});

Deno.test("a model that was written with a reference gives a warning if the reference is missing", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/pairs.onnx`;
    const warnings: string[] = [];
    const options: OnnxModelOptions = { ...RIGHT, onWarning: (text) => void warnings.push(text) };
    const describe = async (more: OnnxModelOptions = {}) => {
      await using model = await OnnxModel.open(path, { ...options, ...more });
      return [
        model.describe().match(/^not compared with a reference.*$/m)?.[0],
        model.export(),
      ] as const;
    };
    await Deno.writeFile(path, MODEL);
    const missing = "not compared with a reference: pairs.ref.json does not exist";
    assertEquals((await describe())[0], missing);
    assertEquals(warnings, []);
    const noted = decodeModel(MODEL);
    setMetadata(noted, "hooke.reference", "hooke-export 0.1.0");
    await Deno.writeFile(path, encodeModel(noted));
    const [text, exported] = await describe();
    assertEquals(text, missing);
    assertEquals(warnings, [
      "The results of pairs.onnx are not checked: hooke-export 0.1.0 wrote a reference for this file, but " +
      "pairs.ref.json does not exist. Copy the reference beside the model, or pass verify: false",
    ]);
    assertEquals(
      (await describe({ verify: false }))[0],
      "not compared with a reference: verify is false",
    );
    // The reference does not belong to another file, which has added forces.
    await Deno.writeFile(path, exported);
    await describe();
    assertEquals(warnings.length, 1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the evaluator is compared before its first run on the reference backend", async () => {
  await using model = await open({});
  const batch = Batch.from([{ symbols: ["C", "O"], positions: [0, 0, 0, 1, 0, 0] }]);
  await using md = new NVE({ model, dt: 0.1, device: "reference" });
  await md.run(batch, 1);
  assertEquals(model.describe().match(/on (wasm|evaluator)$/gm), ["on wasm", "on evaluator"]);
});
