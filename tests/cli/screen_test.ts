import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { Ledger } from "../../src/cli/screen/ledger.ts";
import { secondsLeft, totalText } from "../../src/cli/screen/progress.ts";
import { until } from "../timers.ts";
import { openSink } from "../../src/sinks/mod.ts";
import { hooke, tempFolder } from "./session.ts";

/** Defects of files, by the index of the file. */
const BROKEN: Readonly<Record<number, (text: string) => string>> = {
  10: () => "nonsense\n",
  20: () => "",
  30: (text) => text.replaceAll("Ar ", "Cu "), // the potential has no copper
  40: (text) => text.slice(0, text.length / 2),
  50: () => "2\n\nAr 0 0 0\nAr 0 0 0\n", // two atoms at one place
  60: () => "1\n\nAr nan 0 0\n",
  70: () => "1\n\nXx 0 0 0\n",
  80: () => '2\nLattice="1 0 0 0 1 0 0 0 0" pbc="T T T"\nAr 0 0 0\nAr 0 0 3\n',
  90: () => "3\n\nAr 0 0 0\n",
  100: () => "1\n\nAr 0 0\n",
};

/** Writes files of displaced crystals to a folder with a subfolder. */
async function written(folder: string, count: number, broken: typeof BROKEN = {}): Promise<void> {
  await Deno.mkdir(`${folder}/sub`, { recursive: true });
  for (let i = 0; i < count; i++) {
    const crystal = rattle(fcc({ element: "Ar", a: 5.26, cells: 1 + i % 2 }), 0.05, i);
    const text = writeExtxyz([crystal]);
    const name = `${folder}/${i % 3 === 0 ? "sub/" : ""}s${String(i).padStart(3, "0")}.xyz`;
    await Deno.writeTextFile(name, broken[i]?.(text) ?? text);
  }
}

async function rowsOf(folder: string): Promise<string[][]> {
  const [head, ...rows] = (await Deno.readTextFile(`${folder}/status.csv`)).trimEnd().split("\n");
  assertEquals(head, "file,frame,atoms,status,steps,energy/eV,fmax/(eV/Å),reason");
  return rows.map((row) => row.split(","));
}

