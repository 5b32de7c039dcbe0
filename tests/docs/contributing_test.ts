// Pages for contributors and coding assistants compared with the tree: files, tasks and pictures.
import { assert, assertEquals } from "@std/assert";
import { markdownPages } from "../../tools/check/pages.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { blockOf } from "../../tools/docs/blocks.ts";
import { directImports, roomImports, taskList } from "../../tools/docs/generated_blocks.ts";
import { recordStep, stepDiagram } from "../../tools/docs/step_diagram.ts";

const pages = await markdownPages();

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

/** Text on one line: the formatter may wrap it. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(new URL(path, ROOT)).then(() => true, () => false);
}

Deno.test("every path that a page for contributors names exists", async () => {
  const forContributors = pages.filter((page) =>
    /^(CONTRIBUTING|RELEASING|AGENTS|SECURITY|ARCHITECTURE)|^docs\/(contributing|decisions|glossary)/
      .test(
        page,
      )
  );
  assert(forContributors.length >= 20);
  const missing: string[] = [];
  for (const page of forContributors) {
    const named = (await read(page)).matchAll(
      /`((?:src|tests|docs|bench|wasm|tools|examples)\/[\w./]+)`/g,
    );
    for (const [, path] of named) {
      // A page calls the new file `x`: its folder must exist.
      const real = path!.replace(/\/x(_hook|_test)*\.ts$/, "/").replace(/x_hook_test\.ts$/, "");
      if (!await exists(real)) missing.push(`${page}: ${path}`);
    }
  }
  assertEquals(missing, []);
});

Deno.test("AGENTS.md lists the tasks of deno.json", async () => {
  const { tasks } = JSON.parse(await read("deno.json"));
  const block = blockOf(await read("AGENTS.md"), "tasks");
  assertEquals(unwrapped(block), unwrapped(taskList(tasks)), "run deno task gen:pages");
});

Deno.test("llms.txt names pages that exist, and every page of docs by itself or its index", async () => {
  const text = await read("llms.txt");
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
  for (const link of links) assert(await exists(link), link);
  const top = pages.filter((page) => /^docs\/([^/]+|[^/]+\/index)\.md$/.test(page));
  assertEquals(
    top.filter((page) => !links.includes(page)),
    [],
    "pages that llms.txt lacks",
  );
});

Deno.test("the index of decisions lists each record, in order", async () => {
  const records = pages.filter((page) => /^docs\/decisions\/\d/.test(page));
  const links = [...(await read("docs/decisions/index.md")).matchAll(/\]\((\d[^)]+)\)/g)];
  assertEquals(links.map(([, file]) => `docs/decisions/${file}`), records);
  for (const [i, page] of records.entries()) {
    const text = await read(page);
    assert(text.startsWith(`# ${i + 1}. `), page);
    for (const part of ["Context", "Decision", "Consequences"]) {
      assert(text.includes(`\n## ${part}\n`), `${page} has no section ${part}`);
    }
  }
});

Deno.test("the sequence diagram of a step is a recording of a step", async () => {
  const diagram = blockOf(await read("ARCHITECTURE.md"), "step");
  assertEquals(diagram, stepDiagram(await recordStep()), "run deno task gen:pages");
});

Deno.test("the floor plan leaves out imports that follow from others, and rooms that all may import", () => {
  const files = new Map([
    ["src/models/a.ts", ["src/batch/b.ts", "src/backend/c.ts", "src/base/d.ts"]],
    ["src/batch/b.ts", ["src/backend/c.ts"]],
    ["src/backend/c.ts", []],
    ["src/base/d.ts", []],
  ]);
  assertEquals(directImports(roomImports({ files })), [["batch", "backend"], ["models", "batch"]]);
});
