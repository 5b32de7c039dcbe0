/**
 * Counts the exported functions and classes whose description has a running example.
 *
 * @module
 */

import { entryPoints, ROOT } from "./entry_points.ts";

/** The part of `deno doc --json` that matters here. */
export interface DocSymbol {
  /** Exported name. */
  readonly name: string;
  /** Declarations with that name. */
  readonly declarations: readonly {
    readonly kind: string;
    readonly declarationKind: string;
    readonly jsDoc?: {
      readonly doc?: string;
      readonly tags?: readonly { readonly kind: string; readonly doc?: string }[];
    };
  }[];
}

/** Functions and classes of one entry point. */
export interface ExampleCount {
  /** Number of exported functions and classes. */
  readonly total: number;
  /** Names of those without an example. */
  readonly without: readonly string[];
}

/** Returns whether a text contains a block of TypeScript that the tests run. */
function hasBlock(text: string | undefined): boolean {
  return /^```ts\n/m.test(text ?? "");
}

/** Name → whether a function or class has an example; other declarations and references are left out. */
function declared(symbols: readonly DocSymbol[]): Map<string, boolean> {
  return new Map(symbols.flatMap(({ name, declarations }) => {
    const own = declarations.filter(({ kind, declarationKind }) =>
      declarationKind === "export" && (kind === "function" || kind === "class")
    );
    const isShown = own.some(({ jsDoc }) =>
      hasBlock(jsDoc?.doc) || jsDoc?.tags?.some(({ doc }) => hasBlock(doc))
    );
    return own.length === 0 ? [] : [[name, isShown]];
  }));
}

/** Counts examples among the names of an entry point. Overloads of a function count once. */
export function countExamples(
  names: Iterable<string>,
  shown: ReadonlyMap<string, boolean>,
): ExampleCount {
  const counted = [...names].filter((name) => shown.has(name));
  return { total: counted.length, without: counted.filter((name) => !shown.get(name)).sort() };
}

/** Counts the examples of each entry point, and of all of them, each name once (`"all"`). */
export async function examplesByEntryPoint(): Promise<ReadonlyMap<string, ExampleCount>> {
  const entries = Object.entries(await entryPoints());
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...entries.map(([, file]) => file)],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`deno doc failed: ${new TextDecoder().decode(stderr)}`);
  return countByEntryPoint(entries, JSON.parse(new TextDecoder().decode(stdout)).nodes);
}

/** Counts in the output of `deno doc --json`, which describes a name in one entry point and refers to it in others. */
export function countByEntryPoint(
  entries: readonly (readonly [name: string, file: string])[],
  nodes: Readonly<Record<string, { readonly symbols?: readonly DocSymbol[] }>>,
): ReadonlyMap<string, ExampleCount> {
  const symbols = entries.map(([name, file]) => [name, nodes[file]?.symbols ?? []] as const);
  const shown = declared(symbols.flatMap(([, list]) => list));
  return new Map([
    ...symbols.map(([name, list]) =>
      [name, countExamples(list.map((symbol) => symbol.name), shown)] as const
    ),
    ["all", countExamples(shown.keys(), shown)],
  ]);
}

if (import.meta.main) {
  for (const [name, { total, without }] of await examplesByEntryPoint()) {
    if (total === 0) continue;
    const share = (100 * (1 - without.length / total)).toFixed(0);
    console.log(`${name}: ${total - without.length} of ${total} (${share} %)`);
    if (Deno.args.includes("--list")) console.log(`  ${without.join(", ")}`);
  }
}
