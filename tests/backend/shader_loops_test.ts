// Loops that Mesa's OpenGL computes wrongly: none in any shader. Needs no GPU.
import { assert, assertEquals } from "@std/assert";
import { TRIALS } from "../../src/testing/trials/trials.ts";
import { findLoopLoads } from "../../tools/architecture/wgsl_loops.ts";
import { sourceFiles } from "../../tools/architecture/source_files.ts";
import { modulesOf } from "./shader_modules.ts";

const ROOT = new URL("../../", import.meta.url);

for (const kernel of Object.keys(TRIALS)) {
  Deno.test(`loops of ${kernel} load only after lanes can leave them`, () => {
    const modules = modulesOf(kernel);
    assert(modules.length > 0);
    assertEquals(modules.flatMap(findLoopLoads), []);
  });
}

Deno.test("shaders are assembled in one place, except for the clock, which has no loops", async () => {
  const files = (await sourceFiles(ROOT)).filter((file) => file.startsWith("src/"));
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(new URL(file, ROOT))));
  assertEquals(files.filter((_, i) => /^@compute/m.test(texts[i]!)), [
    "src/backend/webgpu/queue/gpu_clock.ts",
    "src/backend/webgpu/wgsl/module.ts",
  ]);
  const clock = texts[files.indexOf("src/backend/webgpu/queue/gpu_clock.ts")]!;
  const shaders = [...clock.matchAll(/\/\* wgsl \*\/ `([^`]*)`/g)].map(([, text]) => text!);
  assertEquals(shaders.length, 3);
  assertEquals(shaders.filter((text) => /\b(?:for|while|loop)\b/.test(text)), []);
});

/** A module with one function over n (read-only) and changed (not). */
function moduleOf(lines: string): string {
  return `
@group(0) @binding(0) var<storage, read_write> changed: array<u32>;
@group(0) @binding(1) var<storage, read> n: array<u32>;
fn end_of(s: u32) -> u32 { return n[s + 1u]; }
fn last_of(s: u32) -> u32 { return end_of(s) - 1u; }
fn main(lane: u32) {
${lines}
}`;
}

Deno.test("findLoopLoads() finds loads before the first exit of a loop, also within functions", () => {
  const found = (lines: string) => findLoopLoads(moduleOf(lines));
  assertEquals(found("for (var a = lane; a < n[1]; a += 64u) { changed[a]++; }"), [
    "fn main: for (var a = lane; a < n[1]; a += 64u) loads before lanes leave it: bind that by let first",
  ]);
  for (
    const lines of [
      "for (var a = lane; a < end_of(0u); a++) {}",
      "for (var a = lane; a < last_of(0u); a++) {}",
      "var a = lane; while (a < n[1]) { a++; }",
      "var a = lane; loop { if (a >= n[1]) { break; } a++; }",
      "for (var i = 0u; i < 3u; i++) { for (var a = lane; a < n[i]; a++) {} }",
    ]
  ) assertEquals(found(lines).length, 1, lines);
});

Deno.test("findLoopLoads() finds values loaded before a break and used after the loop", () => {
  const found = (lines: string) => findLoopLoads(moduleOf(lines));
  const use = "changed[lane] = x;";
  assertEquals(
    found(`var x = 0u; for (var a = 0u; a < 9u; a++) { x = n[a]; if (x > 3u) { break; } } ${use}`),
    ["fn main: for (var a = 0u; a < 9u; a++) loads x before a break and uses it afterwards"],
  );
  assertEquals(
    found(
      `var x = 0u; for (var a = 0u; a < 9u; a++) { let y = n[a]; x += y; if (y > 3u) { break; } } ${use}`,
    ).length,
    1,
  );
});

Deno.test("findLoopLoads() accepts safe loops", () => {
  const found = (lines: string) => findLoopLoads(moduleOf(lines));
  for (
    const lines of [
      "let end = n[1]; for (var a = lane; a < end; a += 64u) { changed[a] = n[a]; }",
      "for (var a = lane; a < changed[1]; a++) {}",
      "for (var a = n[0]; a < 9u; a++) {} // a < n[1];",
      "let end_of = 4u; for (var a = lane; a < end_of; a++) {}",
      "var x = 0u; for (var a = 0u; a < 9u; a++) { x = n[a]; } changed[lane] = x;",
      "for (var a = 0u; a < 9u; a++) { let x = n[a]; if (x > 3u) { break; } }",
      "var x = 0u; for (var i = 0u; i < 3u; i++) { x = n[i]; for (var a = 0u; a < 9u; a++) { if (a > x) { break; } } } changed[lane] = x;",
    ]
  ) assertEquals(found(lines), [], lines);
});
