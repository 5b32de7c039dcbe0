import { assertEquals } from "@std/assert";
import house from "./house.ts";

/** What the rule says about `source` in `file`. */
function complaints(rule: string, file: string, source: string): string[] {
  const found = Deno.lint.runPlugin(house, file, source);
  return found.filter(({ id }) => id === `house/${rule}`).map(({ message }) => message);
}

/** One row per source: the rule accepts `good` and reports each of `bad` exactly once. */
async function checkRule(
  t: Deno.TestContext,
  rule: string,
  { file = "src/hooks/example.ts", good, bad }: { file?: string; good: string[]; bad: string[] },
): Promise<void> {
  for (const source of good) {
    await t.step(`accepts ${source}`, () => assertEquals(complaints(rule, file, source), []));
  }
  for (const source of bad) {
    await t.step(`reports ${source}`, () => assertEquals(complaints(rule, file, source).length, 1));
  }
}

Deno.test("house/imports holds a file to its room", async (t) => {
  await checkRule(t, "imports", {
    file: "src/hooks/example.ts",
    good: [
      'import { a } from "./stage.ts";',
      'import type { A } from "../dispatch/mod.ts";',
      'export * from "../dispatch/rows.ts";',
    ],
    bad: [
      'import { a } from "../batch/mod.ts";',
      'import type { A } from "../dynamics/stages.ts";',
      'export { a } from "../observe/mod.ts";',
      'export * from "../hook.ts";',
      'const a = await import("../onnx/mod.ts");',
      'type A = import("../models/mod.ts").A;',
      'import { a } from "../../tools/lint/paths.ts";',
      'import { a } from "../../mod.ts";',
      'import { parseArgs } from "@std/cli";',
      'import mitt from "mitt";',
      'import { readFileSync } from "node:fs";',
      'import { hook } from "@hooke/hooke";',
    ],
  });
});

Deno.test("house/imports lets single files through where a whole room would be too much", async (t) => {
  await checkRule(t, "imports", {
    file: "src/observe/example.ts",
    good: ['import { DynamicsStage } from "../dynamics/stages.ts";'],
    bad: ['import { Dynamics } from "../dynamics/engine.ts";'],
  });
});

Deno.test("house/imports keeps onnxruntime-web and the compiled kernels to one place", async (t) => {
  const ort = 'import * as ort from "onnxruntime-web/webgpu";';
  await checkRule(t, "imports", { file: "src/onnx/session/open_session.ts", good: [ort], bad: [] });
  await checkRule(t, "imports", { file: "src/onnx/graph/graph.ts", good: [], bad: [ort] });
  const wasm = 'import { init } from "../../../wasm/pkg/hooke.js";';
  await checkRule(t, "imports", { file: "src/backend/wasm/load.ts", good: [wasm], bad: [] });
  await checkRule(t, "imports", { file: "src/backend/webgpu/load.ts", good: [], bad: [wasm] });
});

Deno.test("house/imports lets checkpoints use the platform and nothing else, and only engines use them", async (t) => {
  await checkRule(t, "imports", {
    file: "src/checkpoint/file.ts",
    good: ['import { builtin } from "../platform/process.ts";'],
    bad: [
      'const fs = await import("node:fs/promises");',
      'import { Batch } from "../batch/mod.ts";',
      'import { show } from "../hooks/show.ts";',
    ],
  });
  const use = 'import { writeCheckpoint } from "../checkpoint/mod.ts";';
  await checkRule(t, "imports", { file: "src/dynamics/engine.ts", good: [use], bad: [] });
  await checkRule(t, "imports", { file: "src/training/trainer.ts", good: [use], bad: [] });
  await checkRule(t, "imports", { file: "src/batch/batch.ts", good: [], bad: [use] });
});

Deno.test("house/imports says nothing about tests, which may import everything", async (t) => {
  await checkRule(t, "imports", {
    file: "tests/hooks/registry_test.ts",
    good: ['import { a } from "../../src/batch/mod.ts";', 'import fc from "fast-check";'],
    bad: [],
  });
});

