/**
 * Measures the prose of the project by room: the share of doc comments that open with a clause, headings that readers
 * do not search for, and words that plain technical English avoids. A room is a folder of `src` or `tests`, or a group
 * of pages. Figures may fall, never rise.
 *
 * `deno run --allow-read tools/check/prose.ts` prints the table and fails if a ceiling is exceeded;
 * `--list ROOM` prints the texts that count, `--sample COUNT SEED ROOM…` prints random texts to judge.
 *
 * @module
 */

import { ROOT } from "./entry_points.ts";
import { type Ceiling, CEILINGS } from "./prose_ceilings.ts";
import { type Placed, readRooms } from "./prose_rooms.ts";
import { CLAUSE, ODD_HEADING, WORDS } from "./prose_words.ts";
import type { Text } from "./texts.ts";

/** The figures of a room. */
export interface Figures {
  /** Number of doc comments. */
  readonly docs: number;
  /** Number of doc comments that open with a clause. */
  readonly clauses: number;
  /** Number of headings that readers do not search for. */
  readonly headings: number;
  /** Occurrences in comments and messages, by column. */
  readonly words: Readonly<Record<string, number>>;
}

/** Returns whether the text is a doc comment that opens with a clause. */
export function opensWithClause({ type, text }: Text): boolean {
  return type === "doc" && CLAUSE.test(text);
}

/** Returns whether the text is a heading that readers do not search for. */
export function isOddHeading({ type, text }: Text): boolean {
  return type === "heading" && ODD_HEADING.test(text);
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
    headings: texts.filter(isOddHeading).length,
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

/** Returns a line for each ceiling that is exceeded, and for each of a room that does not exist. */
export function exceeded(
  rooms: ReadonlyMap<string, Figures>,
  ceilings: Readonly<Record<string, Ceiling>>,
): string[] {
  const lines = Object.keys(ceilings).filter((room) => !rooms.has(room))
    .map((room) => `${room}: the ceiling is for a room that does not exist`);
  for (const [room, figures] of rooms) {
    const { clauses = 3, words = 0, headings = 0 } = ceilings[room] ?? {};
    const share = clauseShare(figures), count = wordCount(figures);
    if (share > clauses) {
      lines.push(
        `${room}: ${
          share.toFixed(1)
        } % of the doc comments open with a clause; at most ${clauses} % may`,
      );
    }
    if (count > words) lines.push(`${room}: ${count} words to avoid; at most ${words} are allowed`);
    if (figures.headings > headings) {
      lines.push(`${room}: ${figures.headings} odd headings; at most ${headings} are allowed`);
    }
  }
  return lines;
}

/** Returns the figures of all rooms as a table, in the order of their names. */
export function table(rooms: ReadonlyMap<string, Figures>): string {
  const head = ["room", "docs", "clauses", "headings", ...Object.keys(WORDS)];
  const rows = [...rooms].map(([room, figures]) => [
    room,
    String(figures.docs),
    `${clauseShare(figures).toFixed(1)} %`,
    String(figures.headings),
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

function show({ file, line, text }: Placed): string {
  return `${file}:${line}  ${text}`;
}

if (import.meta.main) {
  const [mode, ...rest] = Deno.args, rooms = await readRooms(ROOT);
  if (mode === "--list") {
    const texts = rest.flatMap((room) => rooms.get(room) ?? []);
    console.log(
      texts.filter((text) =>
        opensWithClause(text) || isOddHeading(text) || wordsIn(text).length > 0
      )
        .map(show).join("\n"),
    );
  } else if (mode === "--sample") {
    const [count, seed, ...names] = rest;
    const texts = names.flatMap((room) => rooms.get(room) ?? []);
    console.log(sample(texts, Number(count), Number(seed)).map(show).join("\n"));
  } else {
    const figures = new Map([...rooms].map(([room, texts]) => [room, measure(texts)]));
    console.log(table(figures));
    const lines = exceeded(figures, CEILINGS);
    if (lines.length > 0) {
      console.error(`\n${lines.join("\n")}\n--list ROOM prints the texts that count`);
    }
    Deno.exit(lines.length > 0 ? 1 : 0);
  }
}
