import { assert, assertEquals } from "@std/assert";
import {
  exceeded,
  isOddHeading,
  measure,
  opensWithClause,
  sample,
  table,
  wordsIn,
} from "../../tools/check/prose.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { CEILINGS } from "../../tools/check/prose_ceilings.ts";
import { readRooms, textsOfPage } from "../../tools/check/prose_rooms.ts";
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

Deno.test("exceeded() names each room above its ceiling, and ceilings without a room", () => {
  const figures = measure([
    ...textsOf(SOURCE),
    { type: "heading", line: 1, text: "What waits, and what does not" },
  ]);
  const rooms = new Map([["a", figures], ["b", figures], ["c", figures]]);
  const fine = { clauses: 100, words: 4, headings: 1 };
  assertEquals(exceeded(rooms, { a: fine, b: fine, c: fine }), []);
  assertEquals(exceeded(rooms, { a: { clauses: 99, words: 3 }, b: fine, d: fine }), [
    "d: the ceiling is for a room that does not exist",
    "a: 100.0 % of the doc comments open with a clause; at most 99 % may",
    "a: 4 words to avoid; at most 3 are allowed",
    "a: 1 odd headings; at most 0 are allowed",
    "c: 100.0 % of the doc comments open with a clause; at most 3 % may",
    "c: 4 words to avoid; at most 0 are allowed",
    "c: 1 odd headings; at most 0 are allowed",
  ]);
  const row = table(new Map([["a", figures]])).split("\n")[1]!.trim().split(/ {2,}/);
  assertEquals(row.slice(0, 5), ["a", "1", "100.0 %", "1", "1"]);
});

Deno.test("headings name a topic: questions and relative clauses are odd", () => {
  const isOdd = (text: string) => isOddHeading({ type: "heading", line: 1, text });
  for (const text of ["Where it stands", "Is the bath right?", "A rule of one's own", "When"]) {
    assert(isOdd(text), text);
  }
  for (const text of ["How data flows", "When to use it", "Status and limits"]) {
    assert(!isOdd(text), text);
  }
  assert(!isOddHeading({ type: "page", line: 1, text: "Where it stands" }));
});

Deno.test("people may be who, systems may not; values do not be none", () => {
  const words = (text: string) => wordsIn({ type: "doc", line: 1, text });
  assertEquals(words("Users who resume a run"), []);
  assertEquals(words("A system who rests"), ["who"]);
  assertEquals(words("Options that are none. @default none"), ["is none", "is none"]);
  assertEquals(words("`undefined` if there is none, or none of them fits"), []);
  assertEquals(words("@throws {TypeError} for what is no number"), ["what is no"]);
});

Deno.test("textsOfPage() finds headings and lines, and passes over blocks of code", () => {
  const page = "# Title\n\nA line,\nanother one.\n\n```sh\n# told\n```\n\n## Next\n";
  assertEquals(textsOfPage(page), [
    { type: "heading", line: 1, text: "Title" },
    { type: "page", line: 3, text: "A line," },
    { type: "page", line: 4, text: "another one." },
    { type: "heading", line: 10, text: "Next" },
  ]);
});

Deno.test("sample() picks different texts, the same for the same seed", () => {
  const texts = Array.from({ length: 50 }, (_, i) => i);
  const picked = sample(texts, 30, 7);
  assertEquals(new Set(picked).size, 30);
  assertEquals(sample(texts, 30, 7), picked);
  assert(sample(texts, 30, 8).join() !== picked.join());
});

Deno.test("the prose of every room stays below its ceiling", async () => {
  const rooms = await readRooms(ROOT);
  const figures = new Map([...rooms].map(([room, texts]) => [room, measure(texts)]));
  assertEquals(exceeded(figures, CEILINGS), []);
  for (const room of ["dynamics", "src", "tests/tools", "docs", "README.md", "examples"]) {
    assert(rooms.get(room)!.length > 0, room);
  }
});