Deno.test("house/file-name wants snake_case and a name that says something", () => {
  const isRefused = (file: string) => complaints("file-name", file, "").length === 1;
  const good = [
    "src/hooks/registry/hook_set.ts",
    "src/a/_private.ts",
    "tests/a_test.ts",
    "src/a/x.gen.ts",
  ];
  const bad = [
    "src/a/utils.ts",
    "src/a/helpers.ts",
    "src/a/types.ts",
    "src/a/common.ts",
    "src/a/misc.ts",
    "src/index.ts",
    "src/a/_utils.ts",
    "tests/utils_test.ts",
    "src/a/camelCase.ts",
    "src/a/kebab-case.ts",
  ];
  assertEquals(good.filter(isRefused), []);
  assertEquals(bad.filter((file) => !isRefused(file)), []);
});

Deno.test("house/hot-loops finds what allocates in the loops of a marked function", async (t) => {
  const inLoop = (body: string) =>
    `// hot\nfunction f(n) { for (let i = 0; i < n; i++) { ${body} } }`;
  await checkRule(t, "hot-loops", {
    good: [
      "function cold(n) { while (n--) { g([]); } }",
      "// hot\nfunction f(n) { const scratch = []; while (n--) { scratch[0] = n; } return {}; }",
      "// hot\nfunction f(xs) { for (const x of [...xs]) { g(x); } }",
      "// hot\nfunction f(n) { for (let s = {}; n--;) { g(s); } }",
      inLoop("if (i < 0) throw new RangeError(`Cannot step: ${i}`);"),
      "// hot as in weather\n\nconst a = 1;\nfunction f(n) { while (n--) { g([]); } }",
      "// hotel\nfunction f(n) { while (n--) { g([]); } }",
    ],
    bad: [
      inLoop("g([]);"),
      inLoop("g({});"),
      inLoop("g(() => i);"),
      inLoop("g(function () {});"),
      inLoop("g(...xs);"),
      inLoop("g(`${i}`);"),
      inLoop("new Map();"),
      "// hot\nasync function f(n) { while (n--) { await g(); } }",
      "// hot\nfunction f(xs) { do { g([]); } while (xs.next()); }",
      "// hot\nfunction f(xs) { for (const x of xs) { g({}); } }",
      "// hot\nfunction f(xs) { for (const x in xs) { g({}); } }",
      "// hot\nfunction f(n) { for (; g([]);) {} }",
      "// hot\nexport function f(n) { while (n--) { g([]); } }",
      "// hot\nexport const f = (n) => { while (n--) { g([]); } };",
      "class A {\n  // hot\n  f(n) { while (n--) { g([]); } }\n}",
      "const a = {\n  // hot\n  f(n) { while (n--) { g([]); } },\n};",
      "/** Adds.\n * @hot */\nexport function f(n) { while (n--) { g([]); } }",
      "// hot: once per event\nfunction f(n) { while (n--) { g([]); } }",
    ],
  });
});

Deno.test("house/error-wording wants the requirement and the value, or the action and the cause", async (t) => {
  await checkRule(t, "error-wording", {
    good: [
      'throw new RangeError("Cannot run drift: dt must be positive; got -1");',
      "throw new TypeError(`Cannot add ${name}: it has no call()`);",
      "throw new RangeError(`dt must be above 0; got ${dt}`);",
      'throw new TypeError("Unknown option " + name);',
      'throw new TypeError("cutoff is required: pass { cutoff: 5 }");',
      "throw new TypeError(message);",
      'throw new NoOverloadError("none");',
    ],
    bad: [
      'throw new RangeError("dt must be positive");',
      "throw new TypeError(`Bad hook ${name}: no call()`);",
      'throw new SyntaxError("Cannot parse");',
      'throw new TypeError("Invalid " + name);',
      'throw new RangeError("Cannot run drift as dt must be positive");',
      "throw new RangeError(`Cannot run drift as dt must be positive: current value is ${dt}`);",
    ],
  });
  const anything = 'throw new TypeError("boom");';
  await checkRule(t, "error-wording", { file: "tests/a_test.ts", good: [anything], bad: [] });
});

