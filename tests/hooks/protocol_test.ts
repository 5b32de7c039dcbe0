import { assert, assertEquals, assertFalse, assertStringIncludes, assertThrows } from "@std/assert";
import { type AddOptions, type HookHandle, hostState, isHook, Loop } from "@hooke/hooke/hooks";
import { hook } from "@hooke/hooke";
import { Steps, work, type WorkLoop, WorkStage } from "./kit.ts";

/** `add` as JavaScript sees it. */
function add(loop: WorkLoop, value: unknown, options?: AddOptions): HookHandle {
  return (loop.hooks.add as (hook: unknown, options?: AddOptions) => HookHandle).call(
    loop.hooks,
    value,
    options,
  );
}

const members = { stage: "work/AFTER", frequency: 1, call() {} };

Deno.test("isHook is true for a plain object or class instance with the required members", () => {
  assert(isHook(members));
  assert(isHook(new Steps()));
  assert(isHook(hook({ name: "made", on: {} })));
  for (const no of [undefined, null, 3, "hook", [], () => {}, Steps, {}]) assertFalse(isHook(no));
});

Deno.test("dropping any required member makes isHook false and add throws a TypeError naming it", () => {
  for (const dropped of ["stage", "frequency", "call"] as const) {
    const { [dropped]: _, ...rest } = members;
    assertFalse(isHook(rest));
    const loop = work();
    const error = assertThrows(() => add(loop, rest), TypeError);
    assertStringIncludes(error.message, `${dropped} must be`);
    assertEquals(loop.hooks.list(), []);
  }
});

Deno.test("every missing member is named at once", () => {
  const { message } = assertThrows(() => add(work(), {}), TypeError);
  for (const member of ["stage", "frequency", "call"]) assertStringIncludes(message, member);
});

Deno.test("an ill-typed member is named with its requirement and current value", () => {
  const wrong: [string, unknown, string][] = [
    ["stage", "AFTER", "stage must be a stage"],
    ["stages", [], "stages must be a non-empty array of stages"],
    ["runsOnStage", true, "runsOnStage must be a function"],
    ["call", "f", 'call must be a function; got "f"'],
    ["reads", "fmax", "reads must be an array of field names"],
    ["open", 1, "open must be a function; got 1"],
    ["onError", "ignore", "onError must be throw | warn | disable"],
    ["sync", 1, "sync must be true or false"],
    ["name", "", "name must be a non-empty string"],
  ];
  for (const [member, value, message] of wrong) {
    const loop = work();
    assertThrows(() => add(loop, { ...members, [member]: value }), TypeError, message);
    assertEquals(loop.hooks.list(), []);
  }
});

Deno.test("a class instead of an instance, and a function, are refused with what to do", () => {
  assertThrows(() => add(work(), Steps), TypeError, "pass an instance, new Steps");
  assertThrows(() => add(work(), function log() {}), TypeError, "a hook must be an object");
});

Deno.test("frequency 0, -1, 1.5 and NaN are RangeErrors, true is a TypeError, and the registry is unchanged", () => {
  for (const frequency of [0, -1, 1.5, NaN, Infinity]) {
    const loop = work();
    add(loop, new Steps());
    const before = loop.hooks.list();
    assertThrows(
      () => add(loop, { ...members, frequency }),
      RangeError,
      `got ${frequency}`,
    );
    assertThrows(() => hook({ name: "x", frequency, on: {} }), RangeError);
    assertEquals(loop.hooks.list(), before);
  }
  const loop = work();
  assertThrows(
    () => add(loop, { ...members, frequency: true }),
    TypeError,
    "got true",
  );
  assertEquals(loop.hooks.list(), []);
});

Deno.test("other schedule members are checked in the same way", () => {
  const wrong: [string, unknown, typeof RangeError | typeof TypeError][] = [
    ["phase", 2, RangeError],
    ["phase", -1, RangeError],
    ["after", 0.5, RangeError],
    ["until", -1, RangeError],
    ["everySeconds", 0, RangeError],
    ["sample", 1.1, RangeError],
    ["sample", 0, RangeError],
    ["eventFrequency", 0, RangeError],
    ["once", 1, TypeError],
    ["atEnd", "yes", TypeError],
    ["phase", "1", TypeError],
  ];
  for (const [member, value, type] of wrong) {
    assertThrows(() => add(work(), { ...members, frequency: 2, [member]: value }), type, member);
  }
});

