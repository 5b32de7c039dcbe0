// A resource is disposed of in every case, and no error is lost.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { disposing } from "../../src/base/disposing.ts";

/** A resource that counts how often it is disposed of, and may fail then. */
function resource(error?: Error) {
  let count = 0;
  return {
    count: () => count,
    [Symbol.asyncDispose]: () => {
      count++;
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    },
  };
}

Deno.test("disposing() returns the result, and disposes of the resource once, after a failure too", async () => {
  const works = resource(), fails = resource();
  assertEquals(await disposing(works, () => Promise.resolve(3)), 3);
  await assertRejects(
    () => disposing(fails, () => Promise.reject(new Error("used"))),
    Error,
    "used",
  );
  assertEquals([works.count(), fails.count()], [1, 1]);
});

Deno.test("disposing() throws the error of the disposal; if both fail, the first leads and both are kept", async () => {
  const closed = new Error("closed"), used = new RangeError("used");
  await assertRejects(() => disposing(resource(closed), () => Promise.resolve()), Error, "closed");
  const both = await disposing(resource(closed), () => Promise.reject(used)).catch((error) =>
    error
  );
  assert(both instanceof AggregateError);
  assertEquals([both.message, both.cause, both.errors], ["used", used, [used, closed]]);
});
