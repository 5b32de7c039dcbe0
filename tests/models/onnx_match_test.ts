/** Meanings of tensors. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { OnnxBindings } from "../../src/models/onnx/bindings.ts";
import type { OnnxManifest } from "../../src/models/onnx/manifest/manifest.ts";
import { matchTensors } from "../../src/models/onnx/manifest/match.ts";
import { ModelMismatchError } from "../../src/models/onnx.ts";
import type { TensorDtype, TensorInfo } from "../../src/onnx/session/session_tensor.ts";

/** `"pos float32 N 3"` */
function tensor(text: string): TensorInfo {
  const [name, dtype, ...shape] = text.split(" ");
  return {
    name: name!,
    dtype: dtype as TensorDtype,
    shape: shape.map((length) =>
      /^\d+$/.test(length) ? Number(length) : length === "?" ? "" : length
    ),
  };
}

const FORCES = ["energy float32 B", "forces float32 N 3"];

function match(
  inputs: readonly string[],
  outputs: readonly string[] = FORCES,
  manifest: OnnxManifest = {},
  derived: readonly string[] = [],
): OnnxBindings {
  return matchTensors({
    name: "x.onnx",
    inputs: inputs.map(tensor),
    outputs: outputs.map(tensor),
    manifest,
    by: () => "the options",
    derived,
  });
}

const meanings = ({ inputs }: OnnxBindings) =>
  inputs.map(({ tensor, meaning }) => `${tensor.name} ${meaning}`);
const results = ({ outputs }: OnnxBindings) =>
  outputs.map(({ tensor, meaning, field, level, width, scale }) =>
    [tensor.name, field ?? meaning, level, width, scale].join(" ")
  );

/** Returns the error of a model that does not match. */
function mismatch(...given: Parameters<typeof match>): ModelMismatchError {
  const error = assertThrows(() => match(...given), ModelMismatchError);
  assertEquals(error.model, "x.onnx");
  assert(error.message.startsWith("Cannot use x.onnx: "), error.message);
  return error;
}

Deno.test("names of any spelling give the meanings of tensors", () => {
  const bindings = match([
    "Pos float32 N 3",
    "atomicNumbers int64 N",
    "edgeIndex int64 2 E",
    "unit_shifts float32 E 3",
    "batch int64 N",
    "ptr int64 M",
    "lattice float32 B 3 3",
    "pbc bool B 3",
    "trip_center int64 T",
    "trip_edge int64 2 T",
    "masses float32 N",
    "num_graphs int64",
  ]);
  assertEquals(meanings(bindings), [
    "Pos positions",
    "atomicNumbers numbers",
    "edgeIndex edges",
    "unit_shifts cellShifts",
    "batch batchIndex",
    "ptr systemOffsets",
    "lattice cell",
    "pbc pbc",
    "trip_center tripletCenters",
    "trip_edge tripletEdges",
    "masses masses",
    "num_graphs systemCount",
  ]);
  assert(bindings.inputs.every(({ reason }) => reason === "by its name"));
  assertEquals([bindings.batch, bindings.hasEdges, bindings.hasTriplets], ["joined", true, true]);
  assertEquals(bindings.padding, false); // shifts in lattice vectors
});

Deno.test("type and shape decide between the meanings of an ambiguous name", () => {
  const of = (text: string) => {
    const bindings = match(["positions float32 N 3", "z int64 N", "edge_index int64 2 E", text]);
    return meanings(bindings).at(-1)!.split(" ")[1];
  };
  assertEquals(of("offsets float32 E 3"), "shifts");
  assertEquals(of("offsets int64 E 3"), "cellShifts");
  assertEquals(of("offsets int64 C"), "systemOffsets");
  assertEquals(of("natoms int64 B"), "systemSizes");
  assertEquals(of("natoms int64"), "nodeCount");
});

