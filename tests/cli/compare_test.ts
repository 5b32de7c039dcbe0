import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { Batch, fcc, rattle, System } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { parityOf } from "../../src/cli/compare/pair.ts";
import { readTolerances, toleranceOf } from "../../src/cli/compare/tolerance.ts";
import { runFolder } from "./run_folders.ts";
import { hooke, tempFolder } from "./session.ts";

const where = (i: number) => `value ${i}`;

Deno.test("statistics of differences: known answers, and values that are not finite", () => {
  const pair = { quantity: "energy", unit: "eV", a: [1, 2, 3, NaN], b: [1, 5, -1, NaN], where };
  assertEquals(parityOf(pair), {
    quantity: "energy",
    unit: "eV",
    n: 4,
    mae: 7 / 4,
    rmse: Math.sqrt(25 / 4),
    max: 4,
    where: "value 2",
    bias: -1 / 4,
  });
  const lost = parityOf({ ...pair, b: [9, NaN, 3, NaN] });
  assertEquals([lost.max, lost.mae, lost.where], [NaN, NaN, "value 1"]);
  assertEquals(parityOf({ ...pair, b: pair.a }).where, "");
});

Deno.test("tolerances are for all quantities or for one", () => {
  const tolerances = readTolerances(["0.01", "forces=0.5, final energy=0"]);
  assertEquals(["forces", "energy", "final energy"].map((name) => toleranceOf(tolerances, name)), [
    0.5,
    0.01,
    0,
  ]);
  assertEquals(toleranceOf(readTolerances(["forces=1"]), "energy"), undefined);
});

/** A frame with a dimer of argon and its Lennard-Jones energy and forces, which have the given errors. */
function dimer(r: number, energyError: number, forceError: number): string {
  const s6 = (3.4 / r) ** 6, force = 24 * 0.0104 * (2 * s6 ** 2 - s6) / r;
  const energy = 4 * 0.0104 * (s6 ** 2 - s6) + energyError;
  return `2\nProperties=species:S:1:pos:R:3:forces:R:3 pbc="F F F" energy=${energy}\n` +
    `Ar 0 0 0 ${-force} 0 0\nAr ${r} 0 0 ${force} 0 ${forceError}\n`;
}

