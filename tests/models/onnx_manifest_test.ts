/** Manifests of models: their origins and their errors. */
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Batch, NVE } from "@hooke/hooke";
import { type OnnxManifest, OnnxModel } from "@hooke/hooke/models/onnx";
import { GraphBuilder, lennardJonesModel } from "@hooke/hooke/onnx";
import { checkManifest } from "../../src/models/onnx/manifest/manifest_check.ts";
import { ENERGY_UNITS, LENGTH_UNITS } from "../../src/models/onnx/manifest/units.ts";

/** E = Σ z + Σ x², F = −2x, with tensors whose meanings cannot be guessed. */
function odd(metadata: Readonly<Record<string, string>> = {}): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("odd", { metadata });
  const x = graph.input("a", "f32", ["N", 3]);
  const z = graph.input("b", "f32", ["N"]);
  const squares = graph.reduceSum(graph.mul(x, x), [0, 1]);
  graph.output("e", graph.add(graph.reduceSum(z, [0], true), squares));
  graph.output("g", graph.mul(x, 2));
  return graph.build();
}

const MANIFEST = {
  inputs: { positions: "a", numbers: "b" },
  outputs: { energy: "e", gradient: "g" },
} as const;

async function evaluated(model: OnnxModel, symbols = ["H", "O"]): Promise<Batch> {
  const batch = Batch.from([{ symbols, positions: symbols.flatMap((_, i) => [i + 1, 0, 0]) }]);
  await using md = new NVE({ model, dt: 1 });
  return await md.run(batch, 0);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("manifests are read from the options, beside the file and in it, and the first that states a member counts", () =>
  inFolder(async (folder) => {
    const [path, beside] = [`${folder}/m.onnx`, `${folder}/m.json`];
    const hooke = { ...MANIFEST, energyUnit: 2, elements: { H: 10, O: 20 } };
    await Deno.writeFile(path, odd({ hooke: JSON.stringify(hooke), energyUnit: "7" }));
    const warnings: string[] = [], onWarning = (text: string) => void warnings.push(text);
    const energy = async (options = {}) => {
      warnings.length = 0;
      await using model = await OnnxModel.open(path, { onWarning, ...options });
      return (await evaluated(model)).get("energy")[0];
    };
    assertEquals(await energy(), 2 * (10 + 20 + 1 + 4));
    assertEquals(warnings, []);
    await Deno.writeTextFile(beside, JSON.stringify({ energyUnit: 3 }));
    assertEquals(await energy(), 3 * 35);
    assertEquals(warnings, [
      "m.onnx: the manifest m.json has energyUnit 3, and the metadata of m.onnx has 2; the manifest m.json is used",
    ]);
    assertEquals(await energy({ manifest: false }), 2 * 35);
    assertEquals(await energy({ energyUnit: 4 }), 4 * 35);
    assertEquals(await energy({ energyUnit: undefined, elements: ["O", "H"] }), 3 * (1 + 0 + 5));
    // The longer name certainly belongs to the model.
    await Deno.writeTextFile(`${path}.json`, JSON.stringify({ energyUnit: 5 }));
    assertEquals(await energy(), 5 * 35);
    assertEquals(await energy({ manifest: beside }), 3 * 35);
    await using model = await OnnxModel.open(new URL(`file://${path}`), { onWarning });
    const text = model.describe();
    assert(text.includes("a (float32 [N, 3]) → positions, by the metadata of m.onnx"), text);
    assert(text.includes("energies in 5 eV, from the manifest m.onnx.json,"), text);
  }));

Deno.test("a manifest that is not valid is refused with its name", () =>
  inFolder(async (folder) => {
    const path = `${folder}/m.onnx`;
    await Deno.writeFile(path, odd());
    const refused = (text: string, type: new () => Error, message: string) =>
      Deno.writeTextFile(`${folder}/m.json`, text).then(() =>
        assertRejects(() => OnnxModel.open(path), type, message)
      );
    await refused(
      "{ inputs",
      SyntaxError,
      "Cannot open m.onnx: the manifest m.json must be JSON",
    );
    await refused("[]", TypeError, "the manifest m.json must be an object");
    await refused(
      '{ "elements": "Ar" }',
      TypeError,
      "elements of the manifest m.json must be a list of symbols, or an object with a number for each symbol",
    );
    await refused('{ "cutof": 5 }', TypeError, 'got "cutof"; did you mean cutoff?');
    await assertRejects(
      () => OnnxModel.open(path, { manifest: { cutoff: 5 } as never }),
      TypeError,
      "Cannot open an ONNX model: the option manifest must be a path, an address, bytes or false; " +
        "got an Object. Pass the members of a manifest as options themselves",
    );
    await assertRejects(
      () => OnnxModel.open(path, { manifest: true as never }),
      TypeError,
      "must be a path, an address, bytes or false; got true",
    );
    const noted = odd({ cutoff: "far" });
    await assertRejects(
      () => OnnxModel.open(noted, { name: "x" }),
      TypeError,
      'cutoff of the metadata of x must be a number; got "far"',
    );
    await assertRejects(
      () => OnnxModel.open(path, { manifest: `${folder}/none.json` }),
      Error,
      "Cannot open none.json (",
    );
  }));

Deno.test("manifests are read over HTTP, and an HTML page in place of one is ignored", async () => {
  const files = new Map([["/a.onnx", odd()]]);
  const server = Deno.serve({ port: 0, onListen: () => {} }, ({ url }) => {
    const { pathname } = new URL(url);
    const file = files.get(pathname);
    if (file !== undefined) return new Response(file);
    if (pathname === "/a.json") return Response.json(MANIFEST);
    return pathname === "/a.onnx.json"
      ? new Response("<!doctype html>")
      : new Response("", { status: 404 });
  });
  try {
    const url = new URL(`http://localhost:${server.addr.port}/a.onnx`);
    await using model = await OnnxModel.open(url);
    assertEquals((await evaluated(model)).get("energy")[0], 1 + 8 + 5);
    files.set("/b.onnx", lennardJonesModel({ epsilon: 1, sigma: 1, cutoff: 2 }));
    await using other = await OnnxModel.open(new URL("/b.onnx", url));
    assertEquals(other.cutoff, 2);
  } finally {
    await server.shutdown();
  }
});

Deno.test("each wrong member of a manifest is named", () => {
  const wrong: readonly [unknown, new () => Error, string][] = [
    [{ cutoff: "5" }, TypeError, "cutoff of it must be a number"],
    [{ cutoff: -1 }, RangeError, "cutoff of it must be above 0 and finite; got -1"],
    [{ inputs: { position: "x" } }, TypeError, '"position"; did you mean positions?'],
    [
      { inputs: { positions: 3 } },
      TypeError,
      "inputs.positions of it must be the name of a tensor",
    ],
    [{ outputs: { energies: "e" } }, TypeError, '"energies"; did you mean energy?'],
    [{ outputs: { q: { level: "node" } } }, TypeError, "outputs.q.tensor of it must be the name"],
    [{ outputs: { q: { tensor: "q", level: "atom" } } }, RangeError, "must be node or system"],
    [
      { outputs: { q: { tensor: "q", width: 0 } } },
      RangeError,
      "outputs.q.width of it must be 1 or more",
    ],
    [{ constants: { a: "1" } }, TypeError, "constants.a of it must be a number"],
    [{ constants: { a: [1, NaN] } }, RangeError, "constants.a.1 of it must be finite"],
    [{ neighbors: "both" }, RangeError, "neighbors of it must be full or half"],
    [{ elements: ["H", "Q"] }, RangeError, "elements.1 of it must be the symbol of an element"],
    [
      { elements: ["H", "O", "H"] },
      RangeError,
      "elements.2 of it must be a symbol that is not in the list yet",
    ],
    [{ elements: { Hx: 1 } }, RangeError, "elements.Hx of it must be the symbol of an element"],
    [{ elements: { H: 0.5 } }, TypeError, "elements.H of it must be a whole number"],
    [{ elements: { H: -1 } }, RangeError, "elements.H of it must be 0 or more; got -1"],
    [
      { outputs: { energy: { tensor: "e", scale: 0 } } },
      RangeError,
      "outputs.energy.scale of it must be other than 0",
    ],
    [{ atomEnergies: { H: Infinity } }, RangeError, "atomEnergies.H of it must be finite"],
    [{ energyUnit: "hartree" }, RangeError, "; did you mean Hartree?"],
    [{ lengthUnit: 0 }, RangeError, "lengthUnit of it must be above 0"],
    [{ batch: "one" }, RangeError, "batch of it must be joined or single"],
    [{ padding: 256 }, TypeError, "padding of it must be true or false"],
    [{ paddings: true }, TypeError, '"paddings"; did you mean padding?'],
    ["cutoff: 5", TypeError, "it must be an object"],
  ];
  for (const [manifest, type, message] of wrong) {
    assertThrows(() => checkManifest("open x", "it", manifest), type, message);
  }
  const right: OnnxManifest = {
    ...MANIFEST,
    outputs: { charges: "q", dipole: "mu" },
    batch: "single",
  };
  checkManifest("open x", "it", JSON.parse(JSON.stringify(right)));
});

Deno.test("energies and forces are in eV and Å for any units of a model", async () => {
  // x in Bohr: E = Σ x² + Σ z in Hartree, F = −2 x in Hartree/Bohr.
  await using model = await OnnxModel.open(odd(), {
    ...MANIFEST,
    energyUnit: "Hartree",
    lengthUnit: "Bohr",
    elements: { H: 0, O: 0 },
    atomEnergies: { H: -13.5, O: -2041.75 },
  });
  const batch = await evaluated(model, ["H", "O", "H"]);
  const [hartree, bohr] = [27.211386245988, 0.529177210903];
  const expected = hartree * 14 / bohr ** 2 - 2 * 13.5 - 2041.75;
  assertAlmostEquals(batch.get("energy")[0]!, expected, 1e-3);
  assertAlmostEquals(batch.get("forces")[6]!, -6 * hartree / bohr ** 2, 1e-3);
  await assertRejects(
    () => evaluated(model, ["H", "C"]),
    RangeError,
    "Cannot use a model: it must know every element; it knows H, O, and atom 1 of system 0 is C",
  );
  assertAlmostEquals(ENERGY_UNITS["kcal/mol"], 1 / 23.060547830619, 1e-12);
  assertAlmostEquals(ENERGY_UNITS["kJ/mol"], 1 / 96.48533212331, 1e-12);
  assertEquals(LENGTH_UNITS.nm, 10);
});

Deno.test("energies of free atoms are added in float64", async () => {
  const elements = { H: 0, O: 0 };
  const atomEnergies = { H: -13.587222780835477, O: -2042.6112357890132 };
  await using model = await OnnxModel.open(odd(), { ...MANIFEST, elements, atomEnergies });
  const { H, O } = atomEnergies;
  // The rounding error of float32, 2⁻²⁴ of 2000 eV, does not occur.
  assertAlmostEquals((await evaluated(model)).get("energy")[0]!, 5 + H + O, 1e-11);
  const two = Batch.from([["O"], ["H", "H"]].map((symbols) => ({
    symbols,
    positions: symbols.flatMap((_, i) => [i + 1, 0, 0]),
  })));
  await using md = new NVE({ model, dt: 1 });
  await md.run(two, 0);
  assertAlmostEquals(two.get("energy")[0]!, 1 + O, 1e-11);
  assertAlmostEquals(two.get("energy")[1]!, 5 + 2 * H, 1e-11);
});
