import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { OldRun } from "../../src/cli/run/old_run.ts";
import { writeToSink } from "../../src/cli/run/replaced_file.ts";
import { openRunFolder } from "../../src/config/runs/mod.ts";
import { hookeProcess } from "./child.ts";
import { hooke, tempFolder } from "./session.ts";

const CRYSTAL = writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26, cells: 1 }), 0.1, 1)]);
const SHORT = ["--model", "lj:argon", "--steps", "2", "-q"];

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}

/** Writes a structure and runs two steps in the folder `run`. */
async function begun(folder: string): Promise<{ from: string; run: string; id: string }> {
  const from = `${folder}/a.xyz`, run = `${folder}/run`;
  await Deno.writeTextFile(from, CRYSTAL);
  const { code, err } = await hooke(["md", from, "-o", run, ...SHORT]);
  assertEquals([code, err], [0, ""]);
  return { from, run, id: await idOf(run) };
}

async function idOf(run: string): Promise<string> {
  return JSON.parse(await Deno.readTextFile(`${run}/config.json`)).id;
}

Deno.test("--overwrite replaces a run, and --dry-run and a failed command leave it as it is", async () => {
  await using folder = await tempFolder();
  const { from, run, id } = await begun(folder.path);
  const again = (...more: string[]) => hooke(["md", from, "-o", run, "--overwrite", ...more]);
  assertEquals((await again(...SHORT, "--dry-run")).code, 0);
  assertEquals(await idOf(run), id);
  assertEquals((await again("--model", `${folder.path}/none.onnx`)).code, 2);
  assertEquals(await idOf(run), id);
  const wrong = await again(...SHORT, "--dt", "1000");
  assertMatch(wrong.err, /dt must be/);
  assertEquals([await idOf(run), await namesIn(folder.path)], [id, ["a.xyz", "run"]]);
  assertEquals((await again(...SHORT)).code, 0);
  assertEquals([await idOf(run) === id, await namesIn(folder.path)], [false, ["a.xyz", "run"]]);
});

Deno.test("a run that a killed --overwrite has moved aside is moved back, unless another run has taken its place", async () => {
  await using folder = await tempFolder();
  const { from, run, id } = await begun(folder.path);
  const aside = `${run}.old-${crypto.randomUUID()}`;
  await Deno.rename(run, aside);
  const { code, err } = await hooke(["md", from, "-o", run, ...SHORT]);
  assertEquals(code, 2);
  assertMatch(err, /an interrupted --overwrite had moved to .*run\.old-.* is there again/);
  assertEquals([await idOf(run), await namesIn(folder.path)], [id, ["a.xyz", "run"]]);
  // A killed process may leave the folder of a run that has not done a step.
  await Deno.rename(run, aside);
  await Deno.mkdir(run);
  await Deno.copyFile(`${aside}/config.json`, `${run}/config.json`);
  const wrong = ["--overwrite", "--dt", "1000"];
  assertMatch((await hooke(["md", from, "-o", run, ...SHORT, ...wrong])).err, /dt must be/);
  assertEquals([await idOf(run), await namesIn(folder.path)], [id, ["a.xyz", "run"]]);
  // The run in the folder has replaced the one aside, so that the next --overwrite removes both.
  await Deno.mkdir(aside);
  const again = await hooke(["md", from, "-o", run, ...SHORT, "--overwrite"]);
  assertEquals([again.code, again.err], [0, ""]);
  assertEquals([await idOf(run) === id, await namesIn(folder.path)], [false, ["a.xyz", "run"]]);
});

Deno.test("a run that another process has moved aside stays there while that process runs", async () => {
  await using folder = await tempFolder();
  const { from, run, id } = await begun(folder.path);
  const old = await OldRun.moveAside(run);
  assertEquals((await hooke(["md", from, "-o", run, ...SHORT])).code, 0);
  assertEquals(await idOf(old.path), id);
  old.release();
});

