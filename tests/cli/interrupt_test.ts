import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { hookeProcess } from "./child.ts";
import { hooke, tempFolder } from "./session.ts";

const argon = writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);

Deno.test("a signal while files are read ends commands with its code, and nothing is written", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, to = `${folder.path}/b.xyz`;
  await Deno.writeTextFile(from, argon);
  const lines = [
    ["inspect", from],
    ["singlepoint", from, "-o", to],
    ["relax", from, "-o", to],
    ["convert", from, to],
    ["md", from, "-o", to.replace(".xyz", "")],
  ];
  for (const args of lines) {
    const { code, out, err } = await hooke(args, { signal: AbortSignal.abort("SIGTERM") });
    assertEquals([code, out, err], [143, "", "Interrupted"], args[0]);
  }
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["a.xyz"]);
});

Deno.test("a signal after all was done does not change the exit code", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, to = `${folder.path}/b`;
  await Deno.writeTextFile(from, argon);
  const lines = [
    ["inspect", from],
    ["singlepoint", from, "-o", `${to}.xyz`],
    ["relax", from, "-o", `${to}.cif`],
    ["convert", from, `${to}.pdb`],
    ["screen", from, "-o", to],
  ];
  for (const args of lines) {
    const stop = new AbortController();
    const { code, err } = await hooke(args, {
      signal: stop.signal,
      onLine: () => stop.abort("SIGINT"),
    });
    assertEquals([code, err], [0, ""], args[0]);
  }
});

Deno.test("md saves a checkpoint and ends in 129 if its terminal is closed", async () => {
  if (Deno.build.os !== "linux") return;
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/a.xyz`, argon);
  const args = ["md", "a.xyz", "--steps", "1000000", "--log-every", "10", "-o", "run"];
  const signals = [{ name: "SIGHUP", after: " 20 " }] as const;
  const { code, err } = await hookeProcess(args, { cwd: folder.path, signals });
  assertEquals(code, 129);
  assertStringIncludes(err, "a checkpoint is saved");
  assert([...Deno.readDirSync(`${folder.path}/run/checkpoints`)].length > 0);
});
