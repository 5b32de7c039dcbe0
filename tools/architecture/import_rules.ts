import type { ImportGraph } from "./graph.ts";
import { refuseImport, refusePackage } from "./rooms.ts";

/** The imports that the table in rooms.ts forbids, as sentences. */
export function findForbiddenImports({ files, packages }: ImportGraph): string[] {
  return [...sentences(files, refuseImport), ...sentences(packages, refusePackage)];
}

function sentences(
  edges: ReadonlyMap<string, readonly string[]>,
  refuse: (from: string, to: string) => string | undefined,
): string[] {
  return [...edges].flatMap(([from, targets]) =>
    targets.flatMap((to) => {
      const reason = refuse(from, to);
      return reason === undefined ? [] : [`${from} imports ${to}: ${reason}`];
    })
  );
}