Deno.test("types and shapes give meanings that names do not show, if they are unambiguous", () => {
  const bindings = match(
    [
      "a float32 N 3",
      "b int64 2 E",
      "c float32 E 3",
      "batch_idx int64 N",
      "d int64 N",
      "e float32 3 3",
    ],
    ["energy float32 1", "forces float32 N 3"],
    { batch: "single" },
  );
  assertEquals(meanings(bindings), [
    "a positions",
    "b edges",
    "c shifts",
    "batch_idx batchIndex",
    "d numbers",
    "e cell",
  ]);
  assertEquals(bindings.inputs[0]!.reason, "by its type and shape");
  const index = match(["x float32 N 3", "z int64 N", "i int32 N", "energy0 float32 B"]);
  assertEquals(meanings(index).slice(2), ["i batchIndex", "energy0 systems"]);
});

Deno.test("an ambiguous tensor is an error with the possible meanings", () => {
  const two = mismatch(["p float32 N 3", "v float32 N 3", "z int64 N"]);
  assertEquals(two.wouldMap["v"]![0], "positions");
  assert(
    two.message.includes("the meaning of p (float32 [N, 3]), v (float32 [N, 3]) is not known"),
  );
  // Either of them could be the elements.
  const types = mismatch(["positions float32 N 3", "i int64 N", "j int64 N"]);
  assert(types.wouldMap["i"]!.includes("numbers") && types.wouldMap["i"]!.includes("batchIndex"));
  assert(types.message.includes('pass { inputs: { numbers: "i" } }'), types.message);
  // Per atom, not per edge.
  const shifts = mismatch(["positions float32 N 3", "edge_index int64 2 E", "w float32 N 3"]);
  assertEquals(Object.keys(shifts.wouldMap), ["w"]);
  // A temperature is not a number of systems.
  mismatch(["positions float32 N 3", "batch int64 N", "t float32 B"]);
});

Deno.test("a name that may mean atomic numbers or indices is an error", () => {
  for (const name of ["species", "atom_types", "Types", "elements"]) {
    const inputs = ["pos float32 N 3", `${name} int64 N`];
    const error = mismatch(inputs);
    assertEquals(error.expected, "the numbers of its elements must be known");
    assert(error.message.includes(`or { inputs: { numbers: "${name}" } } for atomic numbers`));
    for (const manifest of [{ elements: ["H"] }, { inputs: { numbers: name } }]) {
      assertEquals(meanings(match(inputs, FORCES, manifest))[1], `${name} numbers`);
    }
  }
});

Deno.test("a manifest states meanings, and a wrong one gives an error with possible meanings", () => {
  const said = match(["p float32 N 3", "v float32 N 3", "z int64 N"], FORCES, {
    inputs: { positions: "p" },
    constants: { v: 0 },
  });
  assertEquals(meanings(said), ["p positions", "v constant", "z numbers"]);
  assertEquals(said.inputs[0]!.reason, "by the options");
  const slip = mismatch(["pos float32 N 3"], FORCES, { inputs: { positions: "poss" } });
  assert(
    slip.message.includes('must name one of its inputs, pos; it names "poss"; did you mean pos?'),
    slip.message,
  );
  const kind = mismatch(["pos float32 N 3", "z int64 N"], FORCES, { inputs: { positions: "z" } });
  assertEquals(kind.expected, "positions must be floats [N, 3] or [1, N, 3]");
  assertEquals(kind.found, "the stated tensor is z (int64 [N])");
  assertEquals(kind.wouldMap, { pos: ["positions"] });
  const twice = mismatch(["b int64 N", "pos float32 N 3"], FORCES, {
    inputs: { numbers: "b", batchIndex: "b" },
  });
  assertEquals(twice.found, "b (int64 [N]) is stated to be numbers and batchIndex");
  mismatch(["pos float32 N 3"], FORCES, {}, ["angles"]);
  assertEquals(
    meanings(match(["pos float32 N 3", "angles float32 K"], FORCES, {}, ["angles"])),
    ["pos positions", "angles derived"],
  );
  mismatch(["z int64 N"]);
});

