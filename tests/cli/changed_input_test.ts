import { assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { findModelFile } from "../../src/cli/run/model_file.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { hooke, tempFolder } from "./session.ts";

const crystal = (seed: number) => writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26 }), 0.1, seed)]);

Deno.test("the hash of a model changes with its manifest", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/m.onnx`;
  await Deno.writeFile(path, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
  const hash = async () => (await findModelFile(path)).sha256;
  const bare = await hash();
  await Deno.writeTextFile(`${folder.path}/m.json`, '{ "cutoff": 8.5 }');
  const first = await hash();
  await Deno.writeTextFile(`${folder.path}/m.json`, '{ "cutoff": 5 }');
  assertNotEquals(bare, first);
  assertNotEquals(first, await hash());
});

Deno.test("a screening notices files that were changed, and reads those again that could not be read", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/in/${name}.xyz`, out = `${folder.path}/out`;
  await Deno.mkdir(`${folder.path}/in`);
  await Deno.writeTextFile(at("a"), crystal(1));
  await Deno.writeTextFile(at("b"), "not a structure");
  assertEquals((await hooke(["screen", `${folder.path}/in`, "-o", out])).code, 3);
  await Deno.writeTextFile(at("b"), crystal(2));
  const repaired = await hooke(["resume", out]);
  assertEquals([repaired.code, repaired.err], [0, ""]);
  assertStringIncludes(repaired.out, "2 converged, 0 not converged, 0 failed");
  assertEquals((await hooke(["resume", out])).code, 0);
  await Deno.writeTextFile(at("a"), `${crystal(3)}${crystal(4)}`);
  const changed = await hooke(["resume", out]);
  assertEquals(changed.code, 2);
  assertStringIncludes(changed.err, "a.xyz changed after structures in it were relaxed");
});

Deno.test("options of engines that have a flag of their own are refused", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`;
  await Deno.writeTextFile(from, crystal(1));
  const refusals = [
    [["md", from, "--set", "engineOptions.dt=5"], "dt has an option of its own; pass --dt"],
    [["md", from, "--set", "engineOptions.pressureCoupling=isotropic"], "pass --coupling"],
    [["relax", from, "--set", 'engineOptions={"threads":2}'], "pass --threads"],
    [["relax", from, "--set", "modelOptions.runtime=web"], "pass --runtime"],
  ] as const;
  for (const [args, message] of refusals) {
    const { code, err } = await hooke([...args, "--dry-run"]);
    assertEquals(code, 2);
    assertStringIncludes(err, message);
  }
});

Deno.test("the hash of a model changes with the manifest that --set modelOptions.manifest names", async () => {
  await using folder = await tempFolder();
  const model = `${folder.path}/a.onnx`, manifest = `${folder.path}/other.json`;
  await Deno.writeTextFile(model, "a model");
  const hash = async () => (await findModelFile(model, { manifest })).sha256;
  await Deno.writeTextFile(manifest, '{"cutoff":5}');
  const before = await hash();
  await Deno.writeTextFile(manifest, '{"cutoff":6}');
  assertNotEquals(await hash(), before);
  assertNotEquals((await findModelFile(model)).sha256, before);
});
