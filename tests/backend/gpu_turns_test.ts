/** The order of work on a device, without a device. */
import { assertEquals } from "@std/assert";
import { Deliveries } from "../../src/backend/webgpu/queue/deliveries.ts";
import { Turns, type TurnsHost } from "../../src/backend/webgpu/queue/turns.ts";

/** A queue's knowledge that a test sets; `confirm` ends what is unsure. */
class Host implements TurnsHost {
  isUnsure = false;
  repeating: Promise<void> | undefined;
  readonly errors: Error[] = [];
  confirms: () => Promise<unknown> = () => Promise.resolve();

  async confirm(): Promise<void> {
    await this.confirms();
    this.isUnsure = false;
  }

  fail(error: Error): void {
    this.errors.push(error);
  }
}

/** Lets all microtasks run. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("work begins at once if no earlier work may be repeated", () => {
  const done: string[] = [], turns = new Turns(new Host());
  turns.order(() => done.push("run"));
  turns.order(() => done.push("write"), true);
  assertEquals(done, ["run", "write"]);
});

Deno.test("work that cannot be repeated waits for confirmation, and later work for it", async () => {
  const host = new Host(), done: string[] = [], turns = new Turns(host);
  host.isUnsure = true;
  turns.order(() => done.push("run"));
  turns.order(() => done.push("write"), true);
  turns.order(() => done.push("next run"));
  assertEquals(done, ["run"]);
  await settled();
  assertEquals(done, ["run", "write", "next run"]);
});

Deno.test("work that may be repeated blocks the final work after it", async () => {
  const host = new Host(), done: string[] = [], turns = new Turns(host);
  let confirmed = 0;
  host.confirms = () => Promise.resolve(done.push(`confirmed ${++confirmed}`));
  host.isUnsure = true;
  turns.order(() => done.push("write"), true);
  turns.order(() => {
    done.push("run");
    host.isUnsure = true;
  });
  turns.order(() => done.push("free"), true);
  await settled();
  assertEquals(done, ["confirmed 1", "write", "run", "confirmed 2", "free"]);
});

Deno.test("nothing begins during a repetition", async () => {
  const host = new Host(), done: string[] = [], turns = new Turns(host);
  const { promise, resolve } = Promise.withResolvers<void>();
  host.repeating = promise.then(() => void (host.repeating = undefined));
  const taken = turns.take(() => Promise.resolve(done.push("copy")));
  await settled();
  assertEquals(done, []);
  resolve();
  assertEquals(await taken, 1);
});

Deno.test("a device that cannot confirm fails all pending work", async () => {
  const host = new Host(), done: string[] = [], turns = new Turns(host);
  host.isUnsure = true;
  host.confirms = () => Promise.reject(new Error("lost"));
  turns.order(() => done.push(`write after ${host.errors.length} error`), true);
  turns.order(() => done.push("run"));
  await settled();
  assertEquals(host.errors.map(({ message }) => message), ["lost"]);
  assertEquals(done, ["write after 1 error", "run"]);
});

Deno.test("copies are delivered in order, whichever arrives first; late ones 64 at a time", async () => {
  const arrivals: ((values: readonly ArrayBuffer[]) => void)[] = [], order: number[] = [];
  let submits = 0;
  const deliveries = new Deliveries(
    () => submits++,
    () => new Promise((resolve) => arrivals.push(resolve)),
  );
  const copies = Array.from({ length: 64 }, (_, i) => {
    assertEquals([submits, arrivals.length], [0, 0]);
    return deliveries.add(undefined as never, true).then(() => order.push(i));
  });
  assertEquals([submits, arrivals.length], [1, 64]);
  for (const arrive of arrivals.toReversed()) arrive([]);
  await Promise.all(copies);
  assertEquals(order, Array.from({ length: 64 }, (_, i) => i));
});
