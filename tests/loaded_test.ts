// What importing the package loads, and what it does not.
import { assert, assertEquals } from "@std/assert";
import { loadModules } from "../tools/architecture/graph.ts";
import { loadedWith } from "../tools/architecture/loaded.ts";
import { entryPoints, ROOT } from "../tools/check/entry_points.ts";

const entries = Object.entries(await entryPoints());
const modules = await loadModules(ROOT, entries.map(([, file]) => file.slice(ROOT.href.length)));

/** The packages among what is loaded with an entry point; `node:` is in every runtime that has files. */
function packagesOf(file: string, calls: boolean): string[] {
  return [...loadedWith(modules, file, { calls })]
    .filter((each) => /^(npm|jsr|https?):/.test(each))
    .map((each) => /^\w+:\/?(@[^/]+\/[^@/]+|[^@/]+)/.exec(each)![1]!);
}

/** Entry points that name packages, so that importing them takes a map that has these. */
const WITH_PACKAGES = [
  ".",
  "./onnx",
  "./onnx/worker",
  "./models/onnx",
  "./training",
  "./config",
  "./campaign",
  "./campaign/queue",
  "./testing/onnx",
  "./cli",
];

Deno.test("only entry points for ONNX, trainers among them, the main one, and the command name a package: the rest needs no map of imports", () => {
  const naming = entries.filter(([, file]) => packagesOf(file, true).length > 0);
  assertEquals(naming.map(([name]) => name), WITH_PACKAGES);
});

Deno.test("the core of hooks loads at most 50 files", () => {
  const loaded = [...loadedWith(modules, new URL("src/hooks/mod.ts", ROOT).href)];
  assert(loaded.length <= 50, `${loaded.length} files:\n${loaded.sort().join("\n")}`);
});

Deno.test("the entry point for hooks loads its core and the names of the engines' stages", () => {
  const loaded = filesOf("./hooks").filter((each) =>
    !/\/src\/(hooks|dispatch|base|platform)\//.test(each)
  );
  assertEquals(loaded.map((each) => each.slice(ROOT.href.length)), [
    "src/dynamics/stages.ts",
    "src/hook.ts",
    "src/training/stages.ts",
  ]);
});

/** The files that are loaded with entry points. */
function filesOf(...names: readonly string[]): string[] {
  const files = names.flatMap((name) => {
    const entry = entries.find(([each]) => each === name)!;
    return [...loadedWith(modules, entry[1])];
  });
  return [...new Set(files)].sort();
}

Deno.test("a batch, NVE and Lennard-Jones load at most 200 files", () => {
  const loaded = filesOf("./batch", "./dynamics/nve", "./models/pair");
  assert(loaded.length <= 200, `${loaded.length} files:\n${loaded.join("\n")}`);
});

Deno.test("all of batches, dynamics and models loads at most 270 files", () => {
  const loaded = filesOf("./batch", "./dynamics", "./models");
  assert(loaded.length <= 270, `${loaded.length} files:\n${loaded.join("\n")}`);
});

Deno.test("only what a run uses is loaded: no shader, thread, checkpoint, stream or XYZ reader before", () => {
  const late =
    /\/src\/(backend\/(webgpu|threads)|checkpoint|batch\/extxyz)\/|\/(constrained|stream|engine_streams|late_report)\.ts$/;
  const loaded = filesOf("./batch", "./dynamics", "./models");
  assertEquals(loaded.filter((each) => late.test(each)), []);
});

Deno.test("only the entry point of backends loads shaders", () => {
  const naming = entries.filter(([, file]) =>
    [...loadedWith(modules, file)].some((each) => each.includes("/src/backend/webgpu/shaders/"))
  );
  assertEquals(naming.map(([name]) => name), ["./backend"]);
});

Deno.test("no entry point loads onnxruntime-web; opening a session does", () => {
  for (const [name, file] of entries) {
    assert(!packagesOf(file, false).includes("onnxruntime-web"), name);
  }
  const onnx = entries.find(([name]) => name === "./models/onnx")![1];
  assert(packagesOf(onnx, true).includes("onnxruntime-web"));
});

Deno.test("the command loads no engine before it knows which command it is", () => {
  const loaded = [...loadedWith(modules, entries.find(([name]) => name === "./cli")![1])];
  const rooms = /\/src\/(?!cli\/|base\/|platform\/)/;
  assertEquals(loaded.filter((each) => rooms.test(each)), []);
  const files = loaded.filter((each) => each.startsWith(ROOT.href));
  assert(files.length <= 25, files.sort().join("\n"));
});

Deno.test("the table of a command loads no engine, and a command nothing for ONNX until a graph is to be run", () => {
  const tables = modules.filter(({ specifier }) => /\/src\/cli\/.*table\.ts$/.test(specifier));
  assert(tables.length > 1);
  for (const { specifier } of tables) {
    const loaded = [...loadedWith(modules, specifier)];
    assertEquals(loaded.filter((each) => /\/src\/(dynamics|batch|models|onnx)\//.test(each)), []);
  }
  const actions = modules.filter(({ specifier }) =>
    /\/src\/cli\/(demo|relax\/relax)\.ts$/.test(specifier)
  );
  assertEquals(actions.length, 2);
  for (const { specifier } of actions) {
    const loaded = [...loadedWith(modules, specifier)];
    assert(loaded.some((each) => each.includes("/src/dynamics/")));
    assertEquals(loaded.filter((each) => each.includes("onnx")), []);
  }
});

Deno.test("no module imports what only servers have before it is needed", () => {
  for (const [name, file] of entries) {
    const loaded = [...loadedWith(modules, file)];
    assertEquals(loaded.filter((each) => each.startsWith("node:")), [], name);
  }
});
