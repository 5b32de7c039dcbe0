import type { ImportGraph } from "./graph.ts";

/** The import cycles, each as the files on the way round, starting with the first by name. */
export function findCycles({ files }: Pick<ImportGraph, "files">): string[][] {
  const cycles = new Map<string, string[]>();
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const cycle = rotate(path.slice(start));
      cycles.set(cycle.join(), cycle);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const next of files.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of files.keys()) visit(file);
  return [...cycles.values()];
}

/** The same cycle found from two sides is one cycle. */
function rotate(cycle: string[]): string[] {
  const first = cycle.indexOf(cycle.toSorted()[0]!);
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}
