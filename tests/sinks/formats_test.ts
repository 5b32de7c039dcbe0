import { assertEquals, assertRejects } from "@std/assert";
import { openSink, SINK_FORMATS } from "../../src/sinks/mod.ts";
import { FILES, SYSTEMS, TEXTS } from "./formats.ts";

Deno.test("each format of SINK_FORMATS is tested", () => {
  const made = new Map(Object.entries(SINK_FORMATS).map(([ending, make]) => [make, ending]));
  // The endings .xyz and .extxyz have the same sink; one is tested.
  const known = [...made.values()].map((ending) => ending.replace(/^\.(ext)?/, ""));
  assertEquals([...new Set([...FILES, ...SYSTEMS, ...TEXTS])].sort(), known.sort());
});

Deno.test("each format of SINK_FORMATS refuses unknown options, with the nearest known one", async () => {
  for (const ending of Object.keys(SINK_FORMATS)) {
    await assertRejects(
      () => openSink(`none${ending}`, { mostByte: 5 } as object),
      TypeError,
      'got "mostByte"; did you mean mostBytes?',
    );
  }
});