Deno.test("a failed add never mutates the hook", () => {
  const given = Object.freeze({ ...members, stage: "other/AFTER" });
  assertThrows(() => add(work(), given), TypeError);
  const asked: string[] = [];
  const chooses = {
    frequency: 1,
    runsOnStage: (stage: string) => (asked.push(stage), false),
    call() {},
  };
  const before = JSON.stringify(chooses);
  assertThrows(() => add(work(), chooses), TypeError, "it handles no stage of this engine");
  assertEquals(JSON.stringify(chooses), before);
});

Deno.test("the same explicit name twice is an error; two unnamed hooks of one class are numbered", () => {
  const loop = work();
  add(loop, new Steps());
  add(loop, new Steps());
  add(loop, new Steps(), { name: "mine" });
  assertThrows(
    () => add(loop, new Steps(), { name: "mine" }),
    RangeError,
    "a hook of that name is already registered",
  );
  assertThrows(
    () => add(loop, new Steps(), { name: "Steps" }),
    RangeError,
    "a hook of that name is already registered",
  );
  assertThrows(
    () => add(loop, { ...members, name: "mine" }),
    RangeError,
    "a hook of that name is already registered",
  );
  assertEquals(loop.hooks.list().map(({ name }) => name), ["Steps", "Steps-2", "mine"]);
});

Deno.test("the same object twice is an error", () => {
  const loop = work();
  const steps = new Steps();
  add(loop, steps);
  assertThrows(() => add(loop, steps), TypeError, "already registered");
});

Deno.test("a stage of a foreign kind is a TypeError naming the accepted kinds", () => {
  assertThrows(
    () => add(work(), { ...members, stage: "play/AFTER" }),
    TypeError,
    "which has work stages",
  );
});

Deno.test("a misspelt stage is a TypeError naming the nearest", () => {
  assertThrows(
    () => add(work(), { ...members, stage: "work/AFTR" }),
    TypeError,
    "did you mean work/AFTER?",
  );
});

Deno.test("a hook whose only match is otherwise is accepted, and flagged in list()", () => {
  const loop = work();
  loop.hooks.add(
    hook({ name: "any", on: { dynamics: { AFTER_STEP: () => {} } }, otherwise: () => {} }),
  );
  loop.hooks.add(
    hook({
      name: "own",
      kinds: [WorkStage],
      on: { work: { AFTER: () => {} } },
      otherwise: () => {},
    }),
  );
  assertEquals(loop.hooks.list().map(({ name, isFallback }) => [name, isFallback]), [
    ["any", true],
    ["own", false],
  ]);
  // Observing everything claims nothing.
  assertEquals(loop.hooks.list()[0]!.stages, [
    "work/BEFORE",
    "work/AFTER",
    "work/ON_FULL",
    "work/EPOCH_END",
  ]);
});

Deno.test("options of add are checked", () => {
  for (
    const options of [{ order: "early" }, { onError: "ignore" }, { enabled: 1 }, { before: [1] }, {
      name: "",
    }]
  ) {
    assertThrows(
      () => add(work(), new Steps(), options as unknown as AddOptions),
      TypeError,
      "Cannot register hook",
    );
  }
});

Deno.test("runsOnStage is asked once per observe stage, when the hook is added", async () => {
  const asked: string[] = [];
  const hook = {
    frequency: 1,
    runsOnStage: (stage: string) => (asked.push(stage), stage.startsWith("work/A")),
    call() {},
  };
  const loop = work();
  add(loop, hook);
  await loop.run(3);
  assertEquals(asked, ["work/BEFORE", "work/AFTER", "work/ON_FULL", "work/EPOCH_END"]);
  assertEquals(loop.hooks.list()[0]!.stages, ["work/AFTER"]);
  assertThrows(
    () => add(work(), { ...hook, runsOnStage: () => 1 }),
    TypeError,
    "must return true or false",
  );
});

Deno.test("reads and writes must name fields of the engine", () => {
  const state = hostState({ heights: () => new Float64Array(1) });
  const loop = new Loop({ kinds: WorkStage, context: { total: 0 }, state, step: () => {} });
  assertThrows(
    () => add(loop, { ...members, reads: ["height"] }),
    TypeError,
    "did you mean heights?",
  );
  assertThrows(
    () => add(loop, { ...members, writes: ["depths"] }),
    TypeError,
    "writes must name fields",
  );
  assertThrows(
    () => add(work(), { ...members, reads: ["heights"] }),
    TypeError,
    "the engine has none",
  );
});
