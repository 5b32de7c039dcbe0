import type { ImportGraph } from "./graph.ts";

/** The files that no root leads to. */
export function findUnreachable(
  { files }: Pick<ImportGraph, "files">,
  roots: Iterable<string>,
): string[] {
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    waiting.push(...files.get(file) ?? []);
  }
  return [...files.keys()].filter((file) => !reached.has(file));
}

/** Returns true if the file is started without being imported: a test, a benchmark, an example, a page. */
export function isStarted(path: string): boolean {
  return /_(test|bench)\.ts$/.test(path) || /^bench\/[a-z]+_table\.ts$/.test(path) ||
    /^(examples|tools\/sizes\/pages)\//.test(path) ||
    /^tests\/e2e\/page(_worker|_threads)?\.ts$/.test(path) ||
    /^src\/page\/(app\/app|viewer\/define|tab\/(tab_worker|service_worker))\.ts$/.test(path) || // bundled by tools/page
    /^tests\/npm\/node\/.*_node\.ts$/.test(path); // run by Node
}
