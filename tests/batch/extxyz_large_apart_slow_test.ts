import { assert, assertEquals } from "@std/assert";
import process from "node:process";
import { parseExtxyz } from "@hooke/hooke/batch/extxyz";

/** Processor time of a call in seconds: other processes do not count. */
function secondsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

Deno.test("a comment of 100 MB takes seconds, and memory in proportion", () => {
  const text = `1\nProperties=species:S:1:pos:R:3 note="${"word ".repeat(2e7)}"\nAr 0 0 0\n`;
  const before = Deno.memoryUsage().rss;
  const seconds = secondsOf(() => {
    const [system] = parseExtxyz(text);
    assertEquals((system!.info.note as string).length, 1e8);
  });
  assert(seconds < 5, `${seconds} s`);
  const grown = Deno.memoryUsage().rss - before;
  assert(grown < 8e8, `${grown / 1e6} MB`);
});

Deno.test("the time for a file grows in proportion to its columns", () => {
  const file = (columns: number) => {
    const names = Array.from({ length: columns }, (_, i) => `:c${i}:R:1`).join("");
    const row = `Ar 0 0 0${" 1.5".repeat(columns)}`;
    return `2\nProperties=species:S:1:pos:R:3${names}\n${row}\n${row}\n`;
  };
  const [few, many] = [file(5_000), file(80_000)];
  parseExtxyz(few); // compiled now
  const one = secondsOf(() => assertEquals(parseExtxyz(few).length, 1));
  const sixteen = secondsOf(() => assertEquals(parseExtxyz(many).length, 1));
  // 16 if linear, 256 if quadratic; small times are noisy.
  assert(sixteen < 60 * Math.max(one, 0.02), `${one} s, then ${sixteen} s`);
});