Deno.test("energies are per atom or per system, as their shape or the manifest shows", () => {
  const energy = (text: string, manifest: OnnxManifest = {}) => {
    const outputs = [text, "forces float32 N 3"];
    return results(match(["pos float32 N 3", "batch int64 N"], outputs, manifest))
      .find((line) => line.includes(" energy "));
  };
  assertEquals(energy("energy float32 B"), "energy energy system 1 1");
  assertEquals(energy("energy float32 B 1"), "energy energy system 1 1");
  assertEquals(energy("energy float64 N"), "energy energy node 1 1");
  assertEquals(energy("energy float32 N 1"), "energy energy node 1 1");
  assertEquals(energy("energy float32 1"), "energy energy system 1 1");
  assertEquals(energy("energy float32 ?"), "energy energy  1 1"); // a run shows it
  const node = { outputs: { energy: { tensor: "e", level: "node" } } } as const;
  assertEquals(energy("e float32 ?", node), "e energy node 1 1");
  assertEquals(energy("out float32 B"), "out energy system 1 1"); // the only output besides the forces
});

Deno.test("outputs are in eV and Å with Hooke's sign, and other outputs are fields", () => {
  const given = match(
    ["pos float32 N 3", "batch int64 N"],
    [
      "energy float32 B",
      "grad float32 N 3",
      "virial float32 B 9",
      "q float32 N",
      "mu float32 B 3",
      "extra float32 B",
    ],
    {
      energyUnit: "Hartree",
      lengthUnit: "nm",
      outputs: { charges: "q", dipole: { tensor: "mu", scale: 2 } },
    },
  );
  assertEquals(results(given), [
    "q charges node 1 1",
    "mu dipole system 3 2",
    "energy energy system 1 27.211386245988",
    "grad gradient node 3 -2.7211386245988",
    "virial virial system 9 27.211386245988",
  ]);
  const stress = match(["pos float32 N 3"], [
    "forces float32 N 3",
    "energy float32 1",
    "stress float32 6",
    "virial float32 3 3",
  ], { lengthUnit: 2 });
  assertEquals(results(stress)[2], "stress stress system 6 0.125"); // and no virial
  const cubes = match(["pos float32 N 3"], ["forces float32 N 3", "stress float32 B 3 3"]);
  assertEquals(results(cubes)[1], "stress stress system 9 1");
});

Deno.test("a model must give forces, and fields must have a width and a level", () => {
  const none = mismatch(["pos float32 N 3"], ["energy float32 B"]);
  assertEquals(none.expected, "it must give forces, or an energy that can be differentiated");
  assert(none.message.includes("export it with the gradient"), none.message);
  const other = mismatch(["pos float32 N 3"], ["energy float32 B", "out float32 N 3"]);
  assertEquals(other.wouldMap["out"], ["forces", "gradient"]);
  const inputs = ["pos float32 N 3"];
  const field = (text: string, outputs: OnnxManifest["outputs"] = { h: "h" }) =>
    mismatch(inputs, [...FORCES, text], { outputs: outputs! });
  assert(
    field("h float32 B K").message.includes("the number of values per row of h must be known"),
  );
  assert(
    field("h float32 ? 3").message.includes("the level of h, atoms or systems, must be known"),
  );
  assert(field("h int64 B", { forces: "h" }).message.includes("forces must be floats"));
});

Deno.test("models of single systems run once per system", () => {
  assertEquals(match(["pos float32 N 3", "z int64 N"]).batch, "single");
  assertEquals(match(["pos float32 1 N 3", "z int64 1 N"]).batch, "single");
  assertEquals(match(["pos float32 N 3", "batch int64 N", "cell float32 3 3"]).batch, "single");
  assertEquals(match(["pos float32 N 3", "batch int64 N"]).batch, "joined");
  assertEquals(
    match(["pos float32 N 3", "batch int64 N"], FORCES, { batch: "single" }).batch,
    "single",
  );
  const wrong = mismatch(["pos float32 N 3", "batch int64 N", "cell float32 3 3"], FORCES, {
    batch: "joined",
  });
  assert(wrong.message.includes("cell (float32 [3, 3]) is for one system"), wrong.message);
});
