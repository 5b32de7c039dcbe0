import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { permissionText, programFor, startText } from "../../src/cli/frame/permission.ts";
import { hookeProcess } from "./child.ts";
import { hooke, tempFolder } from "./session.ts";

const CRYSTAL = writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);

Deno.test("relax refuses a file that Deno may not write before the first step, and its command line works", async () => {
  await using folder = await tempFolder();
  const cwd = `${folder.path}/in`, to = `${folder.path}/of mine/a.xyz`;
  await Deno.mkdir(cwd);
  await Deno.writeTextFile(`${cwd}/a.xyz`, CRYSTAL);
  const args = ["relax", "a.xyz", "-o", to];
  const refused = await hookeProcess(args, { cwd, flags: ["--allow-read", "--allow-write=."] });
  assertEquals([refused.code, refused.out], [1, ""]);
  const [, write] =
    /^Cannot write .*\/of mine\/a\.xyz: Deno may not write to .*\/of mine\. Run: (?:deno|npx -y \S+) run --allow-read '?(--allow-write=\S+ mine'?) file:\S+ relax a\.xyz -o '.*a\.xyz'$/m
      .exec(refused.err)!;
  const flags = ["--allow-read", write!.replaceAll("'", "")];
  const done = await hookeProcess(args, { cwd, flags });
  assertEquals(done.code, 0, done.err);
  assertEquals(parseExtxyz(await Deno.readTextFile(to)).length, 1);
});

Deno.test("all commands that run name the folder that Deno may not write, before they open the model", async () => {
  await using folder = await tempFolder();
  const cwd = folder.path, flags = ["--allow-read", "--allow-write=."];
  await Deno.writeTextFile(`${cwd}/a.xyz`, CRYSTAL);
  for (const command of ["md", "screen"]) {
    const to = `${Deno.build.os === "windows" ? "C:" : ""}/nowhere/run`;
    const { code, err } = await hookeProcess([command, "a.xyz", "-o", to], { cwd, flags });
    assertEquals(code, 1, err);
    assertMatch(err, /^Cannot write .*nowhere.run: Deno may not write to .*nowhere.run\. Run: /m);
  }
});

Deno.test("serve says which permission it lacks to listen, and prints a command line that grants it", async () => {
  await using folder = await tempFolder();
  const flags = ["--allow-read", "--allow-write=."];
  const { code, out, err } = await hookeProcess(["serve", "."], { cwd: folder.path, flags });
  assertEquals([code, out], [1, ""], err);
  assertMatch(
    err,
    /^Cannot serve the page: Deno may not listen on 127\.0\.0\.1\. Run: .* run --allow-read --allow-write=\. --allow-net=127\.0\.0\.1 file:\S+ serve \.\n$/,
  );
});

Deno.test("a folder that cannot be written is refused before the first step", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, out = ["-o", `${folder.path}/a.xyz/b.xyz`];
  await Deno.writeTextFile(from, CRYSTAL);
  for (const command of ["relax", "singlepoint"]) {
    const { code, err, progress } = await hooke([command, from, ...out], { isTerminal: false });
    assertEquals([code, progress], [1, ""], err);
    assertMatch(err, /^Cannot write .*a\.xyz\/b\.xyz: .*\/a\.xyz cannot be written: a (part|file)/);
  }
  const names = await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name);
  assertEquals(names, ["a.xyz"]);
});

Deno.test("results whose file cannot be written at the end are in the current folder", async () => {
  await using folder = await tempFolder();
  const cwd = folder.path;
  await Deno.writeTextFile(`${cwd}/a.xyz`, CRYSTAL);
  await Deno.writeTextFile(`${cwd}/b.rescued.xyz`, "mine");
  const close = `Deno.removeSync("out", { recursive: true }); Deno.writeTextFileSync("out", "");`;
  await Deno.writeTextFile(
    `${cwd}/hook.ts`,
    `export default { name: "spoiler", on: {}, close() { ${close} } };`,
  );
  const args = ["relax", "a.xyz", "--hooks", "hook.ts", "-o", "out/b.cif", "-o", "c.xyz"];
  const { code, out, err } = await hookeProcess(args, { cwd });
  assertEquals(code, 1);
  assertMatch(
    err,
    /^Cannot write out\/b\.cif: .*\. The results are in b\.rescued-2\.xyz instead$/m,
  );
  assertStringIncludes(out, "Wrote b.rescued-2.xyz, c.xyz");
  assertEquals(
    await Deno.readTextFile(`${cwd}/b.rescued-2.xyz`),
    await Deno.readTextFile(`${cwd}/c.xyz`),
  );
});

Deno.test("messages about permissions end with a command line that can be run as it is", () => {
  const started = { program: "deno task hooke", args: ["relax", "a b.xyz"] };
  const version = Deno.version.deno;
  assertEquals(
    permissionText(
      'Cannot open /tmp/x/a.xyz: Requires write access to "/tmp/x/a.xyz", run again with the --allow-write flag',
      started,
    ),
    'Cannot open /tmp/x/a.xyz: Deno does not allow write access to "/tmp/x/a.xyz". The command writes its ' +
      `results there. Run: npx -y deno@${version} run --allow-read --allow-write=.,/tmp/x src/cli/main.ts ` +
      "relax 'a b.xyz'",
  );
  assertEquals(
    startText("--allow-net=a.org", {
      program: "deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli",
      args: ["md"],
    }),
    "Run: deno run --allow-read --allow-write=. --allow-net=a.org jsr:@hooke/hooke/cli md",
  );
  assertMatch(startText("--allow-net=a.org", { program: "hooke", args: [] }), /^This executable/);
  assert(startText("--allow-ffi").endsWith("Start Deno with --allow-ffi"));
  const deno = "deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli";
  assertEquals(
    ["argon", "/data/argon"].map((folder) => programFor(deno, folder)),
    [deno, "deno run --allow-read --allow-write=.,/data/argon jsr:@hooke/hooke/cli"],
  );
});