Deno.test("compare finds the errors of energies and forces in a file, and where they are", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, svg = `${folder.path}/p.svg`;
  await Deno.writeTextFile(
    from,
    dimer(3.7, 0, 0) + dimer(3.9, -0.002, 0.5) + dimer(4, 0, 0),
  );
  const args = ["compare", "lj:argon", "--structures", from];
  const { code, out } = await hooke([...args, "--json", "-o", svg]);
  assertEquals(code, 0);
  const [energy, forces] = out.split("\n").map((line) => JSON.parse(line));
  assertEquals([energy.quantity, energy.n, energy.where], ["energy", 3, `${from}@1`]);
  assertAlmostEquals(energy.max, 0.001, 1e-4); // the built-in potential has a shift at its cutoff
  assertEquals([forces.n, forces.where], [18, `${from}@1, atom 1 (Ar), z`]);
  assertAlmostEquals(forces.max, 0.5, 1e-6);
  assertAlmostEquals(forces.mae, 0.5 / 18, 1e-4);
  const text = await Deno.readTextFile(svg);
  assertEquals(text.match(/<circle class="dot/g)?.length, 3 + 18);
  assertStringIncludes(text, 'aria-label="forces, eV/Å: n 18, MAE 0.02');
  const strict = await hooke([...args, "-t", "energy=0.01", "-t", "forces=0.1"]);
  assertEquals(strict.code, 3);
  assertMatch(
    strict.out,
    /quantity +unit +n +MAE +RMSE +max +mean +place of max\nenergy +eV\/atom +3 /,
  );
  assertMatch(strict.out, /\nforces, eV\/Å: A to the right, B upwards/);
  assertMatch(strict.err, /^forces differs by 0\.5 eV\/Å \(.*\), more than the tolerance of 0\.1$/);
  assertEquals((await hooke([...args, "-t", "0.6", "-q"])).code, 0);
  const more = ["-t", "0", "-q", "--set", "modelOptions.cutoff=5"]; // for both, if they are ONNX files
  const two = await hooke(["compare", "lj:argon", "lj:argon", "-s", from, ...more]);
  assertEquals([two.code, two.err], [0, ""]);
});

Deno.test("compare takes periodic images of files of structures as equal, and refuses other atoms", async () => {
  await using folder = await tempFolder();
  const { path } = folder, crystal = rattle(fcc({ element: "Ar", a: 5.3 }), 0.05, 1);
  const moved = crystal.positions.slice();
  moved[0]! += 5.3;
  moved[4]! += 0.25 - 2 * 5.3;
  const { cell, symbols } = crystal;
  const at = (symbols: string[], positions: Iterable<number> = moved, pbc = true) =>
    new System({ symbols, positions: [...positions], cell, pbc });
  const write = async (name: string, ...systems: System[]) => {
    await Deno.writeTextFile(`${path}/${name}.xyz`, writeExtxyz(systems));
    return `${path}/${name}.xyz`;
  };
  const a = await write("a", crystal), b = await write("b", at(symbols));
  const { out } = await hooke(["compare", a, b, "--json"]);
  const [positions, cells] = out.split("\n").map((line) => JSON.parse(line));
  assertEquals([positions.quantity, positions.where], ["positions", `${a}, atom 1 (Ar), y`]);
  assertAlmostEquals(positions.max, 0.25, 1e-6);
  assertEquals([cells.quantity, cells.max], ["cell", 0]);
  const mixed = (order: string) => at([...order].map((one) => one === "A" ? "Ar" : "Kr"));
  const wrong: [System[], System[], string][] = [
    [
      [mixed("AAKK")],
      [mixed("AKAK")],
      "the atoms have another order: atom 1 is Ar in A and Kr in B",
    ],
    [[mixed("AAKK")], [mixed("AAAK")], "the atoms differ: atom 2 is Kr in A and Ar in B"],
    [[at(["Ar"], [0, 0, 0])], [crystal], "A has 1 atoms, and B has 4"],
    [[crystal, crystal], [crystal], "A has 2 structures, and B has 1"],
    [[crystal], [at(symbols, moved, false)], "A is periodic in x, y, z, and B in no direction"],
  ];
  for (const [one, other, message] of wrong) {
    const { code, err } = await hooke([
      "compare",
      await write("c", ...one),
      await write("d", ...other),
    ]);
    assertEquals(code, 2);
    assertStringIncludes(err, message);
  }
});

Deno.test("compare compares logs step by step, and final structures", async () => {
  await using folder = await tempFolder();
  const a = await runFolder(`${folder.path}/a`), b = await runFolder(`${folder.path}/b`);
  const log = (await Deno.readTextFile(`${b}/log.csv`)).split("\n");
  const changed = log.map((line) => line.replace(/^40,40,0,20,/, "40,40,0,23,"));
  await Deno.writeTextFile(`${b}/log.csv`, changed.join("\n"));
  for (const [run, x] of [[a, 0], [b, 0.5]] as const) {
    const frame = `1\nProperties=species:S:1:pos:R:3 energy=${-1 - x}\nAr ${x} 0 0\n`;
    await Deno.writeTextFile(`${run}/final.xyz`, frame);
  }
  const { code, out } = await hooke(["compare", a, `${b}/`, "-q"]);
  assertEquals(code, 0);
  assertStringIncludes(out, "9 steps of the logs, from 0 to 80, and 1 final structure");
  assertMatch(out, /\ntemperature +K +9 +0\.3333 +1 +3 +0\.3333 +step 40\n/);
  assertMatch(out, /\nenergy +eV +9 +0 +0 +0 +0\n/);
  assertMatch(out, /\nfinal energy +eV\/atom +1 +0\.5 /);
  assertMatch(out, /\nfinal positions +Å +3 +0\.1667 .* 0\.5 /);
  const one = await hooke(["compare", a, b, "-c", "temp", "--json", "-t", "temperature=2"]);
  assertEquals(one.code, 3);
  const [first] = one.out.split("\n").map((line) => JSON.parse(line));
  assertEquals([first.quantity, first.tolerance, first.exceeded], ["temperature", 2, true]);
  // Logs of different lengths
  await Deno.writeTextFile(`${b}/log.csv`, `${changed.slice(0, 7).join("\n")}\n`);
  const short = await hooke(["compare", a, b]);
  assertEquals(short.code, 2);
  assertStringIncludes(
    short.err,
    "their steps differ. A has 9 rows to step 80, and B has 6 to step 50; where A has step 60, B has ended",
  );
  const common = await hooke(["compare", `${a}/log.csv`, `${b}/log.csv`, "--common", "-q"]);
  assertStringIncludes(common.out, "6 steps of the logs, from 0 to 50;");
});

Deno.test("compare compares screenings, and says what cannot be compared", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  const [a, b] = await Promise.all(
    ["a", "b"].map((name) => runFolder(`${path}/${name}`, { command: "screen" })),
  );
  const run = await runFolder(`${path}/run`);
  const lines = (await Deno.readTextFile(`${b}/status.jsonl`)).replace(
    '"energy":-1',
    '"energy":-1.4',
  );
  await Deno.writeTextFile(
    `${b}/status.jsonl`,
    lines.replace('"status":"failed"', '"status":"converged"'),
  );
  const { out, err } = await hooke(["compare", a!, b!, "-q"]);
  assertMatch(out, /\nenergy +eV\/atom +3 +0\.03333 .* a\.xyz@0\n/);
  assertStringIncludes(err, "Note: a.xyz@3: failed in A, converged in B");
  const tested = await hooke(["compare", a!, b!, "-q", "-t", "1000"]);
  assertStringIncludes(tested.err, "Structures have failed in A or B alone");
  assertEquals(tested.code, 3);
  await Deno.writeTextFile(`${b}/status.jsonl`, `${lines.split("\n").slice(0, 2).join("\n")}\n`);
  await Deno.writeTextFile(`${path}/x.xyz`, writeExtxyz([fcc({ element: "Ar", a: 5 })]));
  const wrong: [string[], string][] = [
    [[], "Cannot compare nothing: pass two run folders, logs or files"],
    [[a!, b!, run], "pass two run folders"],
    [[a!, b!], "2 of their structures are in one only, such as a.xyz@2. Pass --common"],
    [[a!, run], "A is a screening, and B is a run folder"],
    [[`${path}/none`, run], "none: there is no such file or folder"],
    [[path, run], "pass run folders, which have a config.json"],
    [[run, run, "-c", "foo"], "Cannot compare column foo: the columns are temperature, energy"],
    [
      [run, run, "-t", "foo=1"],
      "Cannot use --tolerance foo=1: the quantities are temperature, energy",
    ],
    [[run, run, "-t", "-1"], "must be a number of at least 0"],
    [["lj", "-s", `${path}/x.xyz`], "x.xyz has no energy to compare with"],
    [["lj", "lj", "-s", `${path}/x.xyz`, "--common"], "Cannot use --common"],
    [
      ["lj", "model.onnx"],
      "Cannot compare lj: it is a potential; pass structures for two potentials",
    ],
    [["LJ:argon", "lj"], "--structures FILE"],
    [[run, run, "-o", "a.png"], "must end with .svg"],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await hooke(["compare", ...args]);
    assertEquals(code, 2, err);
    assertStringIncludes(err, message);
  }
  assert(
    (await hooke(["compare", a!, b!, "--common"])).out.includes("2 structures that have a result"),
  );
});

Deno.test("compare says which values only one file of structures has", async () => {
  await using folder = await tempFolder();
  const crystal = fcc({ element: "Ar", a: 5 }),
    [a, b] = ["a", "b"].map((name) => `${folder.path}/${name}.xyz`);
  await Deno.writeTextFile(a!, writeExtxyz([crystal]));
  const energetic = Batch.from([crystal]);
  energetic.set("energy", [-1]);
  await Deno.writeTextFile(b!, writeExtxyz(energetic.systems()));
  const { code, err } = await hooke(["compare", a!, b!, "-q"]);
  assertEquals([code, err], [0, "Note: Only B has energy"]);
});
