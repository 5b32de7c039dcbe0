import { assertAlmostEquals, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { atomicMass, Batch, System } from "../../src/batch/mod.ts";
import { parseExtxyz, readExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { TIME_UNIT_FS } from "../../src/kernels/constants.ts";

const frame = (comment: string, rows = "Ar 0 0 0") =>
  `${rows.split("\n").length}\n${comment}\n${rows}\n`;
const one = (text: string) => {
  const systems = parseExtxyz(text);
  assertEquals(systems.length, 1);
  return systems[0]!;
};

Deno.test("readExtxyz() reads what ASE's documentation shows", () => {
  const silicon = one(
    frame(
      'Lattice="5.44 0.0 0.0 0.0 5.44 0.0 0.0 0.0 5.44" Properties=species:S:1:pos:R:3:vel:R:3:select:I:1 Time=0.5',
      "Si        4.08000000      4.08000000      1.36000000   0.1      0.2      -0.3      1",
    ),
  );
  assertEquals(silicon.symbols, ["Si"]);
  assertEquals([...silicon.positions], [4.08, 4.08, 1.36]);
  assertEquals([...silicon.cell], [5.44, 0, 0, 0, 5.44, 0, 0, 0, 5.44]);
  assertEquals([...silicon.pbc], [1, 1, 1]);
  assertEquals([...silicon.get("velocities")], [0.1, 0.2, -0.3]);
  assertEquals(silicon.get("select"), Int32Array.of(1));
  assertEquals(silicon.info, { Time: 0.5 });
  const columns = "Properties=species:S:1:pos:R:3:energy:R:1:cell:S:1";
  assertEquals(one(frame(columns, "Ar 0 0 0 -1 a")).info, {
    energy_per_atom: [-1],
    cell_per_atom: ["a"],
  });
});

Deno.test("readExtxyz() reads plain XYZ: any comment, more columns, atomic numbers, any case", () => {
  const water = one(frame("water, it's 25 C", "O 0 0 0 -0.8\nh 0.96 0 0 0.4\n1 -0.24 .93 0e0"));
  assertEquals(water.symbols, ["O", "H", "H"]);
  assertEquals([...water.positions], [0, 0, 0, 0.96, 0, 0, -0.24, 0.93, 0]);
  assertEquals(water.info, { comment: "water, it's 25 C" });
  assertEquals([...water.pbc], [0, 0, 0]);
  assertEquals(one(frame("")).info, {});
});

Deno.test("readExtxyz() reads values as ASE does: quotes, escapes, lists, booleans, JSON", () => {
  const { info } = one(frame(
    String.raw`Properties=species:S:1:pos:R:3 int=5 real=-1.5e-3 flag=T flags="T F T" bare ` +
      String
        .raw`words="a b" single='c "d"' esc="say \"hi\" \\ there" list="1 2.5 3" commas=1,2,3 brackets=[4, 5] ` +
      String
        .raw`curly={6 7} rows=[[1, 2], [3, 4]] json="_JSON {\"k\": [1, null]}" eq=a=b uid=12 "odd key"=1 nothing=nan`,
  ));
  assertEquals(info, {
    int: 5,
    real: -1.5e-3,
    flag: true,
    flags: [true, false, true],
    bare: true,
    words: "a b",
    single: 'c "d"',
    esc: 'say "hi" \\ there',
    list: [1, 2.5, 3],
    commas: [1, 2, 3],
    brackets: [4, 5],
    curly: [6, 7],
    rows: [[1, 2], [3, 4]],
    json: { k: [1, null] },
    eq: "a=b",
    uid: "12",
    "odd key": 1,
    nothing: NaN,
  });
});

Deno.test("readExtxyz() takes momenta in ASE's unit, energy, forces, stress and all sorts of columns", () => {
  const system = one(frame(
    'Properties=Z:I:1:pos:R:3:momenta:R:3:forces:R:3:charge:R:1:label:S:1:fixed:L:3 energy=-2.5 pbc="T F T" ' +
      'Lattice="9 0 0 0 0 0 0 0 9" stress="1 2 3 4 5 6 7 8 9"',
    "18 1 2 3 39.948 0 0 0.1 0.2 0.3 -1 core T F T",
  ));
  assertAlmostEquals(system.get("velocities")[0]!, 1 / TIME_UNIT_FS, 1e-17);
  assertEquals(system.energy, -2.5);
  assertEquals([...system.get("forces")], [0.1, 0.2, 0.3]);
  assertEquals([...system.get("charges")], [-1]);
  assertEquals(system.get("fixed"), Uint8Array.of(1, 0, 1));
  assertEquals(system.info, { label: ["core"] });
  // Column by column in the file, row by row here.
  assertEquals([...system.get("stress")], [1, 4, 7, 2, 5, 8, 3, 6, 9]);
  assertEquals([...system.pbc], [1, 0, 1]);
  const voigt = one(frame('energy=0 stress="1 2 3 4 5 6"')).get("stress");
  assertEquals([...voigt], [1, 6, 5, 6, 2, 4, 5, 4, 3]);
});

Deno.test("readExtxyz() gives frame by frame, from text or lines, with any line ends and blank lines between", () => {
  const text = "\ufeff1\r\nfirst=1\r\nAr 0 0 0\r\n\r\n2\nsecond=2\nNe 0 0 0\nNe 0 0 3\n\n\n";
  assertEquals(parseExtxyz(text).map(({ nodeCount }) => nodeCount), [1, 2]);
  assertEquals(parseExtxyz(text.split(/\r?\n/)).map(({ info }) => info), [{ first: 1 }, {
    second: 2,
  }]);
  assertEquals(parseExtxyz(""), []);
  const frames = readExtxyz(frame("a=1") + "3\nbroken");
  assertEquals(frames.next().value?.info, { a: 1 });
  assertThrows(() => frames.next(), SyntaxError, "the file ends after 0 of them, in line 5");
});

Deno.test("readExtxyz() reads numbers that are not finite: a frame of a run that has diverged is data", () => {
  const [system] = parseExtxyz(frame('Lattice="nan 0 0 0 inf 0 0 0 1"', "Ar 0 nan -inf"));
  assertEquals([...system!.positions], [0, NaN, -Infinity]);
  assertEquals([...system!.cell], [NaN, 0, 0, 0, Infinity, 0, 0, 0, 1]);
  assertThrows(
    () => Batch.from([system!]),
    RangeError,
    "positions of atom 0 of system 0 must be finite",
  );
});

Deno.test("readExtxyz() refuses bad files, naming the line", () => {
  const extended = "Properties=species:S:1:pos:R:3";
  const bad: [text: string, message: string][] = [
    ["x\n\nAr 0 0 0", 'line 1: a frame must begin with its number of atoms, 1 or more; got "x"'],
    ["0\n\n", "line 1: a frame must begin with its number of atoms, 1 or more"],
    ["-1\n\n", "line 1"],
    ["1", "line 1: a comment must follow the number of atoms"],
    [
      "2\n\nAr 0 0 0",
      "the frame that begins in line 1 declares 2 atoms, but the file ends after 1 of them, in line 3",
    ],
    [frame(extended, "Ar 0 0"), 'line 3: atom 0 must have 4 columns; got "Ar 0 0"'],
    [frame(extended, "Ar 0 0 0\nAr 0 0 0 0"), "line 4: atom 1 must have 4 columns"],
    [frame("", "Ar 0 0"), "line 3: atom 0 must have 4 columns"],
    [frame("", "Qq 0 0 0"), 'line 3: each species must be an element; got "Qq"'],
    [frame("", "Ar 0 0 0\nAr 0 zero 0"), 'line 4: pos must be numbers; got "zero"'],
    [frame("", "Ar 0 0x10 0"), 'line 3: pos must be numbers; got "0x10"'],
    [frame("Properties=species:S:1:pos:R:3:tag:I:1", "Ar 0 0 0 1.5"), "tag must be whole numbers"],
    [
      frame("Properties=species:S:1:pos:R:3:on:L:1", "Ar 0 0 0 yes"),
      'line 3: on must be T or F; got "yes"',
    ],
    [frame("Properties=species:S:1"), "must contain species:S:1 (or Z:I:1) and pos:R:3"],
    [frame("Properties=species:S:1:pos:R"), "Properties must be a list name:type:width"],
    [frame("Properties=species:S:1:pos:Q:3"), "line 2"],
    [frame("Properties=species:S:1:pos:R:3:pos:R:3"), "unique names"],
    [frame("Properties=species:S:1:pos:R:1e9"), "line 2"],
    [frame(`${extended} a="b`), 'has no closing "'],
    [frame(`${extended} a=1 a=2`), 'got "a"'],
    [frame(`${extended} Lattice="1 2 3"`), "Lattice must be nine numbers"],
    [frame(`${extended} Lattice="1 0 0 2 0 0 0 0 1"`), "span a volume"],
    [frame(`${extended} pbc="T T T"`), "must not be zero along a periodic direction"],
    [frame(`${extended} pbc="T T"`), "pbc must be one or three of T and F"],
    [frame(`${extended} energy=low`), "energy must be a number"],
    [frame(`${extended} j="_JSON {"`), "line 2"],
    [frame("Properties=Z:I:1:pos:R:3", "119 0 0 0"), "the element of atom 0"],
    [frame(`${extended}:masses:R:1`, "Ar 0 0 0 -1"), "masses of atom 0 must be positive"],
  ];
  for (const [text, message] of bad) {
    const error = assertThrows(() => parseExtxyz(text), SyntaxError, message);
    assertStringIncludes(error.message, "line ", message);
  }
  assertThrows(() => parseExtxyz(5 as unknown as string), TypeError, "a string or its lines");
});

Deno.test("writeExtxyz() writes what one can read", () => {
  const dimer = new System({
    symbols: ["Ar", "Ar"],
    positions: [[0, 0, -0], [3.8, 1e-300, 1 / 3]],
    cell: [20, 20, 30],
    pbc: [true, false, true],
    energy: -0.0104,
    id: 4,
    info: { label: "a dimer", n: 5, five: "5", on: true, list: [1, 2], one: [1], none: null },
    fields: { tag: { level: "node", values: Int32Array.of(7, 8) } },
  });
  assertEquals(
    writeExtxyz(dimer),
    `2
Lattice="20 0 0 0 20 0 0 0 30" Properties=species:S:1:pos:R:3:tag:I:1 pbc="T F T" energy=-0.0104 systemId=4 ` +
      `label="a dimer" n=5 five="_JSON \\"5\\"" on=T list="1 2" one="_JSON [1]" none="_JSON null"
Ar 0 0 -0.0 7
Ar 3.8 1e-300 0.3333333333333333 8
`,
  );
});

Deno.test("writeExtxyz() writes momenta for ASE when asked, and reads back the velocities themselves", () => {
  const atom = new System({
    symbols: ["Ar"],
    positions: [0, 0, 0],
    velocities: [1 / TIME_UNIT_FS, 0, 0.1],
  });
  const text = writeExtxyz(atom, { momenta: true });
  assertStringIncludes(text, "vel:R:3:momenta:R:3");
  assertAlmostEquals(Number(text.split("\n")[2]!.split(" ")[7]), atomicMass(18), 1e-12);
  assertEquals(one(text).get("velocities"), atom.get("velocities"));
});

Deno.test("writeExtxyz() refuses what it could not say", () => {
  const atom = (more: object) => new System({ symbols: ["Ar"], positions: [0, 0, 0], ...more });
  assertThrows(
    () => writeExtxyz(atom({ info: { f: () => 0 } })),
    TypeError,
    "info.f must be plain data",
  );
  assertThrows(() => writeExtxyz(atom({ info: { b: 1n } })), TypeError, "info.b");
  assertThrows(() => writeExtxyz(atom({ info: { n: { deep: new Map() } } })), TypeError, "info.n");
  assertThrows(() => writeExtxyz(atom({ info: { pbc: 1 } })), TypeError, '"pbc"');
  assertThrows(() => writeExtxyz(atom({ info: { "a\nb": 1 } })), TypeError, "contain a line break");
  const fields = { vel: { level: "node", values: [1] } };
  assertThrows(() => writeExtxyz(atom({ fields })), TypeError, 'got "vel"');
});

const real = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 123456789012345680000),
);
const info = fc.dictionary(
  fc.oneof(fc.constantFrom("uid", "__proto__"), fc.string({ minLength: 1, unit: "grapheme" }))
    .filter((key) =>
      !/[\n\r]|^(Lattice|Properties|pbc|energy|stress|systemId|status|stepsDone|dofRemoved)$/
        .test(key)
    ),
  fc.oneof(
    fc.double(),
    fc.boolean(),
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "5",
      "T F",
      "_JSON 1",
      "_JSON {",
      "",
      " ",
      "a=b",
      "[1]",
      "[[1]]",
      "\\",
      '"',
      "\n",
      "nan",
    ),
    fc.array(fc.double(), { maxLength: 10 }),
    fc.array(fc.array(fc.double())),
    fc.array(fc.boolean()),
    fc.jsonValue(),
  ),
);

