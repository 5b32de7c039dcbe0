import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  after,
  catching,
  inOrder,
  isThenable,
  resultAfter,
  withCleanup,
} from "../../src/base/sequence.ts";

const later = <T>(value: T): Promise<T> => Promise.resolve(value);

Deno.test("what has nothing to await runs at once", () => {
  const order: string[] = [];
  assertEquals(after(2, (x) => x + 1), 3);
  assertEquals(inOrder(() => void order.push("a"), () => void order.push("b")), undefined);
  assertEquals(withCleanup(() => 5, () => void order.push("cleanup")), 5);
  assertEquals(catching(() => 5, () => 6), 5);
  assertEquals(order, ["a", "b", "cleanup"]);
});

Deno.test("what has something to await goes on when it settles", async () => {
  const order: string[] = [];
  assertEquals(await after(later(2), (x) => x + 1), 3);
  const waiting = inOrder(
    () => later(undefined).then(() => void order.push("a")),
    () => void order.push("b"),
    () => later(undefined).then(() => void order.push("c")),
    () => void order.push("d"),
  );
  assert(isThenable(waiting));
  assertEquals(order, []);
  await waiting;
  assertEquals(order, ["a", "b", "c", "d"]);
  assertEquals(await withCleanup(() => later(5), () => void order.push("cleanup")), 5);
  assertEquals(order.at(-1), "cleanup");
});

Deno.test("inOrder ends with the first error, at once or late", async () => {
  const order: string[] = [];
  const fail = () => {
    throw new Error("no");
  };
  assertThrows(() => inOrder(fail, () => void order.push("never")), Error, "no");
  await assertRejects(
    async () => await inOrder(() => later(undefined), fail, () => void order.push("never")),
    Error,
    "no",
  );
  assertEquals(order, []);
});

Deno.test("withCleanup() cleans up after errors, and catching replaces them", async () => {
  let cleanups = 0;
  const fail = (): number => {
    throw new Error("no");
  };
  const failLate = () => Promise.reject<number>(new Error("no"));
  assertThrows(() => withCleanup(fail, () => void cleanups++), Error, "no");
  await assertRejects(async () => await withCleanup(failLate, () => void cleanups++), Error, "no");
  assertEquals(cleanups, 2);
  assertEquals(catching(fail, () => 7), 7);
  assertEquals(await catching(failLate, () => 7), 7);
  assertThrows(() =>
    catching(fail, () => {
      throw new TypeError("worse");
    }), TypeError);
});

Deno.test("a result is returned at once, or when what comes before it settles", async () => {
  assertEquals(resultAfter(undefined, 3), 3);
  let isDone = false;
  const waiting = resultAfter(later(undefined).then(() => void (isDone = true)), 3);
  assertEquals([isThenable(waiting), isDone], [true, false]);
  assertEquals([await waiting, isDone], [3, true]);
  await assertRejects(
    async () => await resultAfter(Promise.reject(new Error("before")), 3),
    Error,
    "before",
  );
});
