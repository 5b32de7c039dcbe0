import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { decodeMessage, encodeMessage } from "../../../src/campaign/queue/message.ts";
import { connectQueue, withoutUser } from "../../../src/campaign/queue/connection.ts";
import { PRIORITIES, queueNames, readItemSubject } from "../../../src/campaign/queue/names.ts";
import { deliveriesIn } from "../../../src/campaign/queue/pull.ts";

const ID = "0123456789abcdef".repeat(4);

Deno.test("a message of a queue comes back with its bytes", () => {
  const body = new Uint8Array([10, 0, 255, 10]);
  const { head, body: back } = decodeMessage(encodeMessage({ item: ID, label: "a\nb" }, body));
  assertEquals([head.item, head.label, [...back]], [ID, "a\nb", [10, 0, 255, 10]]);
});

Deno.test("other messages are refused", () => {
  const refused = (text: string | Uint8Array, reason: string) => {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    assertThrows(() => decodeMessage(bytes), SyntaxError, reason);
  };
  refused("", "no first line");
  refused("x".repeat(70_000) + "\n", "no first line");
  refused(new Uint8Array([255, 10]), "not JSON");
  refused("[1]\n", "not that of a queue");
  refused("null\n", "not that of a queue");
  refused('{"hooke":2}\n', "version must be 1; got 2");
});

Deno.test("subjects of items have a priority and an id", () => {
  const names = queueNames("argon");
  for (const priority of PRIORITIES) {
    assertEquals(readItemSubject(names.item(priority, ID)), { priority, id: ID });
  }
  for (const subject of ["a.b", `hooke.q.item.top.${ID}`, `hooke.q.item.low.${ID}.x`]) {
    assertEquals(readItemSubject(subject), undefined);
  }
  for (const name of ["", "a.b", "a*", "a b", "x".repeat(65)]) {
    assertThrows(() => queueNames(name), RangeError, "The name of a queue must have");
  }
});

Deno.test("deliveries are counted in both forms of the server's subjects", () => {
  assertEquals(deliveriesIn("$JS.ACK.stream.consumer.3.10.11.1700000000.0"), 3);
  assertEquals(deliveriesIn("$JS.ACK._.hash.stream.consumer.4.10.11.1700000000.0"), 4);
  assertEquals(deliveriesIn("nothing"), 1);
});

Deno.test("addresses are shown without user and password", async () => {
  assertEquals(withoutUser("nats://me:pa55@host:4222 x"), "nats://host:4222 x");
  const wrong = ["http://me:pa55@host", "me:pa55@host:4222", "nats://me:pa55@"];
  for (const servers of [...wrong, "nats://me:pa55,x@host", "nats://me:pa55/x@host"]) {
    const error = await assertRejects(
      () => connectQueue({ servers }),
      TypeError,
      "servers must be",
    );
    assert(!error.message.includes("pa55"), error.message);
  }
});
