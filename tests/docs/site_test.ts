// The site that `deno task docs` writes: every link leads somewhere, and every page is found.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { anchors } from "../../tools/check/markdown.ts";
import { markdownPages } from "../../tools/check/pages.ts";
import { contentsOf } from "../../tools/docs/contents.ts";
import { diagramSvg } from "../../tools/docs/diagram.ts";
import { highlight } from "../../tools/docs/highlight.ts";
import { renderPage, siteFile } from "../../tools/docs/markdown.ts";
import { renderSite } from "../../tools/docs/site.ts";

const site = await renderSite(() => Promise.resolve(""));
const pages = [...site].filter((file): file is [string, string] => file[0].endsWith(".html"));

/** The addresses on a page, as files of the site and anchors. */
function targets(file: string, html: string): { readonly file: string; readonly anchor: string }[] {
  const found = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address]) => address!);
  return found.filter((address) => !/^\w+:/.test(address)).map((address) => {
    const url = new URL(address, `file:///${file}`);
    return { file: url.pathname.slice(1), anchor: decodeURIComponent(url.hash.slice(1)) };
  });
}

Deno.test("every address in the site leads to a file of the site, and to an anchor that it has", () => {
  const ids = new Map(pages.map(([file, html]) => [
    file,
    new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
  ]));
  const broken = pages.flatMap(([file, html]) =>
    targets(file, html)
      .filter((to) => !site.has(to.file) || (to.anchor !== "" && !ids.get(to.file)?.has(to.anchor)))
      .map((to) => `${file}: ${to.file}#${to.anchor}`)
  );
  assertEquals(broken, []);
});

Deno.test("a block of XYZ is a viewer in the site, and only its page loads the script of viewers", () => {
  const withViewer = pages.filter(([, html]) => html.includes("<hooke-viewer "));
  assertEquals(withViewer.map(([file]) => file), ["docs/howto/show_structures.html"]);
  assert(withViewer[0]![1].includes('<script src="../../viewer.js"></script>'));
  assertEquals(pages.filter(([, html]) => html.includes('viewer.js"')).length, 1);
});

Deno.test("the site loads nothing from the network", () => {
  for (const [file, html] of pages) {
    const loaded = [...html.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="(\w+:[^"]*)"/g)];
    assertEquals(loaded.map(([, address]) => address), [], file);
  }
});

Deno.test("the table of contents has every page, and next links go through all of them in order", async () => {
  const index = await Deno.readTextFile(new URL("../../docs/index.md", import.meta.url));
  const listed = contentsOf(index).flatMap(({ entries }) => entries.map(({ path }) => path));
  assertEquals(new Set(listed).size, listed.length, "a page is listed twice");
  const missing = (await markdownPages()).filter((page) =>
    !listed.includes(page) && page !== "docs/index.md"
  );
  assertEquals(missing, [], "pages that docs/index.md lacks");
  const visited: string[] = [];
  for (let file: string | undefined = siteFile(listed[0]!); file !== undefined;) {
    visited.push(file);
    const next: string | undefined = / rel="next" href="([^"]+)"/.exec(site.get(file) as string)
      ?.[1];
    file = next === undefined ? undefined : new URL(next, `file:///${file}`).pathname.slice(1);
  }
  assertEquals(visited, listed.map(siteFile));
});

Deno.test("the search has a row for each heading, with the text below it", () => {
  const rows: string[][] = JSON.parse(
    (site.get("search_index.js") as string).replace("const SEARCH_INDEX = ", "").replace(
      /;\n$/,
      "",
    ),
  );
  const row = rows.find(([file, anchor]) => file === "docs/glossary.html" && anchor === "hooks")!;
  assertEquals(row.slice(2, 4), ["Glossary", "Hooks"]);
  assert(row[4]!.includes("an object of the user that an engine calls"), row[4]);
  assert(!rows.some(([, , , , text]) => text!.includes("<!--")));
});

Deno.test("a heading has the anchor that GitHub gives it", () => {
  const page =
    "# Über `x`: a/b\n\n## Twice\n\n```sh\n# no heading\n```\n\n## Twice\n\n### [A](b.md) *c*\n";
  assertEquals(anchors(page), ["über-x-ab", "twice", "twice-1", "a-c"]);
  const { html } = renderPage("docs/a.md", page);
  assertEquals([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id), anchors(page));
});

Deno.test("links to pages become links to files of the site", () => {
  const { html, links } = renderPage("docs/a/b.md", "[x](../../README.md#y) [z](https://z.org)");
  assert(html.includes('href="../../index.html#y"') && html.includes('href="https://z.org"'), html);
  assertEquals(links, ["README.md"]);
});

Deno.test("code is escaped, and comments and strings are not taken for code", () => {
  assertEquals(highlight("a < b", "text"), "a &lt; b");
  assertEquals(
    highlight('const a = "new"; // if', "ts"),
    '<span class="keyword">const</span> a = <span class="string">&quot;new&quot;</span>; ' +
      '<span class="comment">// if</span>',
  );
});

Deno.test("diagrams have a box for each name and an arrow for each line, and others are refused", () => {
  const plan = diagramSvg('flowchart TD\n  a["a.ts"]\n  b["b"]\n  a --> b');
  assertEquals([plan.match(/<rect/g)?.length, plan.match(/<path d="M[^>]+marker-end/g)?.length], [
    2,
    1,
  ]);
  const step = diagramSvg("sequenceDiagram\n  A->>B: go\n  B-->>A: done");
  assertEquals([step.match(/<rect/g)?.length, step.match(/marker-end/g)?.length], [2, 2]);
  assertThrows(() => diagramSvg("pie\n"), SyntaxError, "got pie");
});
