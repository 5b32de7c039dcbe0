// Each rule of tools/architecture on small made-up trees, to show that it can fail.
import { assertEquals, assertThrows } from "@std/assert";
import { codeOf } from "../../tools/architecture/code.ts";
import { codeSize, sizeOfRooms } from "../../tools/architecture/code_lines.ts";
import { findCycles } from "../../tools/architecture/cycles.ts";
import { errorClasses, findIdleErrors } from "../../tools/architecture/error_classes.ts";
import { type ImportGraph, toGraph } from "../../tools/architecture/graph.ts";
import { findForbiddenImports } from "../../tools/architecture/import_rules.ts";
import {
  findIncompleteKernels,
  findIncompletePotentials,
} from "../../tools/architecture/kernels.ts";
import { findBrokenLinks } from "../../tools/architecture/links.ts";
import { callsPlatform, platformGlobals, usesUsing } from "../../tools/architecture/platform.ts";
import { apiChanges, toNames } from "../../tools/architecture/public_api.ts";
import { findUnreachable, isStarted } from "../../tools/architecture/reach.ts";
import { MAY_IMPORT, packageOf, refuseImport } from "../../tools/architecture/rooms.ts";
import { crowdedFolders, longFiles } from "../../tools/architecture/sizes.ts";

function graph(
  files: Record<string, string[]>,
  packages: Record<string, string[]> = {},
): ImportGraph {
  return { files: new Map(Object.entries(files)), packages: new Map(Object.entries(packages)) };
}

Deno.test("findForbiddenImports() names the importer, the imported and the reason", () => {
  assertEquals(
    findForbiddenImports(graph(
      {
        "src/hooks/a.ts": ["src/dispatch/mod.ts", "src/hooks/b.ts"],
        "src/dispatch/a.ts": ["src/hooks/b.ts"],
        "tests/a_test.ts": ["src/hooks/a.ts"],
      },
      { "src/hooks/a.ts": ["mitt"], "src/cli/a.ts": ["@std/cli/parse-args"] },
    )),
    [
      "src/dispatch/a.ts imports src/hooks/b.ts: dispatch may import nothing, not hooks/b.ts",
      "src/hooks/a.ts imports mitt: published code does not depend on mitt",
    ],
  );
});

Deno.test("refuseImport() knows every room of the table and no other", () => {
  for (const room of Object.keys(MAY_IMPORT)) {
    const file = room.endsWith(".ts") ? room : `${room}/a.ts`;
    const from = room === "mod.ts" ? room : `src/${file}`;
    assertEquals(refuseImport(from, from), undefined);
  }
  assertEquals(
    refuseImport("src/attic/a.ts", "src/hooks/a.ts"),
    'the room "attic" is not in tools/architecture/rooms.ts',
  );
});

Deno.test("the import table itself has no cycle between rooms", () => {
  const rooms = Object.entries(MAY_IMPORT).map(([room, targets]): [string, string[]] => [
    room,
    targets.filter((target) => !target.includes("/") && target !== "*"),
  ]);
  assertEquals(findCycles({ files: new Map(rooms) }), []);
});

Deno.test("packageOf() takes a specifier apart", () => {
  assertEquals(packageOf("@std/cli/parse-args"), "@std/cli");
  assertEquals(packageOf("jsr:@std/cli@^1/parse-args"), "@std/cli");
  assertEquals(packageOf("npm:onnxruntime-web@1.30.0/webgpu"), "onnxruntime-web");
  assertEquals(packageOf("node:zlib"), "node:");
});

Deno.test("findCycles() finds each cycle once, and none in a diamond", () => {
  assertEquals(findCycles(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })), []);
  assertEquals(findCycles(graph({ z: ["b"], b: ["c"], c: ["a"], a: ["b"] })), [["a", "b", "c"]]);
  assertEquals(findCycles(graph({ a: ["a"] })), [["a"]]);
});

Deno.test("findUnreachable() finds what no root leads to, cycles among them", () => {
  const files = graph({ root: ["a"], a: ["b"], b: [], lost: ["other"], other: ["lost"] });
  assertEquals(findUnreachable(files, ["root"]), ["lost", "other"]);
  assertEquals(findUnreachable(files, ["root", "lost"]), []);
});