Deno.test("of 200 files with 10 broken ones, 190 are relaxed, 10 are named with a reason, and the code is 3", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/in`, to = `${folder.path}/out`;
  await written(from, 200, BROKEN);
  const { code, out, err } = await hooke(["screen", from, "-o", to, "--fmax", "0.01"]);
  assertEquals([code, err], [3, ""]);
  assertStringIncludes(out, "190 converged, 0 not converged, 10 failed; 200 structures in");
  assertEquals(out.match(/^ {2}failed: .*: ./gm)!.length, 10);
  const rows = await rowsOf(to);
  assertEquals(rows.length, 200);
  const report = await Deno.readTextFile(`${to}/report.html`);
  for (const part of ["Steps until convergence", "First result", "<dt>failed</dt><dd>10</dd>"]) {
    assertStringIncludes(report, part);
  }
  assertEquals((await hooke(["report", to, "-q"])).code, 0);
  assertEquals(
    await Deno.readTextFile(`${to}/report.html`),
    report,
    "the same from the files alone",
  );
  const failed = rows.filter(([, , , status]) => status === "failed");
  const indices = failed.map(([file]) => Number(/s(\d+)\.xyz/.exec(file!)![1]));
  assertEquals(indices.sort((a, b) => a - b), Object.keys(BROKEN).map(Number));
  for (const row of failed) assert(row.slice(7).join(",").length > 10, row.join(","));
  const reasons = Object.fromEntries(failed.map((row, i) => [i, row.slice(7).join(",")]));
  const text = Object.values(reasons).join("\n");
  for (const part of ["it is empty", "is Cu", "diverged", "not finite", "must be an element"]) {
    assertStringIncludes(text, part);
  }
  // Each structure has the result that it has alone.
  const results = parseExtxyz(await Deno.readTextFile(`${to}/results.xyz`));
  assertEquals(results.length, 190);
  for (const file of [`${from}/s001.xyz`, `${from}/sub/s198.xyz`]) {
    const own = `${folder.path}/own.xyz`;
    await hooke(["relax", file, "-o", own, "--fmax", "0.01", "--overwrite"]);
    const [alone] = parseExtxyz(await Deno.readTextFile(own));
    const here = results.find(({ info }) => info.file === file)!;
    assertEquals([...here.positions], [...alone!.positions]);
    assertEquals(here.energy, alone!.energy);
    const row = rows.find(([name]) => name === file)!;
    assertEquals([row[3], Number(row[5])], ["converged", alone!.energy]);
  }
});

Deno.test("a screening that was stopped goes on where it was, with the same results, each once", async () => {
  await using folder = await tempFolder();
  const cwd = folder.path;
  await written(`${cwd}/in`, 60, { 50: BROKEN[50]! });
  // No structure converges, so that those after the first have steps left when it is reported.
  const slow = ["--fmax", "1e-9", "--optimizer", "fire", "--dt", "0.02", "--steps", "100"];
  const args = ["screen", "in", ...slow, "--batch-atoms", "64", "--json"];
  const stop = new AbortController();
  const onLine = (line: string) => line.includes('"screened"') && stop.abort("SIGTERM");
  const inFolder = async (path: string, ...rest: Parameters<typeof hooke>) => {
    const home = Deno.cwd();
    Deno.chdir(path);
    try {
      return await hooke(...rest);
    } finally {
      Deno.chdir(home);
    }
  };
  const stopped = await inFolder(cwd, [...args, "-o", "part"], { signal: stop.signal, onLine });
  assertEquals(stopped.code, 143, stopped.err);
  assertMatch(stopped.err, /Interrupted\. To continue, run: .* resume \/.*\/part$/m);
  const before = (await rowsOf(`${cwd}/part`)).length;
  assert(before > 0 && before < 60, `${before} of 60 were finished`);
  // The command works in any folder, although the paths of the screening are relative.
  const resumed = await inFolder(`${cwd}/..`, ["resume", `${cwd}/part`, "-q"]);
  assertEquals([resumed.code, resumed.err], [3, ""]);
  const whole = await inFolder(cwd, [...args, "-o", "whole"]);
  assertEquals(whole.code, 3);
  assertEquals(await rowsOf(`${cwd}/part`), await rowsOf(`${cwd}/whole`));
  const structures = async (name: string) =>
    parseExtxyz(await Deno.readTextFile(`${cwd}/${name}/results.xyz`))
      .map(({ info, positions }) => [String(info.file), ...positions])
      .sort(([a], [b]) => a! < b! ? -1 : 1);
  assertEquals(await structures("part"), await structures("whole"));
  const other = await inFolder(cwd, ["resume", "part", "--steps", "5"]);
  assertEquals(other.code, 2);
  assertStringIncludes(other.err, "a screening goes on with the options that it has");
});

Deno.test("structures that do not converge are counted, and files with many frames have a row for each", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/frames.xyz`, to = `${folder.path}/out`;
  const frames = [1, 2, 3].map((seed) => rattle(fcc({ element: "Ar", a: 5.26 }), 0.2, seed));
  await Deno.writeTextFile(from, writeExtxyz(frames));
  const args = ["screen", from, "-o", to, "--steps", "1", "--fmax", "1e-6", "--json"];
  const { code, out } = await hooke(args);
  assertEquals(code, 3);
  const lines = out.split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.slice(0, 3).map(({ frame, status, steps }) => [frame, status, steps]), [
    [0, "not converged", 1],
    [1, "not converged", 1],
    [2, "not converged", 1],
  ]);
  assertEquals([lines[3].type, lines[3].notConverged], ["end", 3]);
  const wrong: [string[], string][] = [
    [[from, "-o", to], "it has a run. Pass --overwrite to replace it"],
    [[], "pass a folder or files of structures"],
    [[to, "-o", `${folder.path}/x`, "--results", "a.pdf"], "its name must end with one of .xyz"],
    [[from, "-o", `${folder.path}/x`, "--pressure", "1"], "pass --cell or --isotropic, too"],
  ];
  for (const [rest, message] of wrong) {
    const { code, err } = await hooke(["screen", ...rest]);
    assertEquals(code, 2, err);
    assertStringIncludes(err, message);
  }
  await Deno.mkdir(`${folder.path}/empty`);
  const { code: none, err } = await hooke(["screen", `${folder.path}/empty`]);
  assertEquals(none, 2);
  assertStringIncludes(err, "it has no structure files (.xyz");
});

