// Options of a profiler, and messages for wrong ones.
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Profiler, type ProfilerOptions } from "@hooke/hooke/observe";
import { anyLoop } from "./clocked.ts";

const wrong: readonly [unknown, new () => Error, string][] = [
  [{ path: "trace.json" }, TypeError, 'got "path"'],
  [{ frequency: 0 }, RangeError, "frequency must be a positive integer; got 0"],
  [{ frequency: 1.5 }, RangeError, "frequency must be a positive integer"],
  [{ frequency: NaN }, RangeError, "got NaN"],
  [{ frequency: true }, TypeError, "frequency must be a number; got true"],
  [{ traceCapacity: -1 }, RangeError, "traceCapacity must be a positive integer"],
  [{ name: "" }, TypeError, 'name must be a string; got ""'],
  [{ tracePath: 7 }, TypeError, "tracePath must be a path; got 7"],
  [{ trace: 1 }, TypeError, "trace must be true or false"],
  [{ trace: false, tracePath: "x" }, TypeError, "trace must be true if there is a tracePath"],
  [{ userTiming: "yes" }, TypeError, 'userTiming must be true or false; got "yes"'],
  [{ write: "x" }, TypeError, "write must be a function"],
  [{ now: 3 }, TypeError, "now must be a function; got 3"],
  [{ tracer: {} }, TypeError, "tracer must be a tracer with startSpan, or false"],
  [{ tracer: null }, TypeError, "got null"],
];

for (const [options, type, message] of wrong) {
  Deno.test(`a profiler refuses ${JSON.stringify(options)}: ${message}`, () => {
    assertThrows(() => new Profiler(options as ProfilerOptions), type, message);
  });
}

Deno.test("an option that is undefined has its default", () => {
  const options = { frequency: undefined, name: undefined, now: undefined } as unknown;
  const profiler = new Profiler(options as ProfilerOptions);
  assertEquals([profiler.frequency, profiler.name], [1, "profiler"]);
});

Deno.test("two profilers on one engine need two names", () => {
  const loop = anyLoop(() => {});
  loop.hooks.add(new Profiler());
  assertThrows(
    () => loop.hooks.add(new Profiler()),
    RangeError,
    "a hook of that name is already registered",
  );
  loop.hooks.add(new Profiler({ name: "coarse", frequency: 100 }));
  assertEquals(loop.hooks.list().map(({ name }) => name), ["profiler", "coarse"]);
});

Deno.test("without a file system a path needs write, and with write nothing else is used", async () => {
  const hidden = ["process", "Deno"].map((name) => ({
    name,
    platform: Object.getOwnPropertyDescriptor(globalThis, name)!,
  }));
  try {
    for (const { name } of hidden) {
      Object.defineProperty(globalThis, name, { configurable: true, value: undefined });
    }
    const paths: unknown[] = [];
    assertThrows(
      () => new Profiler({ tracePath: "trace.json" }),
      TypeError,
      "there is no file system for tracePath",
    );
    const profiler = new Profiler({
      tracePath: "trace.json",
      write: (path) => void paths.push(path),
    });
    await profiler.writeTrace();
    assertEquals(paths, ["trace.json"]);
    await assertRejects(
      () => new Profiler({ trace: true }).writeTrace("trace.json"),
      TypeError,
      "there is no file system",
    );
  } finally {
    for (const { name, platform } of hidden) Object.defineProperty(globalThis, name, platform);
  }
});
