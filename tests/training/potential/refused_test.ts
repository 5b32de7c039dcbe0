/** A manifest that cannot be is refused by trainers in the words of `OnnxModel.open`, and so is an unknown element. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openBackend } from "../../../src/backend/mod.ts";
import { Batch, type SystemInput } from "../../../src/batch/mod.ts";
import { evaluateModel } from "../../../src/models/evaluate.ts";
import { OnnxModel, type OnnxModelOptions } from "../../../src/models/onnx.ts";
import { GraphBuilder } from "../../../src/onnx/mod.ts";
import {
  atomsData,
  energyForces,
  fineTune,
  openPotential,
  openTrainingGroup,
} from "../../../src/training/mod.ts";
import { fileOf, labeled, referenceOf } from "../../models/made_reference.ts";
import { pairsModel } from "../tuning/pairs_model.ts";

const MODEL = pairsModel(0.02);
const ELEMENTS = ["Ar", "Kr"];
const KNOWN = { cutoff: 4.2, elements: ELEMENTS };
const PAIR: SystemInput = { symbols: ["Ar", "Kr"], positions: [0, 0, 0, 3, 0, 0], energy: 0 };

/** The model with another input. */
function withInput(name: string, dims: readonly (string | number)[]): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("pairs");
  const x = g.input("positions", "f32", ["N", 3]);
  const edges = g.input("edge_index", "i64", [2, "E"]), more = g.input(name, "i64", [...dims]);
  const one = g.gather(x, g.gather(edges, g.constant("i64", 0)));
  const none = g.mul(
    g.reduceSum(g.op("Cast", [more], "f32", { to: 1 }), [0, 1].slice(0, dims.length)),
    0,
  );
  g.output("energy", g.add(g.reduceSum(g.mul(one, one), [0, 1]), none), []);
  return g.build();
}

const WRONG: Readonly<Record<string, readonly [object, model?: Uint8Array]>> = {
  "no cutoff": [{ elements: ELEMENTS }],
  "elements that may be numbers": [{ cutoff: 4 }],
  "a slip in a member": [{ ...KNOWN, cutof: 4 }],
  "an unknown unit": [{ ...KNOWN, energyUnit: "eVs" }],
  "a negative cutoff": [{ ...KNOWN, cutoff: -4 }],
  "an unknown element": [{ ...KNOWN, elements: ["Ar", "Kx"] }],
  "an input that is not there": [{ ...KNOWN, inputs: { shifts: "shift" } }],
  "an input that does not fit": [{ ...KNOWN, inputs: { positions: "species" } }],
  "an input with two meanings": [{ ...KNOWN, inputs: { shifts: "offsets", positions: "offsets" } }],
  "an output that is not there": [{ ...KNOWN, outputs: { energy: "energies" } }],
  "a constant that is not there": [{ ...KNOWN, constants: { charge: 1 } }],
  "a value that is not a function": [{ ...KNOWN, derived: { species: 3 } }],
  "a function of no input": [{ ...KNOWN, derived: { angles: () => ({ data: [], dims: [0] }) } }],
  "a list that is not whole": [{ ...KNOWN, lists: { far: { cutoff: 9 } } }],
  "the order of triplets": [{ cutoff: 4, reach: 3 }, withInput("angle_index", [2, "T"])],
  "a reach beyond the cutoff": [{ cutoff: 4, reach: 5 }, withInput("trip_edge", [2, "T"])],
  "triplets without a reach": [{ cutoff: 4 }, withInput("trip_edge", [2, "T"])],
  "triplets of half lists": [
    { cutoff: 4, reach: 3, neighbors: "half" },
    withInput("trip_edge", [2, "T"]),
  ],
  "bonds of the nearest": [{ cutoff: 4, nearest: 3 }, withInput("rev_edge", ["E"])],
  "an input without a meaning": [{ cutoff: 4 }, withInput("flux", ["E", 7])],
  "many systems at once": [{ cutoff: 4, batch: "joined" }, withInput("pbc", [3])],
};

for (const [title, [options, model = MODEL]] of Object.entries(WRONG)) {
  Deno.test(`a manifest is refused with the error of OnnxModel: ${title}`, async () => {
    const theirs = await assertRejects(() => OnnxModel.open(model, options as OnnxModelOptions));
    const ours = await assertRejects(() => openPotential(model, options as OnnxModelOptions));
    assert(theirs instanceof Error && ours instanceof Error);
    assertEquals([ours.constructor.name, ours.message], [theirs.constructor.name, theirs.message]);
    const { derived, ...manifest } = options as OnnxModelOptions;
    const tuned = await assertRejects(() =>
      fineTune({ model, manifest, train: [PAIR], ...(derived && { derived }) })
    );
    assertEquals((tuned as Error).message, theirs.message);
  });
}