Deno.test("an element that the potential lacks does not set structures of the others aside", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/in`, to = `${folder.path}/out`;
  await Deno.mkdir(from);
  const structures = { a: ["Ar", "Ar", "Fe"], b: ["Ar", "Ar"], c: ["Ar", "Fe"], d: ["Ar", "NaN"] };
  for (const [name, symbols] of Object.entries(structures)) {
    const rows = symbols.map((each, i) => each === "NaN" ? `Ar 0 nan 0` : `${each} 0 0 ${3.8 * i}`);
    await Deno.writeTextFile(`${from}/${name}.xyz`, [symbols.length, "", ...rows, ""].join("\n"));
  }
  const { code, err } = await hooke(["screen", from, "-o", to, "-q"]);
  assertEquals(code, 3, err);
  const [, ...rows] = (await Deno.readTextFile(`${to}/status.csv`)).trimEnd().split("\n");
  for (
    const [i, end] of [
      /atom 2 is Fe"$/,
      /,converged,.*,$/,
      /atom 1 is Fe"$/,
      /atom 1 is not finite$/,
    ].entries()
  ) {
    assertMatch(rows[i]!, end);
  }
});

Deno.test("first results come long before the last ones, so that an interruption keeps them", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/in`, to = `${folder.path}/out`;
  await written(from, 48); // no structure converges
  const stop = new AbortController();
  const options = { signal: stop.signal, onLine: () => stop.abort("SIGINT") };
  const args = ["screen", from, "-o", to, "--fmax", "1e-12", "--steps", "300", "--json"];
  const { code, err } = await hooke(args, options);
  assertEquals(code, 130, err);
  const { length } = await rowsOf(to);
  assert(length > 0 && length < 24, `${length} of 48 were finished`);
});

Deno.test("structures that have converged when a screening is interrupted are written", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/frames.xyz`, to = `${folder.path}/out`;
  const still = fcc({ element: "Ar", a: 5.26 });
  await Deno.writeTextFile(
    from,
    writeExtxyz([still, ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((seed) => rattle(still, 0.2, seed))]),
  );
  const stop = new AbortController();
  Object.assign(globalThis, { stopScreening: () => stop.abort("SIGINT") });
  const hooks = `${folder.path}/stop.ts`;
  await Deno.writeTextFile(
    hooks,
    'let n = 0; export default { name: "stop", stage: "dynamics/AFTER_STEP", frequency: 1, ' +
      "call() { if (++n === 3) globalThis.stopScreening(); } };",
  );
  const args = ["screen", from, "-o", to, "--fmax", "1e-6", "--hooks", hooks];
  const { code, err } = await hooke(args, { signal: stop.signal });
  assertEquals(code, 130, err);
  const rows = await rowsOf(to);
  assertEquals(rows.map(([, frame, , status]) => [frame, status]), [["0", "converged"]]);
  const [only, ...others] = parseExtxyz(await Deno.readTextFile(`${to}/results.xyz`));
  assertEquals([only!.energy, others.length], [Number(rows[0]![5]), 0]);
  await hooke(["resume", to, "-q"]);
  assertEquals((await rowsOf(to)).length, 10);
});

Deno.test("structures whose row is written, but that are not in the results of a killed screening, are relaxed again", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/frames.xyz`, to = `${folder.path}/out`;
  const frames = [1, 2, 3].map((seed) => rattle(fcc({ element: "Ar", a: 5.26 }), 0.2, seed));
  await Deno.writeTextFile(from, `${writeExtxyz(frames)}1\n\nXx 0 0 0\n`);
  assertEquals((await hooke(["screen", from, "-o", to])).code, 3);
  const whole = await Deno.readTextFile(`${to}/results.xyz`), rows = await rowsOf(to);
  const results = await openSink(`${to}/results.xyz`);
  await results.truncate(1);
  await results.close();
  const resumed = await hooke(["resume", to]);
  assertEquals(resumed.code, 3);
  const finished = await rowsOf(to).then((all) => all.length);
  assertMatch(resumed.out, /; \d+ of them in this run, in \d+\.\d s$/m);
  assert(Number(/; (\d+) of them/.exec(resumed.out)![1]) < finished);
  const order = (text: string) =>
    parseExtxyz(text).map(({ info, positions }) => `${info.file}: ${positions}`).sort();
  assertEquals(order(await Deno.readTextFile(`${to}/results.xyz`)), order(whole));
  assertEquals(await rowsOf(to), rows);
});

