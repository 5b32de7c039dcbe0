import type { ModuleInfo } from "./graph.ts";

/**
 * What is loaded with a module: all that it imports, directly or not, without types. What is imported by a call is
 * counted only with `calls`: it is loaded when, and if, that call is made.
 */
export function loadedWith(
  modules: readonly ModuleInfo[],
  entry: string,
  { calls = false }: { readonly calls?: boolean } = {},
): Set<string> {
  const imports = new Map(
    modules.map(({ specifier, dependencies = [] }) => [
      specifier,
      dependencies.filter(({ isDynamic }) => calls || isDynamic !== true)
        .flatMap(({ code }) => code?.specifier ?? []),
    ]),
  );
  const loaded = new Set<string>();
  const waiting = [entry];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (loaded.has(next)) continue;
    loaded.add(next);
    waiting.push(...imports.get(next) ?? []);
  }
  return loaded;
}