Deno.test("a trainer refuses a model that its reference refuses, in the words of OnnxModel", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const model = `${folder}/pairs.onnx`, wrong = { ...KNOWN, energyUnit: "Hartree" } as const;
    const crystal = labeled("pair", PAIR);
    await Deno.writeFile(model, MODEL);
    await Deno.writeFile(
      `${folder}/pairs.ref.json`,
      fileOf(await referenceOf(MODEL, KNOWN, [crystal])),
    );
    const theirs = await assertRejects(() => OnnxModel.open(model, wrong));
    assert(/agrees with \{ energyUnit: "eV" \}/.test((theirs as Error).message));
    const tune = (more: object) =>
      fineTune({
        model,
        manifest: wrong,
        train: [PAIR],
        valid: 0,
        forces: false,
        epochs: 1,
        ...more,
      });
    for (const open of [() => openPotential(model, wrong), () => tune({})]) {
      assertEquals((await assertRejects(open) as Error).message, (theirs as Error).message);
    }
    await assertRejects(() => tune({ device: "reference" }), Error, "on evaluator");
    await openPotential(model, KNOWN);
    await openPotential(model, { ...wrong, verify: false });
    assertEquals((await tune({ verify: false })).outcome.status, "completed");
    // The file has changed since.
    await Deno.writeFile(model, pairsModel(0.03));
    for (const open of [() => openPotential(model, KNOWN), () => tune({ manifest: KNOWN })]) {
      await assertRejects(open, Error, "must belong to this file");
    }
    assertEquals((await tune({ manifest: KNOWN, verify: false })).outcome.status, "completed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("stresses are compared with the reference if they are tuned", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const model = `${folder}/pairs.onnx`, cell = [4.1, 0, 0, 0, 4.2, 0, 0, 0, 4.3];
    const crystal = { ...PAIR, cell, pbc: true };
    const options = { ...KNOWN, stress: true };
    const reference = await referenceOf(MODEL, options, [labeled("crystal", crystal)]);
    const stress = [reference.stress[0]!.map((value) => value + 0.01)];
    await Deno.writeFile(model, MODEL);
    await Deno.writeFile(`${folder}/pairs.ref.json`, fileOf({ ...reference, stress }));
    const tune = (weight: number) =>
      fineTune({
        model,
        manifest: KNOWN,
        train: [{
          ...crystal,
          info: { stress: reference.stress[0]!, forces: reference.forces[0]! },
        }],
        valid: 0,
        weights: { stress: weight },
        epochs: 1,
      });
    await assertRejects(() => tune(1), Error, "stress of structure 0 (crystal)");
    const { outcome, manifest } = await tune(0);
    assertEquals([outcome.status, manifest.stress], ["completed", undefined]);
    await Deno.writeFile(`${folder}/pairs.ref.json`, fileOf(reference));
    assertEquals((await tune(1)).outcome.status, "completed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an element that a model does not know is refused with the error of OnnxModel", async () => {
  const options = { cutoff: 4.2, elements: ["Ar"], atomEnergies: { Ar: -1, Kr: -2 } };
  const some = { ...KNOWN, atomEnergies: { Ar: -1 } };
  for (const manifest of [options, some]) {
    await using model = await OnnxModel.open(MODEL, manifest);
    const systems: SystemInput[] = [
      { symbols: ["Ar"], positions: [0, 0, 0], energy: 0 },
      { ...PAIR, info: { name: "pair.xyz" } },
    ];
    const theirs = await assertRejects(
      () => evaluateModel(model, Batch.from(systems), openBackend("wasm")),
      RangeError,
      "atom 1 of system 1 (pair.xyz) is Kr",
    );
    const potential = await openPotential(MODEL, { ...manifest, name: model.name });
    const ours = assertThrows(() => atomsData(systems, { potential, batchSize: 2 }), RangeError);
    assertEquals(ours.message, theirs.message);
  }
});

Deno.test("what a manifest says is not said again, and a potential is one", async () => {
  const potential = await openPotential(MODEL, KNOWN);
  const make = (options: object) => () =>
    atomsData([PAIR], { potential, batchSize: 1, ...options } as never);
  assertThrows(make({ cutoff: 4 }), TypeError, "both potential and cutoff");
  assertThrows(make({ names: { energy: "e" } }), TypeError, "both potential and names");
  assertThrows(make({ potential: { name: "x" } }), TypeError, "openPotential()");
  const names = { energy: "e" };
  assertThrows(() => energyForces({ potential, names }), TypeError, "both potential and names");
  assertThrows(() => energyForces({ potential: 3 as never }), TypeError, "openPotential()");
});

Deno.test("a graph of single systems is fed one at a time", async () => {
  const potential = await openPotential(withInput("trip_edge", [2, "T"]), { cutoff: 4, reach: 3 });
  assert(potential.isSingle);
  assertThrows(
    () => atomsData([PAIR, PAIR], { potential, batchSize: 2 }),
    RangeError,
    "takes one system at a time; got 2",
  );
  const group = await openTrainingGroup({ shards: 2 });
  const model = withInput("trip_edge", [2, "T"]), manifest = { cutoff: 4, reach: 3 };
  await assertRejects(
    () => fineTune({ model, manifest, train: [PAIR, PAIR], valid: 0, group }),
    RangeError,
    "shards must be 1, because",
  );
});
