import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { type Attack, Trial } from "./attack.ts";
import { ATTACKS, attackWith } from "./main.ts";
import { mutate } from "./mutate.ts";
import { pageOf, tableOf } from "./page.ts";
import { attackOn } from "./readers.ts";

/** An attack on a reader that is given these bytes with damage. */
function attackOnReader(read: (bytes: Uint8Array) => unknown): Attack {
  const samples = [new TextEncoder().encode('{"a": [1, 2, 3]}')];
  return attackOn("a reader", 200, () => Promise.resolve({ samples, read }));
}

Deno.test("a reader that refuses in words holds, one that lets out an error of the language fails", async () => {
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const good = await attackWith(attackOnReader((bytes) => JSON.parse(decode(bytes))), 1, 1);
  assertEquals([good.trial.tried, good.trial.failures], [200, []]);
  assert(good.trial.outcomes.get("refused")! > 50);
  const bad = await attackWith(
    attackOnReader((bytes) => JSON.parse(decode(bytes)).a.map((x: number) => x)),
    1,
    1,
  );
  assert(bad.trial.failures.length > 0);
  const broken = await attackWith(attackOnReader(() => Promise.reject(new Error("no"))), 1, 1);
  assertStringIncludes(broken.trial.failures[0]!, "the attack itself ended");
});

Deno.test("the same seed makes the same damage, another one other damage", () => {
  const bytes = Uint8Array.from({ length: 200 }, (_, i) => i);
  const made = (seed: number) => {
    const trial = new Trial(1, seed);
    return Array.from({ length: 20 }, () => mutate(bytes, bytes, trial).join());
  };
  assertEquals(made(1), made(1));
  assertNotEquals(made(1), made(2));
  assert(made(1).filter((one) => one !== bytes.join()).length > 15);
});

Deno.test("the table has a row for each attack, with its cases, outcomes, failures and time", () => {
  const trial = new Trial(3, 1);
  trial.count("refused", 2);
  trial.fail("read as other data");
  const attack = { name: "x", aim: "y", cases: 3, run: () => Promise.resolve() };
  assertEquals(tableOf([{ attack, trial, seconds: 4.2 }]).split("\n").slice(0, 3), [
    "| attack | test and required result | cases | outcomes | failed | time |",
    "| --- | --- | --- | --- | --- | --- |",
    "| x | y | 3 | 2 refused, 1 FAILED | 1 | 4 s |",
  ]);
  assertEquals(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length);
});

/** A row of the page. */
function rowOf(name: string, failures: readonly string[], notes: readonly string[] = []) {
  const trial = new Trial(3, 1);
  trial.count("refused", 1200);
  for (const failure of failures) trial.fail(failure);
  trial.notes.push(...notes);
  const attack = { name, aim: "it holds", cases: 3, run: () => Promise.resolve() };
  return { attack, trial, seconds: 4.2 };
}

const CONDITIONS = {
  commit: "0123456789ab",
  hours: 1,
  seed: 1,
  runtime: "Deno 2.9.6, linux x86_64, 2 cores",
  load: [0.5, 2.25],
} as const;

Deno.test("the page says what an attack is and how to run it, its conditions, the table, and the soak", () => {
  const rows = [rowOf("x", []), rowOf("soak", [], ["1,000 steps", "memory grew by 1.0 MB"])];
  const page = pageOf(rows, CONDITIONS);
  const headings = page.split("\n").filter((line) => line.startsWith("#"));
  assertEquals(headings, ["# Attack", "## Conditions", "## Outcomes", "## Soak"]);
  assert(page.indexOf("`deno task attack`") < page.indexOf("## Conditions"));
  assertStringIncludes(
    page,
    "- commit: 0123456789ab\n- run: `--hours 1 --seed 1`\n- runtime: Deno 2.9.6, linux x86_64, 2 cores\n" +
      "- load average of 15 minutes: 0.5 at the beginning, 2.3 at the end\n",
  );
  assertStringIncludes(page, tableOf(rows));
  assertStringIncludes(page, "None of 2,400 cases failed.");
  assertStringIncludes(page, "## Soak\n\n- 1,000 steps\n- memory grew by 1.0 MB\n");
});

Deno.test("the page shows failures by their first line, without paths of the machine; a part says that it is one", () => {
  const error =
    "kill 3: Error: Cannot read /tmp/a1b2/frames.xyz: it is gone\n    at file:///home/x/y.ts:1:2";
  const page = pageOf([rowOf("x", [error])], { ...CONDITIONS, only: "x" });
  assertStringIncludes(page, "1 of 1,201 cases failed");
  assertStringIncludes(page, "- x: `kill 3: Error: Cannot read …/frames.xyz: it is gone`");
  assertEquals(page.includes("/home"), false);
  assertStringIncludes(page, '--only "x"');
  assertStringIncludes(page, "The soak was not run.");
});

Deno.test("docs/attack.md is a page of all attacks", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/attack.md", import.meta.url));
  const names = Array.from(page.matchAll(/^\| ([^|]+?) +\|/gm), ([, name]) => name!).slice(2);
  assertEquals(names, ATTACKS.map(({ name }) => name));
  assertEquals(/\/(tmp|home|work|root)\//.test(page), false);
});
