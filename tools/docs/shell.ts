/**
 * The frame around each page of the site: navigation, outline, search, colors.
 *
 * @module
 */

import type { Section } from "./contents.ts";
import { escapeHtml } from "./highlight.ts";
import { relative, type RenderedPage, siteFile, VIEWER_SCRIPT } from "./markdown.ts";

/** The frame of a page. */
export interface Shell {
  /** Path of the file of the page, from the root of the project. */
  readonly path: string;
  readonly page: RenderedPage;
  readonly contents: readonly Section[];
}

/** Returns a whole page. */
export function shellHtml({ path, page, contents }: Shell): string {
  const here = siteFile(path), to = (file: string) => relative(here, file);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)}${page.title === "Hooke" ? "" : " · Hooke"}</title>
<link rel="stylesheet" href="${to("site.css")}">
<header>
<a class="home" href="${to("index.html")}">Hooke</a>
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search" data-root="${
    to("")
  }">
<button id="theme" title="Light or dark">◐</button>
<ul id="results" hidden></ul>
</header>
<div class="columns">
<nav class="contents">${contentsHtml(path, contents, to)}</nav>
<main>
${page.html}
${turnHtml(path, contents, to)}
</main>
<nav class="outline">${outlineHtml(page)}</nav>
</div>
<script src="${to("search_index.js")}"></script>
<script src="${to("site.js")}"></script>
${page.hasViewer ? `<script src="${to(VIEWER_SCRIPT)}"></script>\n` : ""}</html>
`;
}

function contentsHtml(
  path: string,
  contents: readonly Section[],
  to: (file: string) => string,
): string {
  return contents.map(({ title, entries }) => {
    const items = entries.map((entry) => {
      const current = entry.path === path ? ` aria-current="page"` : "";
      return `<li><a href="${to(siteFile(entry.path))}"${current}>${
        escapeHtml(entry.title)
      }</a></li>`;
    });
    const open = entries.length <= 6 || entries.some((entry) => entry.path === path) ? " open" : "";
    return `<details${open}><summary>${escapeHtml(title)}</summary><ul>${
      items.join("")
    }</ul></details>`;
  }).join("\n");
}

/** Links to the page before and after. */
function turnHtml(
  path: string,
  contents: readonly Section[],
  to: (file: string) => string,
): string {
  const entries = contents.flatMap(({ entries }) => entries);
  const at = entries.findIndex((entry) => entry.path === path);
  if (at === -1) return "";
  const link = (i: number, rel: "prev" | "next") => {
    const entry = entries[i];
    if (entry === undefined) return "<span></span>";
    const label = rel === "prev" ? `← ${entry.title}` : `${entry.title} →`;
    return `<a rel="${rel}" href="${to(siteFile(entry.path))}">${escapeHtml(label)}</a>`;
  };
  return `<footer>${link(at - 1, "prev")}${link(at + 1, "next")}</footer>`;
}

function outlineHtml({ parts }: RenderedPage): string {
  const items = parts.filter(({ depth }) => depth === 2 || depth === 3).map((
    { anchor, title, depth },
  ) => `<li class="depth${depth}"><a href="#${anchor}">${escapeHtml(title)}</a></li>`);
  return items.length < 2 ? "" : `<strong>On this page</strong><ul>${items.join("")}</ul>`;
}
