import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { configHash } from "../../src/config/mod.ts";

Deno.test("configHash() is the sha256sum of the canonical text", async () => {
  // printf '%s' '{}' | sha256sum
  const known: [config: unknown, hash: string][] = [
    [{}, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"],
    [null, "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"],
    ["abc", "6cc43f858fbb763301637b5af970e2a46b46f461f27e5a0f41e009c59b827b25"],
    [
      { b: [true, null, "x"], a: 1 },
      "eca8cfb31ab74533e1eb2f4c74d2d55dfe3c79ac704787e54be8647ea7777eb1",
    ],
  ];
  for (const [config, hash] of known) assertEquals(await configHash(config), hash);
});

Deno.test("configHash() equals the hash of Python's hashlib and json.dumps(sort_keys=True)", async () => {
  assertEquals(
    await configHash({ seed: 7, dt: 0.5, nested: { "é": "Å", a: [1, 2.5, 1e21] } }),
    "07bed3ce1a80bf7b28c348b72093dc34e2e370d4a18e16f7f5a831dc099871d7",
  );
});

Deno.test("configHash() differs if a value does, and errors name the path in the configuration", async () => {
  assertNotEquals(await configHash({ seed: 7 }), await configHash({ seed: 8 }));
  assertNotEquals(await configHash([1, 2]), await configHash([2, 1]));
  await assertRejects(
    () => configHash({ layers: [{ rate: NaN }] }),
    TypeError,
    "config.layers[0].rate must be a finite number; got NaN",
  );
});

Deno.test("configHash() is the same for any order of members, at every depth", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
      fc.infiniteStream(fc.nat()),
      async (value, picks) => {
        assertEquals(await configHash(permuted(value, picks)), await configHash(value));
      },
    ),
    { numRuns: 40 },
  );
});

/** Returns the same value with the members of its objects in another order. */
function permuted(value: unknown, picks: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((item) => permuted(item, picks));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  const shuffled: [string, unknown][] = [];
  while (members.length > 0) {
    const [name, member] = members.splice(picks.next().value! % members.length, 1)[0]!;
    shuffled.push([name, permuted(member, picks)]);
  }
  return Object.fromEntries(shuffled);
}
