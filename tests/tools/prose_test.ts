import { assert, assertEquals } from "@std/assert";
import {
  exceeded,
  measure,
  opensWithClause,
  readRooms,
  sample,
  table,
  wordsIn,
} from "../../tools/check/prose.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { CEILINGS } from "../../tools/check/prose_ceilings.ts";
import { textsOf } from "../../tools/check/texts.ts";

const SOURCE = `
/**
 * What is told.
 *
 * \`\`\`ts
 * const who = "told";
 * \`\`\`
 */
// One comment
// of two lines.
const half = a / b; // a ratio / of two
const text = "two words", one = "word", pattern = /"not a string/, url = "https://a.b/c";
throw new TypeError(\`Cannot \${open("a file")} as it must be \\\`open\\\`: current value is \${x}\`);
/* Whether none. */
const shader = \`
  // told, but in a shader
\`;
`;

Deno.test("textsOf() finds comments and sentences, without examples, shaders, patterns and single words", () => {
  assertEquals(textsOf(SOURCE).map(({ type, line, text }) => [type, line, text]), [
    ["doc", 2, "What is told."],
    ["comment", 9, "One comment of two lines."],
    ["comment", 11, "a ratio / of two"],
    ["string", 12, "two words"],
    ["string", 13, "Cannot … as it must be \`open\`: current value is …"],
    ["string", 13, "a file"],
    ["comment", 14, "Whether none."],
  ]);
});

Deno.test("measure() counts doc comments that open with a clause, and words to avoid", () => {
  const figures = measure(textsOf(SOURCE));
  assertEquals([figures.docs, figures.clauses], [1, 1]);
  const counted = Object.entries(figures.words).filter(([, count]) => count > 0);
  assertEquals(Object.fromEntries(counted), {
    told: 1,
    none: 1,
    "as it must": 1,
    "Cannot … as … must": 1,
    "current value": 1,
  });
});

Deno.test("a doc comment opens with a clause if its first word is a relative or a question", () => {
  for (const opening of ["What it is.", "Whether it is.", "Who asks.", "Something that is."]) {
    assert(opensWithClause({ type: "doc", line: 1, text: opening }), opening);
    assert(!opensWithClause({ type: "comment", line: 1, text: opening }), opening);
  }
  for (const opening of ["Whole numbers.", "Returns whether it is.", "Whatsoever.", "Howling."]) {
    assert(!opensWithClause({ type: "doc", line: 1, text: opening }), opening);
  }
  assertEquals(wordsIn({ type: "doc", line: 1, text: "Whoever told nobody" }), [
    "told",
    "nobody",
    "nobody",
  ]);
});

Deno.test("exceeded() names each room above its ceiling, and those that only one side knows", () => {
  const figures = measure(textsOf(SOURCE));
  const rooms = new Map([["a", figures], ["b", figures], ["c", figures]]);
  const fine = { clauses: 100, words: 5 };
  assertEquals(exceeded(rooms, { a: fine, b: fine, c: fine }), []);
  assertEquals(exceeded(rooms, { a: { clauses: 99, words: 4 }, b: fine, d: fine }), [
    "d: the ceiling is for a room that does not exist",
    "a: 100.0 % of the doc comments open with a clause; at most 99 % may",
    "a: 5 words to avoid; at most 4 are allowed",
    "c: the room has no ceiling in tools/check/prose_ceilings.ts",
  ]);
  assertEquals(table(new Map([["a", figures]])).split("\n")[1]!.trim().split(/ {2,}/).slice(0, 4), [
    "a",
    "1",
    "100.0 %",
    "1",
  ]);
});

Deno.test("sample() picks different texts, the same for the same seed", () => {
  const texts = Array.from({ length: 50 }, (_, i) => i);
  const picked = sample(texts, 30, 7);
  assertEquals(new Set(picked).size, 30);
  assertEquals(sample(texts, 30, 7), picked);
  assert(sample(texts, 30, 8).join() !== picked.join());
});

/** Rooms that have been rewritten: their figures must not rise again. */
const REWRITTEN = ["backend", "batch", "dispatch", "kernels"];

Deno.test("rooms that have been rewritten stay below their ceilings", async () => {
  const rooms = await readRooms(ROOT);
  const figures = new Map(REWRITTEN.map((room) => [room, measure(rooms.get(room)!)]));
  const ceilings = Object.fromEntries(REWRITTEN.map((room) => [room, CEILINGS[room]!]));
  assertEquals(exceeded(figures, ceilings), []);
});
