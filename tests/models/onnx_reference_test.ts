/** Reference files of models: the format, and the errors for files that do not follow it. */
import { assertEquals, assertThrows } from "@std/assert";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { lennardJonesModel } from "@hooke/hooke/onnx";
import { Batch } from "@hooke/hooke";
import { checkReference } from "../../src/models/onnx/reference/reference_check.ts";

const REFERENCE = {
  format: "hooke-reference",
  version: 1,
  model: "0123456789abcdef".repeat(4),
  structures: [
    {
      symbols: ["Ar"],
      positions: [0, 0, 0],
      cell: [5, 0, 0, 0, 5, 0, 0, 0, 5],
      pbc: [true, true, true],
    },
    {
      label: "molecule",
      symbols: ["H", "H"],
      positions: [0, 0, 0, 1, 0, 0],
      cell: null,
      pbc: [false, false, false],
    },
  ],
  energy: [-1, -2],
  forces: [[0, 0, 0], [1, 0, 0, -1, 0, 0]],
  stress: [[1, 0, 0, 0, 1, 0, 0, 0, 1], null],
  tolerance: { energy: 1e-5, forces: 1e-4, stress: 1e-4 },
};

Deno.test("a reference is accepted, and its structures make a batch", () => {
  const { structures } = checkReference("the reference", structuredClone(REFERENCE));
  const batch = Batch.from(structures.map(({ symbols, positions, cell, pbc }) => ({
    symbols,
    positions,
    ...(cell === null ? {} : { cell, pbc }),
  })));
  assertEquals(Array.from(batch.nodeOffsets), [0, 1, 3]);
});

const [crystal, molecule] = REFERENCE.structures;
const WRONG: readonly [string, unknown, typeof TypeError, string][] = [
  ["another format", { format: "other" }, TypeError, "format of the reference must be"],
  ["a later version", { version: 2 }, RangeError, "version of the reference must be 1; got 2"],
  [
    "an invalid checksum",
    { model: "abc" },
    TypeError,
    "model of the reference must be a SHA-256",
  ],
  [
    "an energy too few",
    { energy: [1] },
    RangeError,
    "energy of the reference must be a list with one element for each of 2 structures; got [1]",
  ],
  [
    "an energy that is not a number",
    { energy: [1, null] },
    TypeError,
    "energy of the reference must be",
  ],
  [
    "a force too few",
    { forces: [[0, 0, 0], [1]] },
    TypeError,
    "forces[1] of the reference must be",
  ],
  ["six stresses", { stress: [[1, 1, 1, 0, 0, 0], null] }, TypeError, "stress[0] of the reference"],
  [
    "no tolerance",
    { tolerance: { energy: 1, forces: 1 } },
    TypeError,
    "tolerance.stress of the reference",
  ],
  [
    "an unknown element",
    { structures: [{ ...crystal, symbols: ["Zz"] }, molecule] },
    TypeError,
    'structures[0].symbols[0] of the reference must be an element symbol; got "Zz"',
  ],
  [
    "half a cell",
    { structures: [{ ...crystal, cell: [5, 5, 5] }, molecule] },
    TypeError,
    "structures[0].cell of the reference must be a flat list of 9 numbers or null; got [5, 5, 5]",
  ],
  [
    "no structures",
    { structures: [], energy: [], forces: [], stress: [] },
    RangeError,
    "structures of the reference must be a list of at least one structure",
  ],
  [
    "a periodic structure without a cell",
    { structures: [crystal, { ...molecule, pbc: [true, false, false] }] },
    TypeError,
    "structures[1].cell of the reference must be a flat list of 9 numbers, because pbc is periodic; got null",
  ],
  [
    "errors of single precision that are not numbers",
    { float32: [{ energy: "1" }, {}] },
    TypeError,
    "float32 of the reference must be a list of 2 objects",
  ],
  ["errors of single precision too few", { float32: [{}] }, TypeError, "float32 of the reference"],
  ["one flag", { structures: [{ ...crystal, pbc: true }, molecule] }, TypeError, "three booleans"],
];
for (const [name, change, Wrong, message] of WRONG) {
  Deno.test(`a reference with ${name} is refused by name`, () => {
    const changed = { ...structuredClone(REFERENCE), ...change as object };
    assertThrows(() => checkReference("the reference", changed), Wrong, message);
  });
}

Deno.test("a manifest may name the license and the source of a model, as texts", async () => {
  const bytes = lennardJonesModel({ epsilon: 0.01, sigma: 3, cutoff: 6 });
  await using model = await OnnxModel.open(bytes, { license: "MIT", source: "a paper" });
  assertEquals(model.describe().split("\n").slice(1, 3), ["license: MIT", "source: a paper"]);
  const wrong = { license: 1 } as never;
  let error: unknown;
  await OnnxModel.open(bytes, wrong).catch((caught) => error = caught);
  assertEquals(
    (error as Error).message.includes("the option license must be a string; got 1"),
    true,
  );
});
