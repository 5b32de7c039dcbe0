import { assertEquals, assertStringIncludes } from "@std/assert";
import type { BenchRow } from "../../bench/row.ts";
import { formatJson, formatRow, judge } from "../../bench/table.ts";

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
