import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { BenchRow } from "../../bench/row.ts";
import { judge } from "../../bench/judge.ts";
import { formatJson, formatRow, isNamed } from "../../bench/table.ts";
import { lineOf, markOf, withLines } from "../../bench/written.ts";

const ROW: BenchRow = {
  id: "hooks/1",
  name: "a stage without hooks",
  limit: 1.3,
  unit: "x",
  run: () => Promise.resolve({ value: 1, runs: [1] }),
};

Deno.test("judge() takes the limit itself as good, and twice the limit as the last that the guard lets by", () => {
  assertEquals([1.3, 1.31, 2.6, 2.61].map((value) => judge(ROW, value)), [
    "good",
    "over",
    "over",
    "far",
  ]);
});

Deno.test("judge() allows half a byte per event where the limit is nothing", () => {
  assertEquals([0, 0.4, 0.6].map((value) => judge({ limit: 0 }, value)), ["good", "over", "far"]);
});

Deno.test("judge() never takes a value that could not be measured as good", () => {
  assertEquals(judge(ROW, NaN), "far");
});

Deno.test("formatJson() has exactly the agreed fields", () => {
  assertEquals(JSON.parse(formatJson(ROW, { value: 1.25, runs: [1.2, 1.3], note: "busy" })), {
    id: "hooks/1",
    value: 1.25,
    limit: 1.3,
    unit: "x",
    runs: [1.2, 1.3],
  });
});

Deno.test("formatRow() tells value, limit, verdict and note", () => {
  const line = formatRow(ROW, { value: 1.4, runs: [], note: "tapable 3.1×" });
  for (const part of ["hooks/1", "1.40×", "at most 1.30×", "OVER", "tapable 3.1×"]) {
    assertStringIncludes(line, part);
  }
});

Deno.test("isNamed() finds rows by group, id, and the part of an id before a hyphen", () => {
  assertEquals(isNamed("training/8-64", []), true);
  for (const name of ["training", "training/8", "training/8-64"]) {
    assertEquals(isNamed("training/8-64", [name]), true, name);
  }
  for (const name of ["train", "training/8n", "training/8-6", "onnx"]) {
    assertEquals(isNamed("training/8-64", [name]), false, name);
  }
  assertEquals(isNamed("dynamics/16", ["dynamics/1"]), false);
});

Deno.test("withLines() replaces the line of a measured row, keeps the others, and sorts like the rows", () => {
  const rows = ["hooks/1", "hooks/2", "hooks/3"].map((id) => ({ ...ROW, id }));
  const when = { date: "2026-11-20", load: 0.25, vectors: "AVX2" };
  const line = lineOf(rows[1]!, { value: 1.4, runs: [], note: "tapable 3.1×" }, when);
  assertEquals(
    line,
    "| 2 | a stage without hooks | 1.40× | 1.30× | over | 2026-11-20, load 0.3, AVX2 | tapable 3.1× |",
  );
  const mark = markOf("hooks");
  const old = ["| row | case |", "| --- | --- |", "| 3   | c |", "| 2   | b |", "| 0   | gone |"];
  const page = `a\n${mark}\n\n${old.join("\n")}\n\n<!-- end -->\nb\n<!-- end -->\n`;
  const written = withLines(page, "hooks", { rows, lines: new Map([["hooks/2", line]]) });
  const [before, ...rest] = written.split("\n");
  assertEquals([before, rest[0]], ["a", mark]);
  assertEquals(rest.slice(4, 6), [line, "| 3   | c |"]);
  assertEquals(rest.slice(6), ["", "<!-- end -->", "b", "<!-- end -->", ""]);
  assertThrows(() => withLines("a", "hooks", { rows, lines: new Map() }), Error, "must have");
});
