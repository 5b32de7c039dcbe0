/**
 * Measures the prose of the sources by room: how many doc comments open with a clause, and how often words
 * stand in comments and messages that plain technical English does without. Figures may fall, never rise.
 *
 * `deno run --allow-read tools/check/prose.ts` prints the table and fails if a ceiling is exceeded;
 * `--list ROOM` prints the texts that count, `--sample COUNT SEED ROOM…` prints random texts to judge.
 *
 * @module
 */

import { type Ceiling, CEILINGS } from "./prose_ceilings.ts";
import { ROOT } from "./entry_points.ts";
import { type Text, textsOf } from "./texts.ts";

/** Openings of doc comments that are clauses: readers expect a verb or a noun. */
const CLAUSE =
  /^(What|Whatever|Whether|Who|Whoever|Whose|Whom|How|Where|When|Which|Why|Something that)\b/;

/** Words and phrases to avoid, by the name of their column. */
export const WORDS: Readonly<Record<string, RegExp>> = {
  told: /\btold\b/gi,
  nobody: /\b(nobody|somebody|whoever)\b/gi,
  "so many": /\bso many\b/gi,
  who: /\b(who|whom)\b/gi,
  none: /\bnone\b/gi,
  "as it must": /\bas (it|they|there|each|all) must\b/gi,
  "Cannot … as … must": /\bCannot\b[^:]*\bas\b[^:]*\bmust\b/g,
  "current value": /: current \w+/g,
};

/** The figures of a room. */
export interface Figures {
  /** Number of doc comments. */
  readonly docs: number;
  /** Number of doc comments that open with a clause. */
  readonly clauses: number;
  /** Occurrences in comments and messages, by column. */
  readonly words: Readonly<Record<string, number>>;
}

/** Returns whether the text is a doc comment that opens with a clause. */
export function opensWithClause({ type, text }: Text): boolean {
  return type === "doc" && CLAUSE.test(text);
}

/** Returns the words of a text that count, each as often as it stands there. */
export function wordsIn({ text }: Text): string[] {
  return Object.entries(WORDS)
    .flatMap(([name, pattern]) => [...text.matchAll(pattern)].map(() => name));
}

/** Measures the texts of a room. */
export function measure(texts: readonly Text[]): Figures {
  const words = Object.fromEntries(Object.keys(WORDS).map((name) => [name, 0]));
  for (const text of texts) for (const word of wordsIn(text)) words[word]!++;
  return {
    docs: texts.filter(({ type }) => type === "doc").length,
    clauses: texts.filter(opensWithClause).length,
    words,
  };
}

/** Returns the share of doc comments that open with a clause, in percent. */
export function clauseShare({ docs, clauses }: Figures): number {
  return docs === 0 ? 0 : 100 * clauses / docs;
}

/** Returns the number of occurrences of all words. */
export function wordCount({ words }: Figures): number {
  return Object.values(words).reduce((sum, count) => sum + count, 0);
}

/** Returns a line for each ceiling that is exceeded, for each room without one, and for each without a room. */
export function exceeded(
  rooms: ReadonlyMap<string, Figures>,
  ceilings: Readonly<Record<string, Ceiling>>,
): string[] {
  const lines = Object.keys(ceilings).filter((room) => !rooms.has(room))
    .map((room) => `${room}: the ceiling is for a room that does not exist`);
  for (const [room, figures] of rooms) {
    const ceiling = ceilings[room];
    if (ceiling === undefined) {
      lines.push(`${room}: the room has no ceiling in tools/check/prose_ceilings.ts`);
      continue;
    }
    const share = clauseShare(figures), words = wordCount(figures);
    if (share > ceiling.clauses) {
      lines.push(
        `${room}: ${
          share.toFixed(1)
        } % of the doc comments open with a clause; at most ${ceiling.clauses} % may`,
      );
    }
    if (words > ceiling.words) {
      lines.push(`${room}: ${words} words to avoid; at most ${ceiling.words} are allowed`);
    }
  }
  return lines;
}

/** Returns the figures of all rooms as a table, in the order of their names. */
export function table(rooms: ReadonlyMap<string, Figures>): string {
  const head = ["room", "docs", "clauses", ...Object.keys(WORDS)];
  const rows = [...rooms].map(([room, figures]) => [
    room,
    String(figures.docs),
    `${clauseShare(figures).toFixed(1)} %`,
    ...Object.values(figures.words).map(String),
  ]);
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
  return [head, ...rows]
    .map((row) => row.map((cell, i) => i ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
    .map((row) => row.join("  ")).join("\n");
}

/** Returns `count` different texts, picked by a seed: the same seed picks the same texts. */
export function sample<T>(texts: readonly T[], count: number, seed: number): T[] {
  const left = [...texts], picked: T[] = [];
  let state = seed >>> 0;
  while (picked.length < count && left.length > 0) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    picked.push(...left.splice(Math.floor(state / 2 ** 32 * left.length), 1));
  }
  return picked;
}

/** A text, and the file that it stands in. */
interface Placed extends Text {
  readonly file: string;
}

/** Reads the texts of all rooms of `src`. A file of `src` itself is in the room `src`. */
export async function readRooms(root: URL): Promise<Map<string, Placed[]>> {
  const rooms = new Map<string, Placed[]>();
  for (const file of await sourcesIn(new URL("src/", root), "src/")) {
    const parts = file.split("/"), room = parts.length > 2 ? parts[1]! : "src";
    const texts = textsOf(await Deno.readTextFile(new URL(file, root)));
    rooms.set(room, [...rooms.get(room) ?? [], ...texts.map((text) => ({ ...text, file }))]);
  }
  return new Map([...rooms].toSorted(([a], [b]) => a < b ? -1 : 1));
}

async function sourcesIn(folder: URL, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, isDirectory } of await Array.fromAsync(Deno.readDir(folder))) {
    if (isDirectory) found.push(...await sourcesIn(new URL(`${name}/`, folder), `${path}${name}/`));
    else if (name.endsWith(".ts") && !name.endsWith(".gen.ts")) found.push(path + name);
  }
  return found.sort();
}

function show({ file, line, text }: Placed): string {
  return `${file}:${line}  ${text}`;
}

if (import.meta.main) {
  const [mode, ...rest] = Deno.args, rooms = await readRooms(ROOT);
  if (mode === "--list") {
    const texts = rest.flatMap((room) => rooms.get(room) ?? []);
    console.log(
      texts.filter((text) => opensWithClause(text) || wordsIn(text).length > 0).map(show).join(
        "\n",
      ),
    );
  } else if (mode === "--sample") {
    const [count, seed, ...names] = rest;
    const texts = names.flatMap((room) => rooms.get(room) ?? []);
    console.log(sample(texts, Number(count), Number(seed)).map(show).join("\n"));
  } else {
    const figures = new Map([...rooms].map(([room, texts]) => [room, measure(texts)]));
    console.log(table(figures));
    const lines = exceeded(figures, CEILINGS);
    if (lines.length > 0) console.error(`\n${lines.join("\n")}`);
    Deno.exit(lines.length > 0 ? 1 : 0);
  }
}
