/**
 * Renders the README and the pages of docs as a site: one folder of HTML, with search, that needs no network.
 *
 * Run: `deno task docs [FOLDER]`
 *
 * @module
 */

import { ROOT } from "../check/entry_points.ts";
import { contentsOf, INDEX } from "./contents.ts";
import { contentOf, PAGE_FILES } from "../page/bundles.ts";
import {
  type RenderedPage,
  renderPage,
  renderSource,
  siteFile,
  VIEWER_SCRIPT,
} from "./markdown.ts";
import { shellHtml } from "./shell.ts";
import { SCRIPT, STYLE } from "./style.ts";

/** A site: the content of each file. */
export type Site = ReadonlyMap<string, string | Uint8Array>;

/**
 * Renders the pages of the table of contents, and every file that they link to.
 *
 * @param viewerScript returns the script of pages with structures
 */
export async function renderSite(
  viewerScript: () => Promise<string | Uint8Array> = bundledViewer,
): Promise<Site> {
  const contents = contentsOf(await read(INDEX));
  const listed = [...contents.flatMap(({ entries }) => entries.map(({ path }) => path)), INDEX];
  const waiting = [...new Set(listed)], known = new Set(waiting);
  const pages = new Map<string, RenderedPage>(), files = new Map<string, string | Uint8Array>();
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (/\.(png|svg)$/.test(path)) {
      files.set(siteFile(path), await Deno.readFile(new URL(path, ROOT)));
      continue;
    }
    const page = await render(path);
    pages.set(path, page);
    for (const link of page.links) {
      if (known.has(link)) continue;
      if (!await exists(link)) throw new Error(`${path} links to ${link}: the file does not exist`);
      known.add(link);
      waiting.push(link);
    }
  }
  for (const [path, page] of pages) files.set(siteFile(path), shellHtml({ path, page, contents }));
  if (pages.values().some(({ hasViewer }) => hasViewer)) {
    files.set(VIEWER_SCRIPT, await viewerScript());
  }
  files.set("search_index.js", `const SEARCH_INDEX = ${JSON.stringify(searchRows(pages))};\n`);
  return files.set("site.css", STYLE).set("site.js", SCRIPT);
}

function bundledViewer(): Promise<Uint8Array> {
  return contentOf(PAGE_FILES.find(({ name }) => name === VIEWER_SCRIPT)!);
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(new URL(path, ROOT)).then(() => true, () => false);
}

async function render(path: string): Promise<RenderedPage> {
  if (path.endsWith(".md")) return renderPage(path, await read(path));
  const { isDirectory } = await Deno.stat(new URL(path, ROOT));
  return isDirectory ? await renderFolder(path) : renderSource(path, await read(path));
}

/** A folder is a page with links to its files. */
async function renderFolder(path: string): Promise<RenderedPage> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(`${path}/`, ROOT)));
  const names = entries.filter(({ isFile, name }) => isFile && /\.(ts|md)$/.test(name))
    .map(({ name }) => name).sort();
  const folder = path.replace(/\/$/, "").split("/").at(-1);
  const items = names.map((name) => `- [\`${name}\`](${folder}/${name})`);
  return renderPage(path.replace(/\/$/, ""), `# ${path}\n\n${items.join("\n")}\n`);
}

/** Rows of the search: file, anchor, title of the page, heading, text. */
function searchRows(pages: ReadonlyMap<string, RenderedPage>): string[][] {
  return [...pages].flatMap(([path, { title, parts }]) =>
    parts.map((part) => [siteFile(path), part.anchor, title, part.title, part.text])
  );
}

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

if (import.meta.main) {
  const folder = Deno.args[0] ?? "site";
  const site = await renderSite();
  for (const [file, content] of site) {
    const path = `${folder}/${file}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await (typeof content === "string"
      ? Deno.writeTextFile(path, content)
      : Deno.writeFile(path, content));
  }
  console.log(`${site.size} files: open ${folder}/index.html`);
}
