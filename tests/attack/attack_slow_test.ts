// A small part of each attack; `deno task attack` tries all of it.
import { assertEquals } from "@std/assert";
import { ATTACKS, attackWith } from "./main.ts";

/** The part of the cases that is tried; kills and the like at least one. */
const SHARE = 0.005;

for (const attack of ATTACKS.filter(({ name }) => name !== "soak")) {
  Deno.test(`${attack.name}: ${attack.aim}`, async () => {
    const { trial } = await attackWith(attack, SHARE, 1);
    assertEquals(trial.failures, []);
  });
}