Deno.test("house/erasable refuses enum and namespace", async (t) => {
  await checkRule(t, "erasable", {
    good: ['type Role = "observe" | "pipe";'],
    bad: ["enum Role { Observe }", "namespace Roles { export const a = 1; }"],
  });
});

Deno.test("house/inheritance lets only errors inherit, and from classes that users subclass", async (t) => {
  await checkRule(t, "inheritance", {
    good: [
      "class A {}",
      "class A extends Error {}",
      "class A extends NoOverloadError {}",
      "class A extends FileSink {}",
    ],
    bad: ["class A extends B {}", "const A = class extends mixin(B) {};"],
  });
  await checkRule(t, "inheritance", {
    file: "tests/a_test.ts",
    good: ["class A extends B {}"],
    bad: [],
  });
});

Deno.test("house/no-console lets only the command print", async (t) => {
  const print = 'console.log("step");';
  await checkRule(t, "no-console", { good: ['write("step");'], bad: [print] });
  await checkRule(t, "no-console", { file: "src/cli/demo.ts", good: [print], bad: [] });
  await checkRule(t, "no-console", { file: "examples/demo.ts", good: [print], bad: [] });
});

Deno.test("house/ignore-with-reason wants to know why", async (t) => {
  await checkRule(t, "ignore-with-reason", {
    good: ["// deno-lint-ignore no-explicit-any -- inference needs it\nlet a: any;"],
    bad: ["// deno-lint-ignore no-explicit-any\nlet a: any;", "// deno-lint-ignore-file\nlet a;"],
  });
});

Deno.test("house/function-length stops at 75 lines, except in kernels", async (t) => {
  const long = (lines: number) => `function f() {${"\n".repeat(lines - 1)}}`;
  const check = (file: string, lines: number) =>
    complaints("function-length", file, long(lines)).length;
  await t.step("75 lines are fine", () => assertEquals(check("src/hooks/a.ts", 75), 0));
  await t.step("76 are not", () => assertEquals(check("src/hooks/a.ts", 76), 1));
  await t.step("a kernel may be longer", () => assertEquals(check("src/kernels/a.ts", 200), 0));
  await t.step("so may a test", () => assertEquals(check("tests/a_test.ts", 200), 0));
});

Deno.test("house/spread-literal wants members to stand themselves", async (t) => {
  await checkRule(t, "spread-literal", {
    good: [
      "f({ a, ...rest });",
      "f({ ...(a && { a }) });",
      "f([...list, 1]);",
      "f(...[1, 2].map(g));",
    ],
    bad: [
      "f({ ...{ a, b }, c });",
      "f([...[1, 2], 3]);",
      "f([...[1, 2] as const, 3]);",
      "f(...[1, 2]);",
    ],
  });
});

Deno.test("house/mutable-fields stops at five", async (t) => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, i) => `#f${i} = 0;`).join(" ");
  await checkRule(t, "mutable-fields", {
    good: [
      `class A { ${fields(5)} }`,
      `class A { ${fields(5)} readonly g = 0; static h = 0; get i() { return 0; } }`,
    ],
    bad: [`class A { ${fields(6)} }`],
  });
});

Deno.test("house/decoded-path refuses the encoded pathname of a file as a path", async (t) => {
  await checkRule(t, "decoded-path", {
    file: "tests/example_test.ts",
    good: [
      'decodeURIComponent(new URL("a.txt", import.meta.url).pathname);',
      "new URL(request.url).pathname;",
      "`${import.meta.dirname}/a.txt`;",
    ],
    bad: ['const path = new URL("a.txt", import.meta.url).pathname;'],
  });
});
