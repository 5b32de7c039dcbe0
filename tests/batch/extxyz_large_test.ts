import { assertEquals, assertThrows } from "@std/assert";
import { System } from "@hooke/hooke/batch";
import { parseExtxyz, writeExtxyz } from "@hooke/hooke/batch/extxyz";

const frame = (comment: string) => `1\n${comment}\nAr 0 0 0\n`;
const EXTENDED = "Properties=species:S:1:pos:R:3";

Deno.test("values nested too deeply are refused by name, in comments, when written too", () => {
  const deep = (times: number) => "[".repeat(times) + "]".repeat(times);
  const read = (times: number) =>
    parseExtxyz(frame(`${EXTENDED} deep="_JSON ${deep(times)}"`))[0]!.info.deep;
  assertEquals(JSON.stringify(read(1000)), deep(1000));
  assertThrows(() => read(1001), SyntaxError, "must be nested at most 1000 deep");
  assertThrows(() => read(100_000), SyntaxError, "must be nested at most 1000 deep");
  // Brackets in a text are no nesting.
  const text = parseExtxyz(frame(`${EXTENDED} deep='_JSON "${"[".repeat(2000)}"'`))[0]!.info.deep;
  assertEquals(text, "[".repeat(2000));
  const system = new System({
    symbols: ["Ar"],
    positions: [0, 0, 0],
    info: { deep: JSON.parse(deep(100_000)) },
  });
  assertThrows(() => writeExtxyz(system), TypeError, "info.deep must be plain data");
});

Deno.test("a long list of rows in brackets is read", () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => `[${i} 1]`).join(", ");
  const { many } = parseExtxyz(frame(`${EXTENDED} many="${rows}"`))[0]!.info;
  assertEquals((many as number[][]).length, 100_000);
  assertEquals((many as number[][]).at(-1), [99_999, 1]);
});

Deno.test("escapes, quotes and brackets within words are read as ASE reads them", () => {
  const read = (value: string) => parseExtxyz(frame(`${EXTENDED} a=${value} z=1`))[0]!.info.a;
  assertEquals(read(String.raw`"one \"two\" \\ three"`), String.raw`one "two" \ three`);
  assertEquals(read("x'y z'w"), "xy zw");
  assertEquals(read("{a {b} c}"), "a {b} c");
  assertEquals(read(String.raw`a\ b`), "a b");
  assertEquals(read("'\u00e4\u2003\u00f6'"), "\u00e4\u2003\u00f6");
});

Deno.test("a comment of more words than a list of keys can have is a comment, unless it declares itself", () => {
  const words = Array.from({ length: 100_001 }, (_, i) => `w${i}`).join(" ");
  assertEquals(parseExtxyz(frame(`${words} a=1`))[0]!.info.comment, `${words} a=1`);
  assertThrows(
    () => parseExtxyz(frame(`${EXTENDED} ${words}`)),
    SyntaxError,
    "at most 100000 keys",
  );
});