Deno.test("isStarted() knows tests, benches, examples and pages", () => {
  const started = [
    "tests/a_test.ts",
    "bench/hooks_bench.ts",
    "bench/hooks_table.ts",
    "examples/a.ts",
    "tests/e2e/page.ts",
  ];
  assertEquals(started.filter((path) => !isStarted(path)), []);
  assertEquals(["src/hooks/a.ts", "bench/row.ts", "tests/plum.ts"].filter(isStarted), []);
});

Deno.test("toGraph() keeps types, drops what is outside, and refuses an import that leads nowhere", () => {
  const root = new URL("file:///p/");
  const code = (specifier: string) => ({ specifier: "./x.ts", code: { specifier } });
  const { files, packages } = toGraph(root, [
    {
      specifier: "file:///p/a.ts",
      dependencies: [
        code("file:///p/b.ts"),
        { specifier: "./c.ts", type: { specifier: "file:///p/c.ts" } },
        { specifier: "mitt", code: { specifier: "npm:mitt@3" } },
        { specifier: "@std/assert", code: { specifier: "file:///p/tools/airgap/mod.ts" } },
        { specifier: "@hooke/hooke/hooks", code: { specifier: "file:///p/d.ts" } },
      ],
    },
    { specifier: "file:///elsewhere/x.ts" },
  ]);
  assertEquals([...files], [["a.ts", ["b.ts", "c.ts", "d.ts"]]]);
  assertEquals(packages.get("a.ts"), ["mitt", "@std/assert", "@hooke/hooke/hooks"]);
  const broken = { specifier: "./no.ts", code: { error: "not found" } };
  assertThrows(
    () => toGraph(root, [{ specifier: "file:///p/a.ts", dependencies: [broken] }]),
    Error,
    "a.ts has an import that leads nowhere",
  );
  assertThrows(() => toGraph(root, [{ specifier: "file:///p/a.ts", error: "no" }]), Error, "a.ts");
});

/** A tree with one kernel in all its places. */
function kernelTree(changes: Record<string, string | undefined> = {}) {
  const texts: Record<string, string | undefined> = {
    "src/kernels/mod.ts": "",
    "src/kernels/integrate/drift.ts": 'defineKernel("drift", args, run)',
    "src/kernels/constants.ts": "export const G = 1;",
    "src/backend/webgpu/shaders/integrate/drift.ts": "",
    "wasm/src/integrate/motion.rs": "pub fn drift(x: &mut [f32]) {}",
    "tests/kernels/drift_test.ts": 'check("drift");',
    "bench/kernels_bench.ts": 'bench("drift");',
    ...changes,
  };
  const files = Object.keys(texts).filter((file) => texts[file] !== undefined);
  return { files, read: (file: string) => texts[file]! };
}

Deno.test("findIncompleteKernels() accepts a kernel with all its places", () => {
  assertEquals(findIncompleteKernels(kernelTree()), []);
});

Deno.test("findIncompleteKernels() names each place that is missing", () => {
  const missing = (file: string, text?: string) =>
    findIncompleteKernels(kernelTree({ [file]: text }));
  const other = { "src/backend/webgpu/shaders/integrate/drift.ts": undefined };
  assertEquals(findIncompleteKernels(kernelTree(other)), []); // there are no shaders at all
  assertEquals(
    findIncompleteKernels(
      kernelTree({ ...other, "src/backend/webgpu/shaders/integrate/kick.ts": "" }),
    ),
    ["kernel drift has no shader", "shader kick has no kernel"],
  );
  assertEquals(missing("wasm/src/integrate/motion.rs", "pub fn drifting() {}"), [
    "kernel drift has no wasm",
  ]);
  const elsewhere = {
    "wasm/src/integrate/motion.rs": undefined,
    "wasm/src/measure.rs": "pub fn drift() {}",
  };
  assertEquals(findIncompleteKernels(kernelTree(elsewhere)), ["kernel drift has no wasm"]);
  const inOneFile = {
    "wasm/src/integrate/motion.rs": undefined,
    "wasm/src/integrate.rs": "pub fn drift() {}",
  };
  assertEquals(findIncompleteKernels(kernelTree(inOneFile)), []);
  assertEquals(missing("tests/kernels/drift_test.ts", ""), ["kernel drift has no test"]);
  assertEquals(missing("bench/kernels_bench.ts"), ["kernel drift has no bench"]);
  assertEquals(missing("src/kernels/integrate/drift.ts"), ["shader drift has no kernel"]);
});

