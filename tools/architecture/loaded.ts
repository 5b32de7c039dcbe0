import type { ModuleInfo } from "./graph.ts";

/**
 * Returns all modules that are loaded with a module, directly or indirectly, without types. Modules that are imported
 * by a call are included only with `calls`, because they are loaded only if the call is made.
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
