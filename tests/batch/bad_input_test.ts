import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  atomicMass,
  atomicNumber,
  atomicSymbol,
  Batch,
  fcc,
  rattle,
  System,
  type SystemInput,
} from "../../src/batch/mod.ts";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";

/** Invalid systems, and the errors that name the cause. */
const BAD: readonly [wrong: object, kind: ErrorConstructor, message: string][] = [
  [
    { positions: [0, 0, 0, 1, NaN, 0] },
    RangeError,
    "positions of atom 1 must be finite; got [1, NaN, 0]",
  ],
  [{ positions: [[0, 0, 0], [1, 0, Infinity]] }, RangeError, "atom 1"],
  [
    { positions: [0, 0, 0] },
    RangeError,
    "positions must have 6 values (3 per atom); got 3",
  ],
  [
    { positions: [[0, 0, 0], [1, 0]] },
    RangeError,
    "positions of atom 1 must have 3 values; got [1, 0]",
  ],
  [
    { positions: [0, 0, 0, 1, "2", 0] },
    TypeError,
    'positions of atom 1 must be a number; got "2"',
  ],
  [{ positions: undefined }, TypeError, "positions must be a list of numbers"],
  [
    { symbols: ["Ar", "Qx"] },
    RangeError,
    'the element of atom 1 must be a symbol or an atomic number from 0 to 118; got "Qx"',
  ],
  [{ symbols: undefined, numbers: [18, 119] }, RangeError, "the element of atom 1"],
  [{ symbols: undefined, numbers: [18, 1.5] }, RangeError, "got 1.5"],
  [{ symbols: undefined }, TypeError, "either symbols or numbers"],
  [{ numbers: [18, 18] }, TypeError, "either symbols or numbers"],
  [{ symbols: [], positions: [] }, RangeError, "at least one atom; got 0"],
  [
    { masses: [1, -2] },
    RangeError,
    "masses of atom 1 must be positive and finite; got -2",
  ],
  [{ masses: [0, 1] }, RangeError, "masses of atom 0"],
  [{ masses: [1] }, RangeError, "masses must have 2 values"],
  [{ velocities: [0, 0, 0, 0, 0, NaN] }, RangeError, "velocities of atom 1 must be finite"],
  [{ charges: [1, Infinity] }, RangeError, "charges of atom 1 must be finite"],
  [{ images: [0, 0, 0, 0.5, 0, 0] }, RangeError, "images of atom 1 must be a whole number"],
  [
    { categories: [0, 2 ** 31] },
    RangeError,
    "categories of atom 1 must be a whole number from -2147483648 to 2147483647",
  ],
  [
    { cell: [0, 0, 0], pbc: true },
    RangeError,
    "the cell vector a must not be zero along a periodic direction",
  ],
  [{ cell: [5, 5, 0], pbc: [true, true, true] }, RangeError, "the cell vector c must not be zero"],
  [{ cell: [[1, 0, 0], [2, 0, 0], [0, 0, 1]] }, RangeError, "must be finite and span a volume"],
  [{ cell: [[1, 1, 0], [0, 1, 1], [1, 2, 1]] }, RangeError, "span a volume"],
  // The third is a tenth of the first and seven tenths of the second, but for rounding.
  [
    { cell: [[1, 0.1, 0.3], [0.2, 2, 0.6], [0.1 + 0.14, 0.01 + 1.4, 0.03 + 0.42]] },
    RangeError,
    "span a volume",
  ],
  [{ cell: [5, 5, NaN] }, TypeError, "3 lengths, 9 numbers or 3 vectors, all finite"],
  [{ cell: [5, 5] }, TypeError, "got [5, 5]"],
  [{ cell: 5 }, TypeError, "got 5"],
  [{ pbc: true }, RangeError, "the cell vector a must not be zero"],
  [{ pbc: [true, false] }, TypeError, "one or three booleans"],
  [{ pbc: "T" }, TypeError, "one or three booleans"],
  [
    { edges: [[0, 2]] },
    RangeError,
    "edge 0 must connect nodes of its own system, 0 … 1; got [0, 2]",
  ],
  [{ edges: [0, 1, 0] }, RangeError, "edges must have 2 values"],
  [
    { shifts: [0, 0, 0] },
    TypeError,
    "edges are required with shifts, because each shift belongs to an edge",
  ],
  [{ edges: [0, 1], shifts: [0, 0] }, RangeError, "shifts must have 3 values"],
  [{ energy: "low" }, TypeError, "energy must be a list of numbers"],
  [{ stress: [1, 2, 3] }, RangeError, "stress must have 9 values"],
  [{ id: -1 }, RangeError, "id must be an integer from 0 to 2147483647; got -1"],
  [{ info: 5 }, TypeError, "info must be an object"],
  [{ velocites: [] }, TypeError, 'got "velocites"'],
  [
    { fields: { tag: { values: [1, 2] } } },
    TypeError,
    'the level of "tag" must be "node", "edge" or "system"',
  ],
  [{ fields: { tag: { level: "atom", values: [1, 2] } } }, TypeError, 'got "atom"'],
  [
    { fields: { tag: { level: "node", dtype: "i64", values: [1, 2] } } },
    TypeError,
    "f64, f32, i32, u32 or u8",
  ],
  [
    { fields: { tag: { level: "node", dtype: "u8", values: [1, 256] } } },
    RangeError,
    "tag of atom 1 must be a whole number from 0 to 255",
  ],
  [{ fields: { tag: { level: "node", width: 0, values: [] } } }, RangeError, 'the width of "tag"'],
  [{ fields: { tag: { level: "node", values: [1] } } }, RangeError, "tag must have 2 values"],
  [
    { fields: { "a b": { level: "node", values: [1, 2] } } },
    TypeError,
    "the name of a field must be a word",
  ],
  [
    { fields: { forces: { level: "node", values: [1] } } },
    TypeError,
    'the built-in field "forces" must be a member of the system',
  ],
  [{ fields: { tag: 5 } }, TypeError, 'the field "tag" must be an object with values'],
];

