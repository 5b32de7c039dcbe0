import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fcc, rattle, type System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { planResults } from "../../src/cli/run/results.ts";
import { hooke, tempFolder } from "./session.ts";

/** Crystals of argon whose atoms are displaced, one per seed. */
const crystals = (...seeds: number[]) =>
  seeds.map((seed) => rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, seed));

async function written(path: string, systems: readonly System[]): Promise<string> {
  await Deno.writeTextFile(path, writeExtxyz(systems));
  return path;
}

Deno.test("relax writes the relaxed structures of all files in order, and prints a line for each", async () => {
  await using folder = await tempFolder();
  const a = await written(`${folder.path}/a.xyz`, crystals(1, 2));
  const b = await written(`${folder.path}/b.xyz`, crystals(3));
  const to = [`${folder.path}/all.xyz`, `${folder.path}/all.jsonl`];
  const { code, out, err } = await hooke([
    "relax",
    a,
    b,
    "--fmax",
    "0.01",
    "-o",
    to[0]!,
    "-o",
    to[1]!,
  ]);
  assertEquals([code, err], [0, ""]);
  const lines = out.split("\n");
  assertMatch(
    lines[0]!,
    /a\.xyz@0 {2}converged {5} *\d+ steps {2}energy -2\.6\d{5} eV {2}fmax 0\.00\d+ eV\/Å$/,
  );
  assertStringIncludes(lines[1]!, "a.xyz@1");
  assertStringIncludes(lines[2]!, "b.xyz ");
  assertEquals(lines.at(-1), `Wrote ${to.join(", ")}`);
  const relaxed = parseExtxyz(await Deno.readTextFile(to[0]!));
  assertEquals(relaxed.map(({ info }) => info.file), [`${a}@0`, `${a}@1`, b]);
  for (const system of relaxed) {
    assert(system.get("forces").every((force) => Math.abs(force) <= 0.01));
    assertEquals(system.get("stress").length, 9);
    assertEquals(system.has("velocities"), false);
  }
  assertEquals((await Deno.readTextFile(to[1]!)).trimEnd().split("\n").length, 3);
});

Deno.test("a structure that has not converged ends in 3, and is written as it is", async () => {
  await using folder = await tempFolder();
  const from = await written(`${folder.path}/a.xyz`, crystals(1));
  const to = `${folder.path}/b.xyz`;
  const args = ["relax", from, "--steps", "1", "--fmax", "1e-6", "-o", to, "--json"];
  const { code, out } = await hooke(args);
  assertEquals(code, 3);
  const { type, converged, steps, energy, fmax } = JSON.parse(
    out.split("\n").find((line) => line.includes('"relaxed"'))!,
  );
  assertEquals([type, converged, steps], ["relaxed", false, 1]);
  const [system] = parseExtxyz(await Deno.readTextFile(to));
  assertEquals(system!.energy, energy);
  assert(fmax > 1e-6);
});

Deno.test("optimizers, cells, pressure, constraints and options of the engine have their effects", async () => {
  await using folder = await tempFolder();
  const from = await written(`${folder.path}/a.xyz`, crystals(1));
  const relaxed = async (...args: string[]) => {
    const to = `${folder.path}/out.xyz`;
    const { code, err } = await hooke([
      "relax",
      from,
      "-o",
      to,
      "--overwrite",
      "--fmax",
      "0.005",
      ...args,
    ]);
    assertEquals([code, err], [0, ""], args.join(" "));
    return parseExtxyz(await Deno.readTextFile(to))[0]!;
  };
  const plain = await relaxed();
  const fire = await relaxed("--optimizer", "FIRE", "--set", "engineOptions.maxStep=0.1");
  assertAlmostEquals(fire.energy!, plain.energy!, 1e-3);
  assertEquals([...plain.cell], [...fire.cell]);
  const free = await relaxed("--opt_cell_fully"),
    pressed = await relaxed("--cell", "--pressure=0.5");
  const volume = ({ cell }: System) => cell[0]! * cell[4]! * cell[8]!;
  assert(volume(free) !== volume(plain));
  assert(volume(pressed) < 0.95 * volume(free), `${volume(pressed)} Å³`);
  const stress = pressed.get("stress")[0]!;
  assertAlmostEquals(stress, -0.5 / 160.2176634, 1e-4);
  const fixed = await relaxed("--constraints", "fix:0-1,5", "--constraints", "com");
  const before = parseExtxyz(await Deno.readTextFile(from))[0]!;
  const moved = fixed.positions.map((x, i) => Math.abs(x - before.positions[i]!));
  const isFixed = (atom: number) => moved.slice(3 * atom, 3 * atom + 3).every((x) => x < 1e-5);
  assertEquals([0, 1, 2, 5].map(isFixed), [true, true, false, true]);
});

Deno.test("--traj has the structures of all steps", async () => {
  await using folder = await tempFolder();
  const from = await written(`${folder.path}/a.xyz`, crystals(1));
  const traj = `${folder.path}/steps.xyz`;
  await hooke(["relax", from, "-o", `${folder.path}/b.xyz`, "--traj", traj, "--json"]);
  const energies = parseExtxyz(await Deno.readTextFile(traj)).map(({ energy }) => energy!);
  assert(energies.length > 1 && energies.at(-1)! < energies[0]!);
});

