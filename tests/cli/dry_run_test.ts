import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { hooke, tempFolder } from "./session.ts";

Deno.test("--dry-run prints a configuration that --config reads, and that means the same", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, config = `${folder.path}/run.json`;
  await Deno.writeTextFile(from, writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26 }), 0.1, 1)]));
  const lines = [
    ["relax", from, "--fmax", "0.02"],
    ["relax", from, "--optimizer", "fire", "--dt", "0.2"],
    ["screen", from, "--fmax", "0.02"],
    ["singlepoint", from],
    ["md", from, "--time", "0.1", "--ensemble", "nve"],
    ["md", from, "--ensemble", "npt", "--pressure", "1"],
  ];
  for (const args of lines) {
    const first = await hooke([...args, "--dry-run"]);
    assertEquals(first.code, 0, first.err);
    assertMatch(first.err, /^Would /);
    assertEquals(JSON.parse(first.out).command, args[0]);
    await Deno.writeTextFile(config, first.out);
    const again = await hooke([args[0]!, "--config", config, "--dry-run"]);
    assertEquals([again.code, again.out], [0, first.out], again.err);
  }
  for (const name of ["set", "config"]) {
    await Deno.writeTextFile(config, JSON.stringify({ files: from, [name]: "fmax=1" }));
    const { code, err } = await hooke(["relax", "--config", config, "--dry-run"]);
    assertEquals(code, 2);
    assertStringIncludes(err, `--${name} works only in the command line`);
  }
});
