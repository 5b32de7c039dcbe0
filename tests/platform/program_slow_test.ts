/** Output of the program. */
import { assert, assertEquals } from "@std/assert";
import { pythonTest } from "../python.ts";

/** Characters of a text that no pipe holds. */
const LENGTH = 1_000_000;

/** Starts a program with a pipe that does not block as its output, and reads the pipe after a second. */
const READER = `
import os, subprocess, sys, time
there, here = os.pipe()
os.set_blocking(here, False)
program = subprocess.Popen(sys.argv[1:], stdout=here)
os.close(here)
time.sleep(1)
length = 0
while part := os.read(there, 65536): length += len(part)
print(length)
sys.exit(program.wait())
`;

/** Writes a text to its output, and whether it did, its time by the clock, and its CPU time, to its errors, in ms. */
const WRITER = `
import process from "node:process";
import { writeText } from ${JSON.stringify(import.meta.resolve("../../src/platform/program.ts"))};
const start = performance.now(), before = process.cpuUsage();
const isWritten = writeText(1, "x".repeat(${LENGTH}));
const wall = performance.now() - start, { user, system } = process.cpuUsage(before);
writeText(2, JSON.stringify({ isWritten, wall, cpu: (user + system) / 1000 }));
`;

pythonTest("writing to a full pipe waits for the reader, without using the processor", async () => {
  const writer = [
    Deno.execPath(),
    "run",
    "-A",
    "--no-check",
    "--quiet",
    `data:text/typescript,${encodeURIComponent(WRITER)}`,
  ];
  const { code, stdout, stderr } = await new Deno.Command("python3", {
    args: ["-c", READER, ...writer],
  }).output();
  const said = new TextDecoder().decode(stderr);
  assertEquals([code, new TextDecoder().decode(stdout)], [0, `${LENGTH}\n`], said);
  const { isWritten, wall, cpu } = JSON.parse(said);
  assert(isWritten);
  assert(wall > 200, `the pipe must be full: the text was written in ${wall} ms`);
  assert(cpu < wall / 10, `waiting took ${cpu} ms of CPU time in ${wall} ms`);
});
