/** Origins to which positions on a backend are relative. */
import { assertEquals, assertStrictEquals } from "@std/assert";
import { Origins } from "../../src/batch/resident/origins.ts";

Deno.test("positions of a state without origins stay as they are after the batch has got origins", () => {
  const origins = new Origins(Int32Array.of(0, 1), true);
  const { values: before } = origins, positions = Float64Array.of(1, 2, 3);
  origins.choose([1e6, 0, -1e6], [0]);
  assertEquals(before, undefined);
  assertStrictEquals(origins.absolute(positions, before), positions);
  assertEquals([...origins.absolute(positions, origins.values)], [1e6 + 1, 2, 3 - 1e6]);
});