Deno.test("a configuration file gives options, --set more of them, and the command line wins", async () => {
  await using folder = await tempFolder();
  const from = await written(`${folder.path}/a.xyz`, crystals(1));
  const config = `${folder.path}/run.json`;
  const members = { command: "relax", struct: from, fmax: 0.01, opt_cell_fully: true, steps: 7 };
  await Deno.writeTextFile(config, JSON.stringify(members));
  const args = ["relax", "--config", config, "--set", "steps=8", "--set", "engineOptions.memory=4"];
  const { code, out } = await hooke([...args, "--fmax", "0.02", "--dry-run", "--json"]);
  assertEquals(code, 0);
  const { command, files, fmax, cell, steps, engineOptions, model } = JSON.parse(out);
  assertEquals([command, files, fmax, cell, steps], ["relax", [from], 0.02, true, 8]);
  assertEquals([engineOptions, model], [{ memory: 4 }, "lj"]);
  await Deno.writeTextFile(config, JSON.stringify({ ...members, fmaks: 1 }));
  const wrong = await hooke(args);
  assertEquals(wrong.code, 2);
  assertStringIncludes(
    wrong.err,
    `fmaks in ${config}: relax has no such option; did you mean fmax?`,
  );
});

Deno.test("a wrong input ends in 2 and says what to pass", async () => {
  await using folder = await tempFolder();
  const argon = await written(`${folder.path}/a.xyz`, crystals(1));
  const copper = await written(`${folder.path}/cu.xyz`, [fcc({ element: "Cu", a: 3.6 })]);
  const there = await written(`${folder.path}/b.xyz`, crystals(1));
  const wrong: [string[], string][] = [
    [[], "Cannot run without structures: pass at least one file"],
    [[`${folder.path}/a.foo`], "its name must end with one of .xyz, .extxyz"],
    [[`${argon}@4`], "the file has 1 frames"],
    [
      [copper],
      "cu.xyz has Cu, and the built-in potential is for He, Ne, Ar, Kr, Xe. Pass --model FILE.onnx",
    ],
    [
      [argon, "--model", "lj:argn"],
      "must be one of helium, neon, argon, krypton, xenon; did you mean argon?",
    ],
    [[argon, "--model", "lj:xenon"], "a.xyz has Ar; pass a potential for it"],
    [[argon, copper], "cu.xyz has Cu, and the built-in potential is for"],
    [
      [argon, "--arch", "mace_mp"],
      "Cannot use --model mace_mp: no such file. Pass an .onnx file, a folder",
    ],
    [[argon, "--model", folder.path], "the folder must have one .onnx file; got none"],
    [
      [argon, "--model", "https://example.org/m.onnx"],
      "must end with #sha256= and 64 hexadecimal digits",
    ],
    [[argon, "-o", there], "it exists. Pass --overwrite to replace it"],
    [[argon, "-o", `${folder.path}/x.pdf`], "its name must end with one of .xyz"],
    [[argon, "--pressure", "1"], "pass --cell or --isotropic, too"],
    [[argon, "--constraints", "fix:0-"], "atoms must be indices, ranges or elements; got 0-"],
    [[argon, "--constraints", "rigid"], "it must be com, fix:ATOMS or fix-xy:ATOMS"],
    [[argon, "--set", "fmax"], "it must be NAME=VALUE"],
    [[argon, "--set", "fmax.a=1"], "fmax has no members"],
    [[folder.path], "it is a folder. Pass its files; hooke screen relaxes all structures"],
    [[argon, "--fmax", "-1"], "--fmax: it must be a number above 0; got -1"],
    [[argon, "--fmx", "1"], "did you mean --fmax?"],
    [[argon, "--config", "run.ini"], "its name must end with .json, .yaml, .yml, .toml"],
  ];
  const to = `${folder.path}/out.xyz`;
  for (const [args, message] of wrong) {
    const { code, err } = await hooke(["relax", ...args, ...args.includes("-o") ? [] : ["-o", to]]);
    assertEquals(code, 2, err);
    assertStringIncludes(err, message);
  }
});

Deno.test("a missing or damaged file ends in 1 with its name", async () => {
  await using folder = await tempFolder();
  const bad = `${folder.path}/bad.xyz`;
  await Deno.writeTextFile(bad, "2\n\nAr 0 0 0\nAr 0 zero 0\n");
  for (
    const [file, message] of [[bad, "zero"], [
      `${folder.path}/none.xyz`,
      "there is no such file",
    ]] as const
  ) {
    const { code, err } = await hooke(["relax", file]);
    assertEquals(code, 1, err);
    assertStringIncludes(err, message);
    assert(!err.includes("\n    at "), err); // no stack
  }
});

Deno.test("an interrupted relaxation writes the structures so far and ends in 130 or 143", async () => {
  await using folder = await tempFolder();
  const from = await written(`${folder.path}/a.xyz`, crystals(1));
  for (const [reason, expected] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    const to = `${folder.path}/${reason}.xyz`;
    const args = ["relax", from, "-o", to, "--fmax", "1e-9"];
    const stop = new AbortController();
    const { code, err } = await hooke(args, {
      signal: stop.signal,
      isTerminal: false,
      onProgress: () => stop.abort(reason),
    });
    assertEquals(code, expected);
    assertStringIncludes(err, `Interrupted. To continue, relax ${to}`);
    assertEquals(parseExtxyz(await Deno.readTextFile(to)).length, 1);
  }
});

Deno.test("without -o each file gets its own file of results, in the current folder", () => {
  const system = crystals(1)[0]!;
  const structures = ["in/a.xyz", "in/a.xyz", "b.extxyz"].map((file, frame) => ({
    system,
    file,
    frame,
    label: file,
  }));
  const plan = planResults(structures, { outputs: [], what: "relaxed", overwrite: true });
  assertEquals(plan, [
    { path: "a.relaxed.xyz", structures: [0, 1] },
    { path: "b.relaxed.xyz", structures: [2] },
  ]);
});