Deno.test("nested lists keep what JSON has no word for, as Python writes it", () => {
  const nested = {
    rows: [[NaN, 1], [Infinity, -Infinity]],
    words: ["NaN", '"Infinity"'],
    zero: [[-0]],
  };
  const system = new System({ symbols: ["Ar"], positions: [0, 0, 0], info: { nested } });
  const text = writeExtxyz(system);
  assertStringIncludes(text, "[[NaN, 1], [Infinity, -Infinity]]");
  assertEquals(one(text).info, { nested });
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const bad = new System({ symbols: ["Ar"], positions: [0, 0, 0], info: { cycle } });
  assertThrows(() => writeExtxyz(bad), TypeError, "info.cycle must be plain data");
  const twice = [1, 2];
  const shared = new System({ symbols: ["Ar"], positions: [0, 0, 0], info: { a: [twice, twice] } });
  assertEquals(one(writeExtxyz(shared)).info, { a: [[1, 2], [1, 2]] });
});

Deno.test("readExtxyz() reads exactly the numbers that writeExtxyz() writes", () => {
  const systems = fc.integer({ min: 1, max: 4 }).chain((n) =>
    fc.record({
      numbers: fc.array(fc.integer({ min: 0, max: 118 }), { minLength: n, maxLength: n }),
      positions: fc.array(real, { minLength: 3 * n, maxLength: 3 * n }),
      velocities: fc.array(real, { minLength: 3 * n, maxLength: 3 * n }),
      energy: real,
      tag: fc.array(fc.integer({ min: -2147483648, max: 2147483647 }), {
        minLength: n,
        maxLength: n,
      }),
      on: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 2 * n, maxLength: 2 * n }),
      info,
      cell: fc.constantFrom(undefined, [3, 4, 5], [3, 0.1, 0, 1, 4, -1, 0, 0, -5]),
    })
  );
  fc.assert(fc.property(fc.array(systems, { minLength: 1, maxLength: 3 }), (all) => {
    const written = all.map(({ tag, on, cell, ...input }) =>
      new System({
        ...input,
        ...cell === undefined ? {} : { cell },
        fields: {
          tag: { level: "node", values: Int32Array.from(tag) },
          on: { level: "node", values: Uint8Array.from(on), width: 2 },
        },
      })
    );
    const read = parseExtxyz(writeExtxyz(written));
    assertEquals(read.length, written.length);
    for (const [i, system] of written.entries()) {
      const back = read[i]!;
      for (const { name } of system.fields()) {
        assertEquals(bits(back.get(name)), bits(system.get(name)), name);
      }
      assertEquals(back.fields().length, system.fields().length);
      assertEquals(back.info, system.info);
    }
  }));
});