Deno.test("--overwrite refuses folders of other programs, and runs with other files or the input in them", async () => {
  await using folder = await tempFolder();
  const { from, run, id } = await begun(folder.path), project = `${folder.path}/project`;
  await Deno.mkdir(project);
  await Deno.writeTextFile(`${project}/config.json`, '{"model_type":"bert"}');
  await Deno.writeTextFile(`${project}/main.js`, "");
  for (const command of ["md", "screen"]) {
    const { code, err } = await hooke([command, from, "-o", project, "--overwrite", ...SHORT]);
    assertEquals(code, 2);
    assertMatch(err, /Cannot replace .*project: it is not a run folder/);
    assertEquals(await namesIn(project), ["config.json", "main.js"]);
  }
  const inside = await hooke(["md", `${run}/final.xyz@0`, "-o", run, "--overwrite", ...SHORT]);
  assertMatch(inside.err, /Cannot replace .*run: the run would read .*final\.xyz@0 in it/);
  const here = await hookeProcess(["md", from, "-o", ".", "--overwrite", ...SHORT], { cwd: run });
  assertMatch(here.err, /Cannot replace \.: the current folder lies in it/);
  await Deno.writeTextFile(`${run}/notes.txt`, "mine");
  const noted = await hooke(["md", from, "-o", run, "--overwrite", ...SHORT]);
  assertMatch(noted.err, /it has files that no run has written, such as notes\.txt/);
  assertEquals([inside.code, here.code, noted.code], [2, 2, 2]);
  assertEquals([await idOf(run), await Deno.readTextFile(`${run}/notes.txt`)], [id, "mine"]);
});

Deno.test("--overwrite refuses a run that is still going on", async () => {
  await using folder = await tempFolder();
  const { from, run, id } = await begun(folder.path);
  {
    await using _busy = await openRunFolder(run);
    const { code, err } = await hooke(["md", from, "-o", run, "--overwrite", ...SHORT]);
    assertEquals(code, 1);
    assertStringIncludes(err, "Wait until that run ends");
  }
  assertEquals(await idOf(run), id);
});

Deno.test("a run that fails before its first step leaves no folder", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, run = `${folder.path}/run`, made = `${folder.path}/made`;
  await Deno.writeTextFile(from, CRYSTAL);
  await Deno.writeTextFile(`${folder.path}/m.xyz`, "1\n\nAr 0 0 0\n");
  await Deno.mkdir(made);
  const failures = [
    [from, "-o", run, ...SHORT, "--dt", "1000"],
    [`${folder.path}/m.xyz`, "-o", run, ...SHORT, "--ensemble", "npt"],
    [from, "-o", made, ...SHORT, "--dt", "1000"],
  ];
  for (const args of failures) {
    const { code, err } = await hooke(["md", ...args]);
    assertEquals([code > 0, err === ""], [true, false], err);
  }
  assertEquals([await namesIn(folder.path), await namesIn(made)], [["a.xyz", "m.xyz", "made"], []]);
  assertEquals((await hooke(["md", from, "-o", run, ...SHORT])).code, 0);
});

Deno.test("--overwrite removes files and Zarr stores, and no other folders", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, store = `${folder.path}/s.zarr`;
  await Deno.writeTextFile(from, CRYSTAL);
  for (const name of ["b.xyz", "b.cif", "b.zarr"]) {
    const to = `${folder.path}/${name}`;
    await Deno.mkdir(to);
    await Deno.writeTextFile(`${to}/thesis.tex`, "mine");
    const commands = [["convert", from, to], ["relax", from, "-o", to], [
      "singlepoint",
      from,
      "-o",
      to,
    ]];
    for (const args of commands) {
      const { code, err } = await hooke([...args, "--overwrite"]);
      assertEquals(code, 2, err);
      assertMatch(err, /Cannot replace .*: it is a folder/);
    }
    assertEquals(await Deno.readTextFile(`${to}/thesis.tex`), "mine");
  }
  for (let i = 0; i < 2; i++) {
    assertEquals((await hooke(["convert", from, store, "--overwrite"])).code, 0);
    assertEquals((await hooke(["singlepoint", from, "-o", store, "--overwrite"])).code, 0);
  }
  assertMatch((await hooke(["inspect", store])).out, /1 structure|1 frame/);
  assertEquals(await namesIn(folder.path), ["a.xyz", "b.cif", "b.xyz", "b.zarr", "s.zarr"]);
});

