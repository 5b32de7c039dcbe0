import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { hooke, tempFolder } from "./session.ts";

/** Writes a structure, and runs four steps in a folder. Returns the path of the run. */
async function begun(folder: string): Promise<string> {
  const from = `${folder}/a.xyz`, run = `${folder}/run`;
  await Deno.writeTextFile(
    from,
    writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]),
  );
  const { code, err } = await hooke(["md", from, "-o", run, "--steps", "4", "-q"]);
  assertEquals([code, err], [0, ""]);
  return run;
}

Deno.test("resume --override keeps the configuration if the run does not begin with the new one", async () => {
  await using folder = await tempFolder();
  const run = await begun(folder.path), before = await Deno.readTextFile(`${run}/config.json`);
  await Deno.writeTextFile(
    `${folder.path}/hook.ts`,
    `export default { name: "spoiler", on: {}, open() { throw new Error("no hook"); } };`,
  );
  const resume = (...more: string[]) => hooke(["resume", run, "--steps", "8", "-q", ...more]);
  const failures: [string[], string][] = [
    [["--set", "engineOptions.foo=1"], "foo"],
    [["--hooks", `${folder.path}/hook.ts`], "no hook"],
  ];
  for (const [args, reason] of failures) {
    const { code, err } = await resume(...args, "--override");
    assertEquals(code > 0, true);
    assertStringIncludes(err, reason);
    assertEquals(await Deno.readTextFile(`${run}/config.json`), before);
  }
  const done = await resume();
  assertEquals([done.code, done.err], [0, ""]);
  const warmer = await resume("--steps", "12", "--temperature", "50", "--override");
  assertEquals(warmer.code, 0, warmer.err);
  const { config } = JSON.parse(await Deno.readTextFile(`${run}/config.json`));
  assertEquals([config.temperature, config.steps], [50, 12]);
});

Deno.test("resume refuses another ensemble, thermostat or trajectory, and fewer steps than were done", async () => {
  await using folder = await tempFolder();
  const run = await begun(folder.path), before = await Deno.readTextFile(`${run}/config.json`);
  const wrong: [string[], RegExp][] = [
    [["--ensemble", "npt"], /ensemble was nvt and is npt, and a run keeps its ensemble/],
    [["--thermostat", "bussi"], /thermostat was langevin and is bussi, and a run keeps/],
    [["--traj", "other.xyz"], /traj was trajectory\.xyz and is other\.xyz, and a run keeps/],
    [["--steps", "3"], /until step 3: the run has done 4 steps/],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await hooke(["resume", run, "-q", "--override", ...args]);
    assertEquals(code, 2, err);
    assertMatch(err, message);
    assertEquals(await Deno.readTextFile(`${run}/config.json`), before);
  }
  assertEquals(
    await Array.fromAsync(Deno.readDir(run)).then((all) =>
      all.some(({ name }) => name === "other.xyz")
    ),
    false,
  );
});
