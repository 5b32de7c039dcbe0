import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { chooseFolder, resumeLine } from "../../src/cli/run/run_path.ts";
import { checkRestart } from "../../src/cli/train/restart.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { hookeProcess } from "./child.ts";
import { hooke, tempFolder } from "./session.ts";

Deno.test("a run with relative paths resumes in any folder, with and without a checkpoint", async () => {
  await using folder = await tempFolder();
  const cwd = folder.path, options = { epsilon: 0.0104, sigma: 3.4, cutoff: 5 };
  await Deno.mkdir(`${cwd}/my`);
  await Deno.writeFile(`${cwd}/my/lj.onnx`, lennardJonesModel(options));
  const crystal = rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.05, 1);
  await Deno.writeTextFile(`${cwd}/my/ar.xyz`, writeExtxyz([crystal, crystal]));
  const args = ["my/ar.xyz", "--model", "my/lj.onnx", "--temperature", "20", "-o", "run"];
  const begun = await hookeProcess(["md", ...args, "--steps", "4", "-q"], { cwd });
  assertEquals([begun.code, begun.err], [0, ""]);
  // This process has another current folder.
  const resumed = await hooke(["resume", `${cwd}/run`, "--steps", "8"]);
  assertEquals([resumed.code, resumed.err], [0, ""]);
  assertMatch(resumed.out, /potential my\/lj\.onnx, .*\nResuming at step 4\n/);
  await Deno.remove(`${cwd}/run/checkpoints`, { recursive: true });
  const again = await hooke(["resume", `${cwd}/run`, "-q"]);
  assertEquals([again.code, again.err], [0, ""]);
  const { config } = JSON.parse(await Deno.readTextFile(`${cwd}/run/config.json`));
  assertEquals(config.facts.potential, "my/lj.onnx");
  assertEquals(
    config.facts.structures.map(({ label }: { label: string }) => label),
    ["my/ar.xyz@0", "my/ar.xyz@1"],
  );
  // A moved model is the same, and one with other content is not.
  await Deno.rename(`${cwd}/my/lj.onnx`, `${cwd}/moved.onnx`);
  const model = ["--model", `${cwd}/moved.onnx`, "-q"];
  const moved = await hooke(["resume", `${cwd}/run`, ...model, "--steps", "9"]);
  assertEquals([moved.code, moved.err], [0, ""]);
  await Deno.writeFile(`${cwd}/moved.onnx`, lennardJonesModel({ ...options, sigma: 3.5 }));
  const changed = await hooke(["resume", `${cwd}/run`, ...model, "--steps", "10"]);
  assertEquals(changed.code, 2);
  assertStringIncludes(changed.err, "SHA-256 of the model was ");
});

Deno.test("the command that continues a run has an absolute path that a shell can read", () => {
  assertEquals(resumeLine("npx hooke", "/tmp/a/b"), "npx hooke resume /tmp/a/b");
  const here = `${Deno.cwd()}/x`; // with quotes if the folder of the tests has a space in its name
  assertEquals(resumeLine("hooke", "x"), resumeLine("hooke", here));
  assertStringIncludes(resumeLine("hooke", "x"), here);
  assertEquals(resumeLine("hooke", "/tmp/Bob's run"), `hooke resume '/tmp/Bob'\\''s run'`);
});

Deno.test("refusals name the command that continues a run in words that a shell can read", async () => {
  await using folder = await tempFolder();
  const out = `${folder.path}/my run`, known = { command: "train", lr: 0.1 };
  await Deno.mkdir(out);
  const identity = { schema: 1, id: "a", begun: "2026-01-01T00:00:00.000Z", configHash: null };
  await Deno.writeTextFile(`${out}/config.json`, JSON.stringify({ ...identity, config: known }));
  const line = `hooke resume '${out}'`;
  const again = { name: "a", overwrite: false, inputs: [], program: "hooke" };
  await assertRejects(() => chooseFolder(out, again), Error, line);
  const run = { program: "hooke" } as Parameters<typeof checkRestart>[2];
  await assertRejects(() => checkRestart(out, { ...known, lr: 0.2 }, run), Error, line);
});