Deno.test("the remaining time counts atoms of finished structures, not files that were read", () => {
  const outcome = { done: 0, failed: 0, unconverged: 0 };
  const counts = { ...outcome, read: 400, inFiles: 400, files: 400, of: 400 };
  assertEquals(secondsLeft({ ...counts, doneAtoms: 0, readAtoms: 8000 }, 8), NaN);
  assertEquals(secondsLeft({ ...counts, doneAtoms: 2000, readAtoms: 8000 }, 10), 30);
  // A quarter of the files is read, so that all have about 32,000 atoms.
  assertEquals(secondsLeft({ ...counts, files: 100, doneAtoms: 8000, readAtoms: 8000 }, 10), 30);
});

Deno.test("the estimated number of structures does not count the file that is being read", () => {
  const none = { done: 0, doneAtoms: 0, readAtoms: 0, failed: 0, unconverged: 0, of: 200 };
  assertEquals(totalText({ ...none, read: 35, inFiles: 34, files: 34 }), "about 200");
  assertEquals(totalText({ ...none, read: 9, inFiles: 0, files: 0 }), "at least 9");
  // A continued screening skips the structures of the first files.
  assertEquals(totalText({ ...none, read: 5, inFiles: 4, files: 198 }), "about 5");
  assertEquals(totalText({ ...none, read: 200, inFiles: 199, files: 200 }), "200");
});

Deno.test("status.csv is written during a screening", async () => {
  await using folder = await tempFolder();
  const ledger = await Ledger.open(folder.path, { every: 0 });
  const result = { type: "screened", file: "a.xyz", atoms: 1, status: "converged" } as const;
  ledger.add({ ...result, frame: 0, steps: 1, energy: 0, fmax: 0, reason: "" });
  ledger.refresh(["a.xyz"]);
  await until(() => Deno.stat(`${folder.path}/status.csv`).then(() => true, () => false));
  assertEquals((await rowsOf(folder.path)).length, 1);
  await ledger.close(["a.xyz"]);
});

Deno.test("without --model, structures with other elements are set aside, wherever they are", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/in`, to = `${folder.path}/out`;
  await Deno.mkdir(from);
  const file = (name: string, element: string, a: number) =>
    Deno.writeTextFile(`${from}/${name}`, writeExtxyz([rattle(fcc({ element, a }), 0.05, 1)]));
  await file("a.xyz", "Cu", 3.6);
  await file("b.xyz", "Ar", 5.26);
  await file("c.xyz", "Kr", 5.65);
  const { code, err } = await hooke(["screen", from, "-o", to]);
  assertEquals([code, err], [3, ""]);
  const rows = await rowsOf(to);
  assertEquals(rows.map(([, , , status]) => status), ["failed", "converged", "converged"]);
  assertStringIncludes(rows[0]!.slice(7).join(","), "Cu");
  const text = `${folder.path}/readme.txt`;
  await Deno.writeTextFile(text, "hello\n");
  await Deno.writeTextFile(`${folder.path}/b.xyz`, "hello\n");
  for (
    const [files, message] of [
      [
        [`${from}/a.xyz`],
        `for which the built-in potential is; ${from}/a.xyz has Cu. Pass --model`,
      ],
      [[`${folder.path}/none`], /Cannot screen .*none: there is no such file or folder/],
      [[text], /readme\.txt: no structures found\. Files of structures are \.xyz/],
      [[`${folder.path}/b.xyz`], /b\.xyz: no structures found \(.*b\.xyz: line 1: /],
    ] as const
  ) {
    const wrong = await hooke(["screen", ...files, "-o", `${folder.path}/x`]);
    assertEquals(wrong.code, 2);
    if (typeof message === "string") assertStringIncludes(wrong.err, message);
    else assertMatch(wrong.err, message);
  }
});
