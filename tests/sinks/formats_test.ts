import { assertEquals } from "@std/assert";
import { SINK_FORMATS } from "../../src/sinks/mod.ts";
import { FILES, SYSTEMS, TEXTS } from "./formats.ts";

Deno.test("each format of SINK_FORMATS is in the lists that the tests go through", () => {
  const made = new Map(Object.entries(SINK_FORMATS).map(([ending, make]) => [make, ending]));
  // Of endings with the same sink, .xyz and .extxyz, one is tested.
  const known = [...made.values()].map((ending) => ending.replace(/^\.(ext)?/, ""));
  assertEquals([...new Set([...FILES, ...SYSTEMS, ...TEXTS])].sort(), known.sort());
});
