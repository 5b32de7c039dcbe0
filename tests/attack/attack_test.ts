import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { type Attack, Trial } from "./attack.ts";
import { ATTACKS, attackWith, tableOf } from "./main.ts";
import { mutate } from "./mutate.ts";
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
    "| attack | what must come of it | cases | outcomes | failed | time |",
    "| --- | --- | --- | --- | --- | --- |",
    "| x | y | 3 | 2 refused, 1 FAILED | 1 | 4 s |",
  ]);
  assertEquals(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length);
});
