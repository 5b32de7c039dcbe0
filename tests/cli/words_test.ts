/** Small things that users read. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { withPaintedProgress } from "../../src/cli/terminal.ts";
import { hooke, tempFolder } from "./session.ts";

const CRYSTAL = writeExtxyz([rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.05, 1)]);

Deno.test("md ends with the speed that its progress shows last, and without one if there are no steps", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, args = ["md", from, "--temperature", "20"];
  await Deno.writeTextFile(from, CRYSTAL);
  const run = async (steps: number) =>
    await hooke([...args, "--steps", `${steps}`, "-o", `${folder.path}/${steps}`], {
      isTerminal: true,
    });
  const { out, progress } = await run(2000);
  const painted = progress.split("\r").at(-1)!;
  const [, speed] = / ([\d.e+]+) ns\/day/.exec(painted)!;
  assertEquals(/^2000 steps in \d+\.\d\d s, ([\d.e+]+) ns\/day\./m.exec(out)![1], speed);
  assertMatch((await run(0)).out, /^0 steps\. Wrote /m);
});

Deno.test("a line of progress is not painted again below a result, which is newer", () => {
  let screen = "";
  const terminal = withPaintedProgress({
    print: (line) => void (screen += `${line}\n`),
    complain: (line) => void (screen += `${line}\n`),
    progress: { isTerminal: true, write: (text) => void (screen += text) },
  });
  terminal.progress!.write("\rstep 0\x1b[K");
  terminal.print("row of step 100");
  terminal.print("row of step 200");
  assertEquals(screen, "\rstep 0\x1b[K\r\x1b[Krow of step 100\nrow of step 200\n");
  screen = "";
  terminal.progress!.write("\rstep 250\x1b[K");
  terminal.complain("Warning");
  assertEquals(screen, "\rstep 250\x1b[K\r\x1b[KWarning\n\rstep 250\x1b[K");
});

Deno.test("one structure is not several, and a configuration file can name the command", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, config = `${folder.path}/run.json`;
  await Deno.writeTextFile(from, CRYSTAL);
  const dry = async (...args: string[]) => (await hooke([...args, "--dry-run"])).err;
  assertMatch(await dry("md", from, "--steps", "1"), /Would run 1 step of 1 fs for 1 structure of/);
  assertMatch(await dry("relax", from, from), /Would relax 2 structures of 64 atoms in all/);
  assertMatch(await dry("singlepoint", from), /Would evaluate 1 structure, and/);
  assertMatch(await dry("screen", from), /Would relax the structures of 1 file, and/);
  await Deno.writeTextFile(config, JSON.stringify({ command: "relax", files: [from] }));
  assertStringIncludes(await dry("--config", config), "Would relax 1 structure of 32 atoms");
  assertStringIncludes(await dry("-q", `--config=${config}`), "Would relax 1 structure");
  await Deno.writeTextFile(config, "{}");
  const { code, err } = await hooke(["--config", config]);
  assertEquals(code, 2);
  assertStringIncludes(err, `Cannot use --config ${config} without a command: add "command"`);
  assertMatch((await hooke(["--config"])).err, /^Cannot use --config: a value is required/);
});

Deno.test("shells complete the program by the name that the user gives", async () => {
  const last = async (shell: string, name: string) =>
    (await hooke(["completions", shell, "--name", name])).out.split("\n");
  assertEquals((await last("bash", "hk")).at(-1), "complete -o filenames -F _hooke hk");
  assertEquals((await last("zsh", "hk"))[0], "#compdef hk");
  assertMatch((await last("fish", "hk")).at(-1)!, /^complete -c hk /);
  assertMatch((await hooke(["completions", "bash", "--name", "a;b"])).err, /it must be one word/);
});