function bits(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

Deno.test("whatever comes, parseExtxyz() gives systems or a SyntaxError", () => {
  const isHarmless = (text: string) => {
    try {
      for (const system of readExtxyz(text)) writeExtxyz([system]);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  };
  const words = fc.constantFrom(
    ..."1|2|-1|Ar|H|0.5|1e400|nan|T|\n|\n\n| |=|\"|'|[|]|{|}|\\|:|,|__proto__|constructor".split(
      "|",
    ),
    ..."Properties=species:S:1:pos:R:3|Properties=|:x:I:1|:pos:L:3|:vel:R:2|Lattice=|pbc=|energy=1"
      .split("|"),
    ...'stress=|"1 0 0 0 1 0 0 0 1"|_JSON |systemId=3|\r|\u2028|\0|status=x|edges=1|:numbers:I:2'
      .split("|"),
  );
  fc.assert(fc.property(fc.string({ unit: "binary" }), isHarmless), { numRuns: 300 });
  fc.assert(
    fc.property(fc.array(words, { maxLength: 30 }), (parts) => isHarmless(parts.join(""))),
    { numRuns: 1000 },
  );
  // A good file with one thing wrong.
  const good = writeExtxyz(Batch.from([
    {
      symbols: ["Ar", "H"],
      positions: [0, 0, 0, 1, 2, 3],
      cell: [9, 9, 9],
      energy: 1,
      info: { a: "b c" },
    },
  ]));
  const places = fc.integer({ min: 0, max: good.length - 1 });
  fc.assert(
    fc.property(
      places,
      fc.nat(5),
      fc.oneof(fc.string({ unit: "binary" }), words),
      (at, gone, more) => isHarmless(good.slice(0, at) + more + good.slice(at + gone)),
    ),
    { numRuns: 1000 },
  );
});

Deno.test("arrays of whole numbers that only some frames have are 0 in the others, with a warning that names both", () => {
  const arrays = (columns: string, rows: string, more = "") =>
    frame(`Properties=species:S:1:pos:R:3${columns} ${more}`, rows);
  const text = arrays(":spacegroup_kinds:I:1:seen:L:1", "Si 0 0 0 5 T\nSi 1 1 1 6 F") +
    arrays(":magmoms:R:1", "Si 0 0 0 1.5", "label=bare") +
    arrays(":spacegroup_kinds:I:1:seen:L:1", "Si 0 0 0 7 T") +
    arrays(":move_mask:I:1", "Si 0 0 0 0");
  const warnings: string[] = [];
  const batch = Batch.from(parseExtxyz(text, { onWarning: (warning) => warnings.push(warning) }));
  const inOthers = "in frames 1 (bare), 3, because the file has that array only in other frames";
  assertEquals(warnings, [
    `The array "spacegroup_kinds" was filled with 0 ${inOthers}`,
    `The array "seen" was filled with 0 ${inOthers}`,
  ]);
  assertEquals([...batch.get("spacegroup_kinds")], [5, 6, 0, 7, 0]);
  assertEquals([...batch.get("seen")], [1, 0, 0, 1, 0]);
  assertEquals([...batch.get("magmoms")], [NaN, NaN, 1.5, NaN, NaN]);
  assertEquals([...batch.get("move_mask")], [1, 1, 1, 1, 0]);
  // Frames that lack nothing are left alone, and reading one by one never adds anything.
  assertEquals([...readExtxyz(text)].map((system) => system.has("seen")), [
    true,
    false,
    true,
    false,
  ]);
  assertThrows(() => Batch.from(readExtxyz(text)), TypeError, "which has no fill value");
});

Deno.test("a frame with too few rows is named, not the next one", () => {
  const text = "3\n\nAr 0 0 0\nAr 0 0 4\n1\n\nAr 0 0 0\n";
  assertThrows(
    () => parseExtxyz(text),
    SyntaxError,
    'line 5: the frame that begins in line 1 declares 3 atoms, but another frame seems to begin after 2 of them; got "1"',
  );
});
