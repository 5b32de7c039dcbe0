import { assert, assertEquals, assertThrows } from "@std/assert";
import process from "node:process";
import { work } from "./kit.ts";

/** Processor time of a call in ms: other processes do not count. */
function timeOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

Deno.test("2,000 hooks are registered in well below a second, whatever they are called", () => {
  const loop = work();
  const took = timeOf(() => {
    for (let i = 0; i < 2000; i++) {
      loop.hooks.add({ stage: "work/AFTER", frequency: 1, call() {} });
    }
  });
  const names = loop.hooks.list().map(({ name }) => name);
  assertEquals(new Set(names).size, 2000);
  assert(names.at(-1)!.endsWith("-2000"), names.at(-1));
  // About 100 ms; with a cubic cost 20 s.
  assert(took < 1000, `${took} ms`);
});

Deno.test("300 hooks that each name the one before are registered in well below a second", () => {
  const loop = work();
  const took = timeOf(() => {
    for (let i = 0; i < 300; i++) {
      const order = i === 0 ? {} : i % 2 === 0 ? { after: `h${i - 1}` } : { before: `h${i - 1}` };
      loop.hooks.add({ stage: "work/AFTER", frequency: 1, call() {} }, { name: `h${i}`, ...order });
    }
  });
  assert(took < 1000, `${took} ms`);
  assertEquals(loop.hooks.list().length, 300);
});

Deno.test("a number that was given back is the next one that a label gets", () => {
  const loop = work();
  const named = () => loop.hooks.add({ stage: "work/AFTER", frequency: 1, call() {} }).name;
  const [first, second, third] = [named(), named(), named()];
  loop.hooks.remove(second);
  assertEquals(named(), second);
  assertEquals(named(), third.replace("3", "4"));
  assertThrows(
    () => loop.hooks.add({ stage: "work/AFTER", frequency: 1, call() {} }, { name: first }),
    RangeError,
    "a hook of that name is already registered",
  );
});
