/**
 * Renders a page of Markdown as HTML, with links that lead to other pages of the site.
 *
 * @module
 */

import { Marked, type Tokens } from "marked";
import { anchors } from "../check/markdown.ts";
import { resolve } from "./contents.ts";
import { diagramSvg } from "./diagram.ts";
import { escapeHtml, highlight } from "./highlight.ts";

/** A heading and the text below it, for the search and the outline of a page. */
export interface Part {
  readonly anchor: string;
  readonly title: string;
  readonly depth: number;
  readonly text: string;
}

/** A rendered page. */
export interface RenderedPage {
  /** The first heading. */
  readonly title: string;
  readonly html: string;
  readonly parts: readonly Part[];
  /** True if the page shows structures, by the element of `VIEWER_SCRIPT`. */
  readonly hasViewer?: boolean;
  /** Files of the project that the page links to or shows, as paths from the root. */
  readonly links: readonly string[];
}

/** Returns the file of the site for a file of the project. */
export function siteFile(path: string): string {
  if (path === "README.md") return "index.html";
  if (/\.(png|svg)$/.test(path)) return path;
  return path.endsWith(".md") ? path.replace(/\.md$/, ".html") : `${path}.html`;
}

/** Returns the relative address of one file of the site on another. */
export function relative(from: string, to: string): string {
  return "../".repeat(from.split("/").length - 1) + to;
}

/** Renders a page; `path` is its path from the root of the project. */
export function renderPage(path: string, markdown: string): RenderedPage {
  const ids = anchors(markdown).values(), links = new Set<string>();
  const address = (href: string): string => {
    if (/^\w+:/.test(href) || href.startsWith("#")) return href;
    const [file = "", hash] = href.split("#");
    const target = resolve(path, file);
    links.add(target);
    const to = relative(siteFile(path), siteFile(target));
    return hash === undefined ? to : `${to}#${hash}`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }): string {
        const id = ids.next().value;
        const text = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}">${text}<a class="anchor" href="#${id}">#</a></h${depth}>\n`;
      },
      code: ({ text, lang = "" }) => codeHtml(text, lang.split(" ")[0]!),
      table(token): string {
        return `<div class="wide">${
          tableHtml(token, (cell) => this.parser.parseInline(cell.tokens))
        }</div>`;
      },
    },
    walkTokens(token) {
      if (token.type === "link" || token.type === "image") token.href = address(token.href);
    },
  });
  const html = marked.parse(markdown, { async: false });
  const parts = partsOf(markdown);
  const hasViewer = html.includes("<hooke-viewer ");
  return { title: parts[0]?.title ?? path, html, parts, hasViewer, links: [...links] };
}

/** Script of pages with structures. */
export const VIEWER_SCRIPT = "viewer.js";

function codeHtml(text: string, language: string): string {
  if (language === "xyz") {
    return `<hooke-viewer controls class="structure">${escapeHtml(text)}</hooke-viewer>\n`;
  }
  if (language === "mermaid") return `<figure>${diagramSvg(text)}</figure>\n`;
  return `<pre><code>${highlight(text, language)}</code></pre>\n`;
}

function tableHtml(
  { header, rows }: Tokens.Table,
  inline: (cell: Tokens.TableCell) => string,
): string {
  const row = (cells: readonly Tokens.TableCell[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((cells) => row(cells, "td")).join("\n");
  return `<table><thead>${row(header, "th")}</thead><tbody>${body}</tbody></table>`;
}

/** Returns the headings of a page with the text below each. */
function partsOf(markdown: string): Part[] {
  const ids = anchors(markdown).values(), parts: Part[] = [];
  let text: string[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === "heading") {
      text = [];
      const found = text;
      parts.push({
        anchor: ids.next().value!,
        title: plain(token.text),
        depth: token.depth,
        get text() {
          return found.join(" ");
        },
      });
    } else if (token.type !== "space") text.push(plain(token.raw));
  }
  return parts;
}

/** Removes marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/[`*|#]|-{3,}/g, "").replaceAll(/\s+/g, " ").trim();
}

/** Renders a source file as a page. */
export function renderSource(path: string, text: string): RenderedPage {
  const language = path.split(".").at(-1)!;
  const html = `<h1>${escapeHtml(path)}</h1>\n<pre><code>${highlight(text, language)}</code></pre>`;
  return { title: path, html, parts: [], links: [] };
}
