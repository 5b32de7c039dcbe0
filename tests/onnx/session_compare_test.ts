/** Comparers, which let nothing pass that is no number. */
import { assertEquals, assertRejects } from "@std/assert";
import { compareSessions, compareTensors, openSession } from "../../src/onnx/mod.ts";
import { DOUBLE } from "./tiny_model.ts";

Deno.test("tensors agree within a tolerance relative to the largest value", () => {
  const tolerance = { relative: 1e-2, absolute: 0 };
  const compare = (...a: number[]) =>
    compareTensors(Float64Array.from(a), Float64Array.of(1, -100, 0), tolerance);
  assertEquals(compare(1, -100, 0), { ok: true, worst: 0, at: -1, limit: 1 });
  assertEquals(compare(1, -100, 1), { ok: true, worst: 1, at: 2, limit: 1 });
  assertEquals(compare(1, -98, 1.5), { ok: false, worst: 2, at: 1, limit: 1 });
  assertEquals(compareTensors(new Float32Array(2), new Float32Array(3)).ok, false);
  assertEquals(compareTensors(new Float32Array(0), new Float32Array(0)).ok, true);
});

Deno.test("non-finite values never agree", () => {
  for (
    const [a, b] of [[NaN, 1], [1, NaN], [NaN, NaN], [Infinity, Infinity], [1, Infinity], [
      -Infinity,
      1,
    ]]
  ) {
    for (const at of [0, 1, 2]) {
      const [one, other] = [Float32Array.of(5, 5, 5), Float32Array.of(5, 5.001, 5)];
      [one[at], other[at]] = [a!, b!];
      assertEquals(compareTensors(one, other, { relative: 1 }).ok, false, `${a} ${b} at ${at}`);
    }
  }
  // One that comes after it does not make it forgotten.
  const found = compareTensors(Float32Array.of(NaN, 1e9), Float32Array.of(1, 1));
  assertEquals([found.ok, found.worst, found.at], [false, NaN, 0]);
});

Deno.test("integers must agree exactly", () => {
  assertEquals(compareTensors(BigInt64Array.of(5n), BigInt64Array.of(5n)).ok, true);
  assertEquals(
    compareTensors(BigInt64Array.of(1_000_001n), BigInt64Array.of(1_000_000n)).ok,
    false,
  );
  assertEquals(
    compareTensors(BigInt64Array.of(9007199254740993n), BigInt64Array.of(9007199254740992n)).ok,
    false,
  );
  assertEquals(compareTensors(Uint8Array.of(1), Uint8Array.of(0)).ok, false);
});

Deno.test("a comparison needs two different inputs", async () => {
  await using session = await openSession(DOUBLE);
  const feed = (x: number) => ({ x: { data: Float32Array.of(x, 0, 0), dims: [1, 3] } });
  for (const feeds of [[], [feed(1)], [feed(1), feed(1)]]) {
    await assertRejects(
      () => compareSessions(session, session, feeds),
      RangeError,
      "at least two different sets of inputs are required",
    );
  }
  const found = await compareSessions(session, session, [feed(1), feed(2)]);
  assertEquals(found.map(({ run, output, ok }) => [run, output, ok]), [
    [0, "y", true],
    [1, "y", true],
    [2, "y", true],
  ]);
});
