/**
 * The table of contents of the site: the lists of docs/index.md.
 *
 * @module
 */

/** A page in the table of contents. */
export interface Entry {
  /** Path of the file from the root of the project. */
  readonly path: string;
  readonly title: string;
}

/** A section of the table of contents. */
export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Path of the page with the table of contents. */
export const INDEX = "docs/index.md";

/** Returns the sections of the index page: its headings, and the links of the list below each. */
export function contentsOf(index: string): Section[] {
  return index.split(/^## /m).slice(1).map((part) => ({
    title: part.slice(0, part.indexOf("\n")),
    entries: [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title, link]) => ({
      title: title!,
      path: resolve(INDEX, link!),
    })),
  }));
}

/** Returns the path of a link of a page, from the root of the project. */
export function resolve(page: string, link: string): string {
  return decodeURIComponent(new URL(link, `file:///${page}`).pathname.slice(1));
}
