// What README.md and docs/ tell a reader to type exists. What they show as code is run by `deno test --doc`,
// which the task `test` is; here only that nothing gets around it.
import { assert, assertEquals } from "@std/assert";
import { parseExtxyz } from "../src/batch/extxyz/mod.ts";
import { ROOT } from "../tools/check/entry_points.ts";
import { markdownPages } from "../tools/check/pages.ts";
import { sharesOf } from "../tools/suite/shares.ts";
import { tablesOf } from "./docs/tables.ts";
import { commands, refuseCommand, unrunExamples, writtenFiles } from "../tools/check/markdown.ts";

const { tasks, exclude, test: testOptions } = JSON.parse(
  await Deno.readTextFile(new URL("deno.json", ROOT)),
);

/** The texts of all pages, by path. */
async function pages(): Promise<Map<string, string>> {
  const paths = await markdownPages();
  const texts = paths.map(async (path): Promise<[string, string]> => [
    path,
    await Deno.readTextFile(new URL(path, ROOT)),
  ]);
  return new Map(await Promise.all(texts));
}

/** Files that the reader makes; tests/docs/own_folder_test.ts does, too. */
const READERS_OWN = ["my_loop.ts"];

function exists(path: string): boolean {
  if (READERS_OWN.includes(path)) return true;
  try {
    Deno.statSync(new URL(path, ROOT));
    return true;
  } catch {
    return false;
  }
}

Deno.test("the README begins with the two commands a newcomer needs", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  assertEquals(commands(readme).slice(0, 2), [
    "npx -y deno@2.9.6 task demo",
    "npx -y deno@2.9.6 task test",
  ]);
  const firstCode = readme.search(/^```(ts|js)/m);
  assert(firstCode < 0 || readme.indexOf("npx -y") < firstCode, "they come before any code");
});

Deno.test("every command in README.md and docs/ names tasks and files that exist", async () => {
  for (const [page, text] of await pages()) {
    const written = writtenFiles(text);
    const isThere = (path: string) => written.includes(path) || exists(path);
    for (const command of commands(text)) {
      const reason = refuseCommand(command, { tasks: Object.keys(tasks), exists: isThere });
      assertEquals(reason, undefined, `${page} says "${command}"`);
    }
  }
});

Deno.test("the README writes the structures that its first commands read", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const read = commands(readme).flatMap((line) => / hooke relax (\S+)/.exec(line)?.[1] ?? []);
  assert(read.length > 0);
  for (const path of read) assert(writtenFiles(readme).includes(path), path);
  const [, text] = /^cat > argon\.xyz <<'END'\n([\s\S]*?)^END$/m.exec(readme)!;
  assertEquals(parseExtxyz(text!).map(({ symbols }) => symbols), [["Ar", "Ar", "Ar", "Ar"]]);
});

Deno.test("every TypeScript block in README.md and docs/ is run by the task test", async () => {
  const all = await pages();
  for (const [page, text] of all) {
    assertEquals(unrunExamples(text), [], `${page} has blocks that deno test --doc passes over`);
  }
  const shares = sharesOf([...all.keys(), "src/hooks/mod.ts", "mod.ts"], "fast", () => false);
  const shown = shares.filter(({ isDocs }) => isDocs).flatMap(({ paths }) => paths);
  assertEquals(shown.sort(), [...all.keys(), "mod.ts", "src/hooks/mod.ts"].sort());
  assertEquals(tasks.test.command, "deno run -A tools/suite/run.ts fast");
  assertEquals([exclude, testOptions], [undefined, undefined], "deno.json leaves files out");
});

Deno.test("every relative link in README.md and docs/ leads to a file, and to a heading it has", async () => {
  for (const [page, text] of await pages()) {
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^\w+:/.test(link!)) continue;
      const url = new URL(link!, new URL(page, ROOT));
      const path = url.pathname.slice(ROOT.pathname.length);
      assert(exists(path), `${page} links to ${link}, which is not there`);
      if (url.hash === "") continue;
      const headings = (await Deno.readTextFile(new URL(path, ROOT))).matchAll(/^#+ (.+)$/gm);
      const anchors = [...headings].map(([, heading]) =>
        "#" + heading!.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-")
      );
      assert(anchors.includes(url.hash), `${page} links to ${link}: ${path} has ${anchors}`);
    }
  }
});

Deno.test("every import in README.md and docs/ is an entry point of the package, or mapped on its own page", async () => {
  const all = await pages();
  const { exports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const exported = new Set(Object.keys(exports).map((name) => `@hooke/hooke${name.slice(1)}`));
  for (const [page, text] of all) {
    if (page.startsWith("docs/contributing/")) continue; // read in a clone, whose deno.json maps them
    const imported = text.matchAll(
      /^(?:import|export) .*?from "([^"./][^"]*)"|^\} from "([^"]+)"/gm,
    );
    const names = new Set([...imported].map(([, one, other]) => one ?? other!));
    const missing = [...names].filter((name) =>
      !exported.has(name) && !text.includes(`"${name}": "`)
    );
    const known = ["@std/assert"]; // each page that has it says where it is from
    assertEquals(missing.filter((name) => !known.includes(name)), [], page);
  }
});

Deno.test("figures of the README's table of speed are those that bench/README.md has", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const measured = await Deno.readTextFile(new URL("bench/README.md", ROOT));
  const rows = tablesOf(readme)("Case");
  assertEquals(rows.length, 4);
  for (const figure of rows.flat().flatMap((cell) => cell.match(/[\d.]+ (ns|ms)/g) ?? [])) {
    assert(measured.includes(` ${figure}`), figure);
  }
});

Deno.test("docs/examples.md lists every example", async () => {
  const page = await Deno.readTextFile(new URL("docs/examples.md", ROOT));
  const listed = [...page.matchAll(/\]\(\.\.\/examples\/(\w+\.ts)\)/g)].map(([, name]) => name!);
  const entries = await Array.fromAsync(Deno.readDir(new URL("examples/", ROOT)));
  const programs = entries.filter(({ isFile, name }) => isFile && name.endsWith(".ts"));
  assertEquals(listed.toSorted(), programs.map(({ name }) => name).toSorted());
});

Deno.test("the pictures of the README are files, and small ones", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path!);
  assertEquals(pictures.length, 2);
  for (const path of pictures) assert((await Deno.stat(new URL(path, ROOT))).size < 150_000, path);
});
