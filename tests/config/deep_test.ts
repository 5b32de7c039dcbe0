import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { canonicalJson, configHash } from "@hooke/hooke/config";

const deep = (times: number) => "[".repeat(times) + "]".repeat(times);

Deno.test("the error of a configuration that is nested too deeply names it", async () => {
  assertEquals(canonicalJson(JSON.parse(deep(1000))), deep(1000));
  assertThrows(
    () => canonicalJson(JSON.parse(deep(1001))),
    TypeError,
    "value must be nested at most 1000 deep",
  );
  await assertRejects(
    () => configHash(JSON.parse(deep(100_000))),
    TypeError,
    "config must be nested at most 1000 deep",
  );
});
