/**
 * The exported names per entry point, and the snapshot they are compared with. `deno task api:update` rewrites
 * the snapshot, so that a change of the public API shows up as a line in a review.
 *
 * @module
 */

import { entryPoints, ROOT } from "../check/entry_points.ts";

/** Entry point (`"./hooks"`) → its exported names with their kinds, sorted: `"hook: function"`. */
export type PublicApi = Record<string, string[]>;

/** The part of `deno doc --json` that matters here. */
interface DocSymbol {
  name: string;
  declarations: Array<{ kind: string; declarationKind: string }>;
}

const SNAPSHOT = new URL("tests/public_api.json", ROOT);

/** Asks `deno doc` what each entry point exports. */
export async function publicApi(): Promise<PublicApi> {
  const entries = await entryPoints();
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...Object.values(entries)],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`deno doc failed: ${new TextDecoder().decode(stderr)}`);
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  return Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, toNames(nodes[file]?.symbols ?? [])]),
  );
}

/** Returns the names of symbols. Overloads are one name. If a type and a value have the same name, both are listed. */
export function toNames(symbols: readonly DocSymbol[]): string[] {
  return symbols.flatMap(({ name, declarations }) => {
    const kinds = declarations.filter(({ declarationKind }) => declarationKind === "export")
      .map(({ kind }) => kind);
    return kinds.length === 0 ? [] : [`${name}: ${[...new Set(kinds)].sort().join(", ")}`];
  }).sort();
}

/** The committed names. */
export async function readSnapshot(): Promise<PublicApi> {
  return JSON.parse(await Deno.readTextFile(SNAPSHOT));
}

/** Returns the changes between two sets of names: `+` for a new name, `-` for a removed name. */
export function apiChanges(before: PublicApi, after: PublicApi): string[] {
  const points = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return points.flatMap((point) => {
    const [old, now] = [before[point] ?? [], after[point] ?? []];
    return [
      ...old.filter((name) => !now.includes(name)).map((name) => `- ${point} ${name}`),
      ...now.filter((name) => !old.includes(name)).map((name) => `+ ${point} ${name}`),
    ];
  });
}

if (import.meta.main) {
  await Deno.writeTextFile(SNAPSHOT, `${JSON.stringify(await publicApi(), null, 2)}\n`);
}