Deno.test("relax --overwrite replaces the trajectory, and a relaxation that does not start keeps it", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, traj = `${folder.path}/t.xyz`;
  await Deno.writeTextFile(from, CRYSTAL);
  const relax = (...more: string[]) =>
    hooke(["relax", from, "-o", `${folder.path}/b.xyz`, "--traj", traj, "--overwrite", ...more]);
  assertEquals((await relax()).code, 0);
  const once = await Deno.readTextFile(traj);
  assertEquals((await relax()).code, 0);
  assertEquals(await Deno.readTextFile(traj), once);
  assertMatch((await relax("--set", "engineOptions.foo=1")).err, /foo/);
  assertEquals(await Deno.readTextFile(traj), once);
  assertEquals(await namesIn(folder.path), ["a.xyz", "b.xyz", "t.xyz"]);
});

Deno.test("an old result stays if the new one cannot be written", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/b.xyz`;
  await Deno.writeTextFile(path, "old");
  const fail = () => Promise.reject(new Error("the disk is full"));
  await assertRejects(() => writeToSink(path, fail), Error, "the disk is full");
  assertEquals([await Deno.readTextFile(path), await namesIn(folder.path)], ["old", ["b.xyz"]]);
});

Deno.test("names of results that collide are refused before the run", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`, from = at("a.xyz");
  await Deno.mkdir(at("other"));
  for (const path of [from, at("other/a.xyz")]) await Deno.writeTextFile(path, CRYSTAL);
  const run = at("run"), z = at("z.xyz");
  const wrong: [string[], RegExp][] = [
    [["md", from, "-o", run, "--traj", "final.xyz"], /the run writes another file of this name/],
    [["md", from, "-o", run, "--traj", "Final.xyz"], /the run writes another file of this name/],
    [["md", from, "-o", run, "--traj", "logs/x.xyz"], /logs has other files/],
    [["md", from, "-o", run, "--traj", "../x.xyz"], /it is a name in the run folder/],
    [["md", from, "-o", run, "--traj", at("x.xyz")], /it is a name in the run folder/],
    [["md", from, "-o", run, "--traj", "t.csv"], /its name must end with one of \.xyz/],
    [["screen", from, "-o", run, "--results", "status.csv"], /must end with one of/],
    [["screen", from, "-o", run, "--results", "status.jsonl"], /the run writes another file/],
    [["relax", from, "-o", z, "--traj", z], /Cannot write two results to .*z\.xyz/],
    [["relax", from, "-o", z, "-o", `${folder.path}/./z.xyz`], /Cannot write two results to/],
    [["relax", from, "-o", z, "--traj", from, "--overwrite"], /the command reads it/],
    [["relax", from, at("other/a.xyz")], /the results of .*a\.xyz and .*other\/a\.xyz to one file/],
    [["singlepoint", from, at("other/a.xyz")], /to one file a\.singlepoint\.xyz/],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await hooke(args);
    assertEquals(code, 2, err);
    assertMatch(err, message);
  }
  assertEquals(await namesIn(folder.path), ["a.xyz", "other"]);
});

Deno.test("--overwrite knows all files of a run: with stores and databases, and of screenings", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`;
  await Deno.writeTextFile(from, CRYSTAL);
  for (const args of [["md", "--traj", "t.zarr"], ["md", "--traj", "t.db"], ["screen"]]) {
    for (let i = 0; i < 2; i++) {
      const to = `${folder.path}/${args.at(-1)}.run`, [command, ...more] = args;
      const { err } = await hooke([command!, from, "-o", to, "--overwrite", ...SHORT, ...more]);
      assertEquals(err, "");
    }
  }
});

Deno.test("commands name a missing model before existing results", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, model = `${folder.path}/missing.onnx`;
  await Deno.writeTextFile(from, writeExtxyz([fcc({ element: "Ar", a: 5.3 })]));
  for (const command of ["relax", "singlepoint", "md", "screen"]) {
    const to = `${folder.path}/${command}.xyz`, args = [command, from, "-o", to];
    await Deno.writeTextFile(to, "");
    const { code, err } = await hooke([...args, "--model", model]);
    assertEquals(code, 2);
    assertStringIncludes(err, `Cannot use --model ${model}: no such file. `);
    const existing = await hooke(args);
    assertStringIncludes(existing.err, to); // with a model, the result is named
  }
});
