// The house as it stands. The rules themselves are in tools/architecture, and tests/tools/architecture_test.ts
// shows that each can fail.
import { assert, assertEquals } from "@std/assert";
import { STAND_INS } from "../tools/airgap/std.ts";
import { findCycles } from "../tools/architecture/cycles.ts";
import { findIdleErrors } from "../tools/architecture/error_classes.ts";
import { loadGraph } from "../tools/architecture/graph.ts";
import { findForbiddenImports } from "../tools/architecture/import_rules.ts";
import {
  findIncompleteKernels,
  findIncompletePotentials,
  type KernelException,
} from "../tools/architecture/kernels.ts";
import { findBrokenLinks } from "../tools/architecture/links.ts";
import { callsPlatform, platformGlobals, usesUsing } from "../tools/architecture/platform.ts";
import { publicApi } from "../tools/architecture/public_api.ts";
import { findUnreachable, isStarted } from "../tools/architecture/reach.ts";
import { crowdedFolders, longFiles, MOST_LINES } from "../tools/architecture/sizes.ts";
import { sourceFiles } from "../tools/architecture/source_files.ts";
import { entryPoints, ROOT } from "../tools/check/entry_points.ts";
import { blockOf } from "../tools/docs/blocks.ts";
import { floorPlan } from "../tools/docs/generated_blocks.ts";

/** Kernels that cannot be in all five places, each with the reason. */
const KERNEL_EXCEPTIONS: readonly KernelException[] = [];

const files = await sourceFiles(ROOT);
const texts = new Map(
  await Promise.all(
    files.map(async (file): Promise<[string, string]> => [
      file,
      await Deno.readTextFile(new URL(file, ROOT)),
    ]),
  ),
);
const modules = files.filter((file) => file.endsWith(".ts"));
const graph = await loadGraph(ROOT, modules);

/** The sources of one folder. */
function textsUnder(folder: string): Map<string, string> {
  return new Map([...texts].filter(([file]) => file.startsWith(folder)));
}

Deno.test("links of comments lead to names that exist", () => {
  assertEquals(findBrokenLinks(textsUnder("src/")), []);
});

Deno.test("every file imports only what its room may, types included", () => {
  assert(graph.files.size >= modules.length, "some file is missing from the import graph");
  assertEquals(findForbiddenImports(graph), []);
});

Deno.test("the floor plan of ARCHITECTURE.md shows the import graph", async () => {
  const page = await Deno.readTextFile(new URL("ARCHITECTURE.md", ROOT));
  assertEquals(blockOf(page, "floor plan"), floorPlan(graph), "run deno task gen:pages");
});

Deno.test("no imports go round in a circle, types included", () => {
  assertEquals(findCycles(graph), []);
});

Deno.test("every file is reached from an export, a test, a bench, an example or a task", async () => {
  const exported = Object.values(await entryPoints()).map((file) => file.slice(ROOT.href.length));
  const { tasks, lint } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const commands = JSON.stringify([tasks, lint.plugins]);
  const named = modules.filter((file) => commands.includes(file));
  const spawned = modules.filter((file) =>
    file.startsWith("tests/") && /\bimport\.meta\.main\b/.test(texts.get(file)!)
  );
  // What a table measures in a process of its own it names by its place in the folder.
  const tables = modules.filter((file) => /^bench\/[a-z]+_table\.ts$/.test(file));
  const measured = modules.filter((file) =>
    file.startsWith("bench/") && /\bimport\.meta\.main\b/.test(texts.get(file)!) &&
    tables.some((table) => texts.get(table)!.includes(`"${file.slice("bench/".length)}"`))
  );
  const standIns = STAND_INS.flatMap(({ folder, exports }) =>
    Object.values(exports).map((path) => `tools/airgap/${folder}/${path.slice("./".length)}`)
  );
  const types = [...graph.files.keys()].filter((file) => /^wasm\/pkg\/.*\.d\.ts$/.test(file)); // the .js beside it names it
  const started = modules.filter(isStarted);
  const roots = [...exported, ...named, ...spawned, ...measured, ...standIns, ...types, ...started];
  assertEquals(findUnreachable(graph, roots), []);
});

Deno.test("the hook core mentions no global of Deno alone or of a page alone", () => {
  const core = [...textsUnder("src/hooks/"), ...textsUnder("src/dispatch/")];
  assertEquals(
    core.filter(([, text]) => platformGlobals(text).length > 0).map(([file]) => file),
    [],
  );
});

Deno.test("platforms are called in src/platform alone", () => {
  const callers = [...textsUnder("src/")].filter(([file, text]) =>
    !file.startsWith("src/platform/") && callsPlatform(text, graph.packages.get(file) ?? [])
  );
  assertEquals(callers.map(([file]) => file), []);
});

Deno.test("nothing is written with `using`, which Node 22 and some browsers cannot parse", () => {
  const library = [...textsUnder("src/")];
  assertEquals(library.filter(([, text]) => usesUsing(text)).map(([file]) => file), []);
});

Deno.test("no method is called that the oldest supported Node lacks", () => {
  // Pages need a newer browser; prebuilt packages, for which the kernels are plain base64, are for Deno.
  const others = /^src\/(page\/tab\/|backend\/wasm\/module\.ts)/;
  const missing = /^(?! *(\*|\/\/)).*(Promise\.try\(|\.(from|to|setFrom)(Base64|Hex)\()/m;
  const callers = [...textsUnder("src/")].filter(([file, text]) =>
    !others.test(file) && missing.test(text)
  );
  assertEquals(callers.map(([file]) => file), []);
});

Deno.test("one kernel, one name, five places", () => {
  const tree = { files, read: (file: string) => texts.get(file) ?? "" };
  assertEquals(findIncompleteKernels(tree, KERNEL_EXCEPTIONS), []);
});

Deno.test("one pair potential, one file: exported, tested, and by hand only beside its expression", () => {
  const tree = { files, read: (file: string) => texts.get(file) ?? "" };
  assertEquals(findIncompletePotentials(tree), []);
});

Deno.test("every error class is exported, and made somewhere", async () => {
  const names = Object.values(await publicApi()).flat().map((name) => name.split(":")[0]!);
  assertEquals(findIdleErrors(textsUnder("src/"), new Set(names)), []);
});

Deno.test("no file of src has more than 350 lines", () => {
  const own = [...texts].filter(([file]) => file.startsWith("src/"));
  assertEquals(longFiles(new Map(own), MOST_LINES), []);
});

Deno.test("no folder of src has more than 25 files of its own", () => {
  assertEquals(crowdedFolders(modules.filter((file) => file.startsWith("src/"))), []);
});