const good: SystemInput = { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3, 0, 0] };

Deno.test("new System() refuses what cannot be, naming atom and value", () => {
  for (const [wrong, kind, message] of BAD) {
    const input = { ...good, ...wrong };
    const error = assertThrows(() => new System(input), kind, message);
    assertStringIncludes(error.message, "Cannot make a system: ");
  }
  assertThrows(
    () => new System(null as unknown as SystemInput),
    TypeError,
    "a system must be an object",
  );
});

Deno.test("Batch.from() names the system too, also of systems changed by hand", () => {
  for (const [wrong, kind, message] of BAD) {
    const list = [good, { ...good, ...wrong }];
    const error = assertThrows(() => Batch.from(list), kind, message);
    assertStringIncludes(error.message, "system 1");
  }
  const system = new System(good);
  system.positions[4] = NaN;
  assertThrows(
    () => Batch.from([good, system]),
    RangeError,
    "positions of atom 1 of system 1 must be finite; got [3, NaN, 0]",
  );
  const cell = fcc({ element: "Ar", a: 5 });
  cell.cell.fill(0);
  assertThrows(
    () => Batch.from([good, cell]),
    RangeError,
    "the cell vector a of system 1 must not be zero",
  );
  assertThrows(() => Batch.from([]), RangeError, "at least one system is required; got 0");
  assertThrows(
    () => Batch.from(5 as unknown as System),
    TypeError,
    "the systems must be an iterable",
  );
  assertThrows(
    () => Batch.from([5 as unknown as System]),
    TypeError,
    "(system 0): a system must be an object",
  );
});