Deno.test("findIncompleteKernels() takes a written exception, and refuses one without need", () => {
  const tree = kernelTree({ "wasm/src/integrate/motion.rs": undefined });
  const exception = { kernel: "drift", place: "wasm", reason: "host only" } as const;
  assertEquals(findIncompleteKernels(tree, [exception]), []);
  assertEquals(findIncompleteKernels(kernelTree(), [exception]), [
    "kernel drift is excused from a wasm without need",
  ]);
});

Deno.test("findIncompletePotentials() finds potentials without export or test, and kernels by hand without meaning", () => {
  const texts: Record<string, string> = {
    "src/models/pair/mod.ts": 'export { yukawa } from "./yukawa.ts";',
    "src/models/pair/yukawa.ts": "export const yukawa = pairPotential({});",
    "src/models/pair/pair_options.ts": "export const pi = 3;",
    "tests/models/pair_test.ts": "yukawa({});",
    "wasm/src/kernels.rs": '("drift", integrate::drift),',
    "src/kernels/integrate/drift.ts": 'export const drift = defineKernel("drift");',
  };
  const found = (changes: Record<string, string>) => {
    const all = { ...texts, ...changes };
    return findIncompletePotentials({ files: Object.keys(all), read: (file) => all[file] ?? "" });
  };
  assertEquals(found({}), []);
  assertEquals(found({ "src/models/pair/mod.ts": "" }), ["pair potential yukawa is not exported"]);
  assertEquals(found({ "tests/models/pair_test.ts": "" }), ["pair potential yukawa has no test"]);
  const rust = { "wasm/src/kernels.rs": '("drift", integrate::drift), ("yukawa", pairs::yukawa),' };
  assertEquals(found(rust), ["kernel yukawa in Rust has no meaning in TypeScript"]);
  const named = 'export const yukawa = pairPotentialOf("yukawa", {});';
  assertEquals(found({ ...rust, "src/models/pair/yukawa.ts": named }), []);
});

Deno.test("findIdleErrors() finds errors that programs cannot catch and errors that are never thrown", () => {
  const sources = new Map([
    ["a.ts", "export class LostError extends Error {}\nclass GoneError extends LostError {}"],
    ["b.ts", "// new GoneError()\nthrow new LostError();"],
  ]);
  assertEquals([...errorClasses(sources)], [["LostError", "a.ts"], ["GoneError", "a.ts"]]);
  assertEquals(findIdleErrors(sources, new Set(["LostError"])), [
    "a.ts declares GoneError, which no entry point exports",
    "a.ts declares GoneError, never made",
  ]);
});

Deno.test("platformGlobals() finds globals, not properties, comments or strings", () => {
  assertEquals(platformGlobals("Deno.pid; document.title;"), ["Deno", "document"]);
  assertEquals(platformGlobals("typeof window"), ["window"]);
  const harmless =
    "// Deno\n/* document */ a.document; const b = { location: 1 }; 'Deno'; `window`;";
  assertEquals(platformGlobals(harmless), []);
});

Deno.test("callsPlatform() finds globals and built-in modules, and no words that are like them", () => {
  const calls = [
    "Deno.cwd();",
    "const { Deno: host } = globalThis as { readonly Deno?: Host };",
    "const { process } = globalThis as unknown as { readonly process?: Process };",
    "const { hardwareConcurrency } = globalThis.navigator;",
    "interface Host { readonly location?: Location }",
    "return (globalThis as { readonly navigator?: Navigator }).navigator;",
    'process.getBuiltinModule("x");',
  ];
  assertEquals(calls.filter((text) => !callsPlatform(text, [])), []);
  assertEquals(callsPlatform("", ["@std/cli", "node:fs/promises"]), true);
  const others = [
    "// Deno",
    '"Deno"',
    "const location = a.location;",
    "globalThis.crypto; process;",
  ];
  assertEquals(others.filter((text) => callsPlatform(text, ["@std/cli"])), []);
});

