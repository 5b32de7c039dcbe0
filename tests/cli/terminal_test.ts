/** The commands in a pseudo terminal. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { linesOnScreen } from "./screen.ts";
import { tempFolder } from "./session.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Runs the command in a terminal with 80 columns, and returns all that it writes there. */
async function inTerminal(cwd: string, ...args: string[]): Promise<{ code: number; text: string }> {
  const command = [Deno.execPath(), "run", "-A", "--no-check", MAIN, ...args]
    .map((word) => `'${word}'`).join(" ");
  const { code, stdout } = await new Deno.Command("script", {
    args: ["-qec", `stty cols 80; ${command}`, "/dev/null"],
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { code, text: new TextDecoder().decode(stdout) };
}

Deno.test({
  name:
    "on a terminal the progress of md is repainted below its table, and no line is wider than the terminal",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using folder = await tempFolder();
    const crystal = rattle(fcc({ element: "Ar", a: 5.3, cells: 3 }), 0.05, 1);
    await Deno.writeTextFile(`${folder.path}/argon.xyz`, writeExtxyz([crystal]));
    const args = ["--temperature", "40", "--steps", "6000", "--log-every", "1000"];
    const { code, text } = await inTerminal(folder.path, "md", "argon.xyz", ...args);
    assertEquals(code, 0, text);
    const painted = text.split("\r").filter((part) => /^step \d/.test(part));
    assert(painted.length >= 4, text);
    for (const line of painted) assert(line.split("\x1b[K")[0]!.length < 80, line);
    assertMatch(painted.at(-1)!, /^step 6000\/6000 \(100 %\) .* K .*ns\/day/);
    const lines = linesOnScreen(text);
    const rows = lines.filter((line) => /^ +\d+ +\d+\.\d{4} /.test(line));
    assertEquals(rows.map((row) => Number(row.trim().split(/ +/)[0])), [
      0,
      1000,
      2000,
      3000,
      4000,
      5000,
      6000,
    ]);
    assertEquals(lines.filter((line) => /step \d/.test(line)).length, 1, "one line remains");
    assert(!text.replaceAll("\x1b[K", "").includes("\x1b"), "there are no colors");
  },
});

Deno.test({
  name: "on a terminal relax repaints one line, and prints its results below",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using folder = await tempFolder();
    const crystals = [1, 2].map((seed) => rattle(fcc({ element: "Ar", a: 5.3 }), 0.2, seed));
    await Deno.writeTextFile(`${folder.path}/argon.xyz`, writeExtxyz(crystals));
    const { code, text } = await inTerminal(folder.path, "relax", "argon.xyz", "--fmax", "0.001");
    assertEquals(code, 0, text);
    const lines = linesOnScreen(text);
    assertEquals(lines.filter((line) => line.startsWith("step ")).length, 1, text);
    assertMatch(lines[0]!, /^step \d+\/1000 .*2\/2 converged/);
    assertEquals(lines.filter((line) => / converged {4,}\d/.test(line)).length, 2, text);
  },
});
