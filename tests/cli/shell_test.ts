import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { permissionText } from "../../src/cli/frame/permission.ts";
import { denoWords } from "../../src/platform/program.ts";
import { hookeProcess } from "./child.ts";
import { hooke, tempFolder } from "./session.ts";

/** Completes the last word of a command line in bash. */
async function completed(script: string, ...words: string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(" ");
  const code = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _hooke; ` +
    'printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr } = await new Deno.Command("bash", { args: ["-c", code] }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test("bash completes commands, options and values", async () => {
  const { code, out } = await hooke(["completions", "bash"]);
  assertEquals(code, 0);
  assertEquals(await completed(out, "hooke", "rel"), ["relax"]);
  assertEquals(await completed(out, "hooke", "relax", "--opt"), ["--optimizer"]);
  assertEquals(await completed(out, "hooke", "relax", "--optimizer", "fi"), ["fire", "fire2"]);
  assertEquals(await completed(out, "hooke", "md", "--ensemble", "np"), ["npt", "nph"]);
});

Deno.test("zsh and fish get each command and option, and other shells are refused", async () => {
  for (const shell of ["zsh", "fish"]) {
    const { code, out } = await hooke(["completions", shell]);
    assertEquals(code, 0);
    for (const { name, open } of COMMANDS) {
      assertStringIncludes(out, name);
      if ("steps" in (await open()).options) assertMatch(out, /--steps\[|-l steps /);
    }
    assert(!out.includes("undefined"));
  }
  const { code, err } = await hooke(["completions", "zhs"]);
  assertEquals(code, 2);
  assertStringIncludes(err, "must be one of bash, zsh, fish; got zhs");
});

Deno.test("the schema describes the configuration files of all commands", async () => {
  const { code, out } = await hooke(["schema"]);
  assertEquals(code, 0);
  const schema = JSON.parse(out);
  const relax = schema.anyOf.find(({ title }: { title: string }) => title === "relax");
  assertEquals(relax.properties.optimizer, {
    description: "Optimizer: lbfgs, fire or fire2",
    enum: ["lbfgs", "fire", "fire2"],
    default: "lbfgs",
  });
  assertEquals(relax.properties.fmax.type, "number");
  const { out: one } = await hooke(["schema", "md"]);
  assertEquals(JSON.parse(one).anyOf.length, 1);
  assertStringIncludes(
    (await hooke(["schema", "doctor"])).err,
    "the commands with configuration files are relax",
  );
});

Deno.test("hooks list and plan show the hooks of a run and of modules", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  const crystal = rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.05, 1);
  await Deno.writeTextFile(`${path}/a.xyz`, writeExtxyz([crystal]));
  const module = `${path}/mine.ts`;
  await Deno.writeTextFile(
    module,
    'export default { name: "mine", stage: "dynamics/AFTER_STEP", frequency: 5, reads: ["energy"], call() {} };',
  );
  const listed = await hooke(["hooks", "list", module, "--json"]);
  assertEquals(listed.code, 0, listed.err);
  const { name, stages, frequency, reads } = JSON.parse(listed.out);
  assertEquals([name, stages, frequency, reads], ["mine", ["dynamics/AFTER_STEP"], 5, ["energy"]]);
  assertMatch(
    (await hooke(["hooks", "plan", module])).out,
    /^dynamics\/AFTER_STEP {2}mine {2}every 5 steps$/,
  );
  const args = ["md", `${path}/a.xyz`, "--steps", "5", "-q", "-o", `${path}/run`];
  assertEquals((await hooke([...args, "--hooks", module])).code, 0);
  const { out } = await hooke(["hooks", "list", `${path}/run`]);
  assertMatch(out, /^mine {2,}dynamics\/AFTER_STEP {2,}every 5 steps {2,}energy$/m);
  assertMatch(out, /^checkpoints /m);
  for (
    const [rest, message] of [[[], "pass list or plan first"], [
      ["list"],
      "pass a run folder",
    ]] as const
  ) {
    assertStringIncludes((await hooke(["hooks", ...rest])).err, message);
  }
});

Deno.test("a missing permission is named with its purpose and its flag", async () => {
  await using folder = await tempFolder();
  const crystal = fcc({ element: "Ar", a: 5.3, cells: 2 });
  await Deno.writeTextFile(`${folder.path}/a.xyz`, writeExtxyz([crystal]));
  const options = { cwd: folder.path, flags: ["--allow-read"] };
  const { code, err } = await hookeProcess(["singlepoint", "a.xyz"], options);
  assertEquals(code, 1);
  assertStringIncludes(
    err,
    `Cannot write a.singlepoint.xyz: Deno may not write to ${folder.path}. ` +
      `Run: ${denoWords()} run --allow-read --allow-write=. file://`,
  );
  assertEquals(
    permissionText(
      'Cannot open a.onnx: Requires net access to "example.org:443", run again with the --allow-net flag',
    ),
    'Cannot open a.onnx: Deno does not allow net access to "example.org:443". A potential, a queue or the page ' +
      "is there. Start Deno with --allow-net=example.org",
  );
  assertEquals(permissionText("Cannot open a.xyz: permission denied"), undefined);
});
