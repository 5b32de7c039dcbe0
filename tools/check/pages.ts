/**
 * Lists the Markdown pages of the project.
 *
 * @module
 */

import { ROOT } from "./entry_points.ts";

/** Pages outside of `docs`. The changelog has no examples. */
const OTHER_PAGES: readonly string[] = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "RELEASING.md",
  "SECURITY.md",
  "AGENTS.md",
  "src/hooks/README.md",
];

/** Returns the pages outside of `docs` and everything below it, as sorted paths from the root. */
export async function markdownPages(): Promise<string[]> {
  return [...OTHER_PAGES, ...await pagesBelow("docs/")].sort();
}

async function pagesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) found.push(...await pagesBelow(`${folder}${name}/`));
    else if (name.endsWith(".md")) found.push(folder + name);
  }
  return found;
}
