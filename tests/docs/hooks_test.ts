/** docs/hooks against the ready-made hooks that there are. */
import { assert, assertEquals } from "@std/assert";
import { IdentityUpdate } from "../../src/config/runs/mod.ts";
import { ConvergenceHook } from "../../src/dynamics/mod.ts";
import * as observe from "../../src/observe/mod.ts";
import { BUILT_IN_SCHEMAS } from "../../src/config/hooks/built_in_schemas.ts";
import { CONFIG_MEMBERS } from "../../src/config/hooks/hooks_config.ts";
import { SCHEDULE_KEYS } from "../../src/hooks/protocol/schedule.ts";
import { pagesOf, tablesOf } from "./tables.ts";

const hooke = { ...observe, ConvergenceHook, IdentityUpdate };
const PAGE = await pagesOf("hooks");
const table = tablesOf(PAGE);

Deno.test("docs/hooks has every ready-made hook for engines for atoms", () => {
  const listed = [...PAGE.matchAll(/^\| `([A-Z]\w*Hook)` +\|/gm)].map(([, name]) => name!);
  const there = Object.keys(hooke).filter((name) => /^[A-Z]\w*Hook$/.test(name));
  assertEquals(listed.toSorted(), there.toSorted());
});

Deno.test("docs/hooks has every ready-made hook for training, by class and name", () => {
  const rows = table("training hook");
  const names = rows.flatMap(([, names]) => names!.split(", "));
  assertEquals(names.toSorted(), Object.keys(BUILT_IN_SCHEMAS).toSorted());
  for (const [name] of rows) assert(name! in hooke, `${name} is exported`);
});

Deno.test("docs/hooks has every member of a configuration of hooks", () => {
  assertEquals(table("member of a configuration").map(([name]) => name), [...CONFIG_MEMBERS]);
});

Deno.test("docs/hooks has every member of a schedule", () => {
  const text = table("member").map(([name]) => name).join(" ");
  for (const key of [...SCHEDULE_KEYS, "enableAfterEpoch", "stageTimes", "when"]) {
    assert(new RegExp(`\\b${key}\\b`).test(text), key);
  }
});