Deno.test("usesUsing() finds declarations, not words of comments and strings", () => {
  const declared = ["using a = b();", "{ await using a = b; }", "for (await using a of b) c();"];
  assertEquals(declared.filter((text) => !usesUsing(text)), []);
  const others = ["// using a = b", 'say("using a = b");', "const using = 3;", "a.using = 3;"];
  assertEquals(others.filter(usesUsing), []);
});

Deno.test("codeOf() drops comments and what strings hold", () => {
  assertEquals(codeOf('a("x // y"); // z\nb /* c */ d'), 'a("");  \nb   d');
});

Deno.test("longFiles() lists what is over 200 lines, except generated files", () => {
  const lines = (n: number) => "\n".repeat(n);
  const sources = new Map([["a.ts", lines(200)], ["b.ts", lines(201)], ["c.gen.ts", lines(900)]]);
  assertEquals(longFiles(sources), ["b.ts: 201 lines"]);
});

Deno.test("toNames() tells overloads once and a name's several kinds together", () => {
  const declared = (...kinds: string[]) =>
    kinds.map((kind) => ({ kind, declarationKind: "export" }));
  assertEquals(
    toNames([
      { name: "hook", declarations: declared("function", "function") },
      { name: "Stage", declarations: declared("variable", "typeAlias") },
      { name: "secret", declarations: [{ kind: "class", declarationKind: "private" }] },
    ]),
    ["Stage: typeAlias, variable", "hook: function"],
  );
});

Deno.test("apiChanges() names what came and what went, entry points too", () => {
  assertEquals(
    apiChanges({ ".": ["a: function", "b: class"] }, { ".": ["a: function"], "./x": ["c: class"] }),
    ["- . b: class", "+ ./x c: class"],
  );
});

Deno.test("codeSize() leaves out blank lines and comments, but not what looks like one inside a string", () => {
  const text = '/** Doc. */\n\nconst a = "// x"; // why\n/* more\n */ const b = `\n// c`;\n';
  assertEquals(codeSize(text), { files: 1, lines: 3, characters: 26 });
});

Deno.test("sizeOfRooms() sums by room, largest first, without generated files and tests", () => {
  const sources = new Map([
    ["mod.ts", "a;\n"],
    ["src/hooks/a.ts", "a;\n"],
    ["src/hooks/b/b.ts", "b;\nc;\n"],
    ["src/hooks/c.gen.ts", "c;\n"],
    ["tests/a_test.ts", "a;\n"],
  ]);
  assertEquals(sizeOfRooms(sources), [
    ["hooks", { files: 2, lines: 3, characters: 6 }],
    ["mod.ts", { files: 1, lines: 1, characters: 2 }],
  ]);
});

Deno.test("crowdedFolders() counts the modules of each folder alone", () => {
  const files = (folder: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${folder}/f${i}.ts`);
  const fine = [...files("src/a", 25), ...files("src/a/b", 25), "src/a/x.md"];
  assertEquals(crowdedFolders(fine), []);
  assertEquals(crowdedFolders([...fine, "src/a/c.ts"]), ["src/a: 26 files"]);
});

Deno.test("findBrokenLinks() names links to nothing that the file has or others export", () => {
  const b =
    "/** See {@linkcode A}, {@linkcode own.part}, {@link hidden} and {@linkcode Old}. */\n" +
    "const own = 1;";
  assertEquals(
    findBrokenLinks(
      new Map([["a.ts", "export interface A {}\nconst hidden = 1; // Old"], ["b.ts", b]]),
    ),
    [
      "b.ts links to hidden, which does not exist",
      "b.ts links to Old, which does not exist",
    ],
  );
});