Deno.test("a refused operation leaves the batch as it was", () => {
  const batch = Batch.from([good, good]);
  batch.set("tag", [1, 2, 3, 4], { level: "node", dtype: "i32" });
  const before = writeDown(batch);
  const other = (options: object) =>
    new System({ ...good, fields: { tag: { level: "node", values: [1, 2], ...options } } });
  const refused: [change: () => void, kind: ErrorConstructor, message: string][] = [
    [() => batch.append(good as unknown as System), TypeError, "the systems must be an iterable"],
    [
      () => batch.append([good]),
      TypeError,
      'new system 0 lacks the field "tag", which has no fill value',
    ],
    [
      () => batch.append(other({ dtype: "f64" })),
      TypeError,
      "got 1 × i32 per node in the batch, 1 × f64 per node in new system 0",
    ],
    [
      () => batch.append(other({ dtype: "i32", width: 2, values: [1, 2, 3, 4] })),
      TypeError,
      "2 × i32 per node",
    ],
    [() => batch.append(other({ dtype: "i32", width: 1, level: "edge" })), TypeError, "per edge"],
    [() => batch.append([{ ...good, positions: [] }]), RangeError, "append systems (system 0)"],
    [
      () => batch.put([good], [5]),
      RangeError,
      "the slot of a system must be an integer from 0 to 1; got 5",
    ],
    [() => batch.put([good, good], [0, 0]), RangeError, "2 different slots are required"],
    [() => batch.put([good], [0, 1]), RangeError, "1 different slots are required"],
    [() => batch.drop([0, 1]), RangeError, "the selection leaves 0"],
    [() => batch.drop([-1]), RangeError, "got -1"],
    [() => batch.drop([true]), RangeError, "a mask must have 2 flags"],
    [() => batch.drop(Uint8Array.of(0, 2)), RangeError, "a mask must have 2 flags"],
    [() => batch.drop(1 as unknown as number[]), TypeError, "must be a list of slots or a mask"],
    [() => batch.select([]), RangeError, "the selection leaves 0"],
    [() => batch.select([0.5]), RangeError, "got 0.5"],
    [() => batch.system(2), RangeError, "from 0 to 1"],
    [() => batch.set("positions", [1, 2, 3]), RangeError, "positions must have 12 values"],
    [() => batch.set("positions", NaN), RangeError, "positions of atom 0 of system 0"],
    [
      () => batch.set("masses", [1, 1, 1, 0]),
      RangeError,
      "masses of atom 1 of system 1 must be positive",
    ],
    [
      () => batch.set("numbers", [1, 1, 1, 500]),
      RangeError,
      "the atomic number of atom 1 of system 1",
    ],
    [() => batch.set("pbc", 1), RangeError, "the cell vector a of system 0 must not be zero"],
    [
      () => batch.set("systemId", [3, 3]),
      RangeError,
      "ids must be unique and 0 or more; got 3 for system 1",
    ],
    [() => batch.set("tag", [1, 2, 3, 4.5]), RangeError, "tag of atom 3"],
    [
      () => batch.set("tag", [1, 2, 3, 4], { dtype: "f64" }),
      TypeError,
      'the dtype of an existing field must stay "i32"',
    ],
    [
      () => batch.set("forces", 0, { width: 1 }),
      TypeError,
      'the width of the built-in field "forces" must be 3',
    ],
    [() => batch.set("more", [1, 2]), TypeError, 'the level of "more"'],
    [() => batch.get("more"), TypeError, "its fields are numbers, positions"],
    [() => batch.get("energy"), TypeError, "await a run of an engine, which computes the field"],
    [() => batch.get("stress"), TypeError, '; call batch.ensure("stress") to add the field'],
    [() => batch.ensure("more"), TypeError, "has no field of that name"],
    [() => batch.remove("masses"), TypeError, "it is required in every batch"],
    [
      () => batch.setEdges([[0, 2]]),
      RangeError,
      "edge 0 of system 0 must connect nodes of its own system",
    ],
    [
      () => batch.setEdges([[2, 3], [0, 1]]),
      RangeError,
      "be sorted by system; got [0, 1] for edge 1",
    ],
    [
      () => batch.detach({ forces: Float64Array.of(1) }),
      TypeError,
      "has no field of that name",
    ],
    [
      () => batch.detach({ positions: Float64Array.of(1) }),
      RangeError,
      "positions must have 12 values",
    ],
  ];
  for (const [change, kind, message] of refused) {
    assertThrows(change, kind, message);
    assertEquals(writeDown(batch), before, message);
  }
});

function writeDown(batch: Batch): Record<string, unknown> {
  return Object.fromEntries([
    ...batch.fields().map(({ name }) => [name, [...batch.get(name)]]),
    ["offsets", [...batch.nodeOffsets, ...batch.edgeOffsets]],
    ["next", batch.nextSystemId],
  ]);
}

Deno.test("check() finds what was written into arrays by hand, naming system and atom", () => {
  const batch = Batch.from([good, good]);
  batch.check();
  batch.get("positions")[10] = NaN;
  assertThrows(
    () => batch.check("run NVE"),
    RangeError,
    "Cannot run NVE: positions of atom 1 of system 1 must be finite; got [3, NaN, 0]",
  );
});

Deno.test("elements have the symbols and standard weights that ASE has, and others are refused", () => {
  const known = [[0, "X", 1], [1, "H", 1.008], [6, "C", 12.011], [18, "Ar", 39.948], [
    79,
    "Au",
    196.966569,
  ], [118, "Og", 294.214]] as const;
  for (const [number, symbol, mass] of known) {
    assertEquals(atomicNumber(symbol), number);
    assertEquals(atomicSymbol(number), symbol);
    assertEquals(atomicMass(number), mass);
  }
  for (let number = 0; number <= 118; number++) {
    assertEquals(atomicNumber(atomicSymbol(number)), number);
  }
  assertThrows(() => atomicNumber("ar"), RangeError, 'got "ar"');
  assertThrows(() => atomicNumber("toString"), RangeError);
  assertThrows(() => atomicMass(119), RangeError, "from 0 to 118; got 119");
  assertThrows(() => atomicSymbol(-1), RangeError);
});

Deno.test("a crystal and a file name what callers without types get wrong", () => {
  const build = { element: "Ar", a: 5.26, size: 2 };
  assertThrows(
    () => fcc(build),
    TypeError,
    'must be among element, a, cells; got "size"',
  );
  for (
    const [source, shown] of [[Promise.resolve(""), "a Promise"], [
      new Uint8Array(1),
      "[0]",
    ]] as const
  ) {
    assertThrows(
      () => parseExtxyz(source as never),
      TypeError,
      `must be a string or its lines; got ${shown}`,
    );
  }
  assertThrows(
    () => rattle(fcc({ element: "Ar", a: 5.26 }), {} as never),
    RangeError,
    "got an Object",
  );
});
