import { assertEquals, assertStringIncludes } from "@std/assert";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { hooke, tempFolder } from "./session.ts";

Deno.test("options without effect are refused", async () => {
  await using folder = await tempFolder();
  const crystal = `${folder.path}/a.xyz`, dimer = `${folder.path}/b.xyz`;
  const pair = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 4, 0, 0] });
  const argon = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1);
  await Deno.writeTextFile(crystal, writeExtxyz([argon]));
  await Deno.writeTextFile(dimer, writeExtxyz([pair]));
  const to = `${folder.path}/out.xyz`, run = `${folder.path}/run`;
  const lines: readonly [string[], string][] = [
    [["relax", dimer, "--cell", "-o", to], "Cannot use --cell: no structure is periodic"],
    [["relax", crystal, "--dt", "0.2", "-o", to], "lbfgs has no time step"],
    [["screen", crystal, "--dt", "0.2"], "lbfgs has no time step"],
    [["relax", crystal, "--constraints", "fix:9999", "-o", to], "no structure has such atoms"],
    [["relax", crystal, "--constraints", "fix-z:Cu", "-o", to], "no structure has such atoms"],
    [["md", crystal, "--constraints", "fix:Cu", "-o", run], "no structure has such atoms"],
    [["md", crystal, "--time", "0.0001", "-o", run], "shorter than half a step"],
    [["train", "m.onnx", crystal, "--ema-decay", "0.9"], "no effect without --ema"],
    [["train", "m.onnx", crystal, "--virial-key", "v"], "without a --stress-weight above 0"],
  ];
  for (const [args, message] of lines) {
    const { code, err } = await hooke(args);
    assertStringIncludes(err, message);
    assertEquals(code, 2);
  }
  const { code, err } = await hooke(["relax", crystal, dimer, "--cell", "-o", to]);
  assertEquals(code, 0, err);
  assertStringIncludes(err, "b.xyz is not periodic, so --cell has no effect on it");
  assertEquals((await hooke(["md", crystal, "--steps", "5", "-o", run, "--quiet"])).code, 0);
  const drawn = await hooke(["resume", run, "--steps", "9", "--draw-velocities", "--override"]);
  assertEquals(drawn.code, 2);
  assertStringIncludes(drawn.err, "which has its velocities");
});
