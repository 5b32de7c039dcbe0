/** Mistakes in plain JavaScript: a precise error at the public edge, and nothing half-registered. */
import { assert, assertEquals, assertFalse, assertStringIncludes, assertThrows } from "@std/assert";
import {
  type AddOptions,
  defineKind,
  EngineHooks,
  hostState,
  isHook,
  Loop,
  makeHook,
  makeOverload,
  stages,
} from "@hooke/hooke/hooks";
import { DynamicsStage, hook, overload } from "@hooke/hooke";
import { checkKinds } from "../../src/hooks/protocol/kind.ts";
import { checkEngine, checkLoopOptions } from "../../src/hooks/loop/loop_options.ts";
import { show } from "../../src/base/show.ts";
import { Steps, work, WorkStage } from "./kit.ts";

type Kind = typeof TypeError | typeof RangeError;

/** Public functions as JavaScript sees them. */
const js = {
  hook: hook as unknown as (spec?: unknown) => unknown,
  stages: stages() as unknown as (kind?: unknown, names?: unknown, options?: unknown) => unknown,
  defineKind: defineKind as unknown as (
    kind?: unknown,
    roles?: unknown,
    options?: unknown,
  ) => unknown,
};

/** `add` as JavaScript sees it; a refusal must leave the list as it was. */
function refused(value: unknown, options: unknown, type: Kind, message: string): void {
  const loop = work();
  loop.hooks.add(new Steps(), { name: "there" });
  const before = loop.hooks.list();
  const add = loop.hooks.add as (hook: unknown, options?: unknown) => unknown;
  assertThrows(() => add.call(loop.hooks, value, options), type, message);
  assertEquals(loop.hooks.list(), before);
}

const members = { stage: "work/AFTER", frequency: 1, call() {} };
const none: unknown = Object.create(null);
const throwing = {
  get stage(): string {
    throw new Error("not now");
  },
};

Deno.test("a hook that is no specification at all is a TypeError saying what it is", () => {
  for (
    const [spec, shown] of [[undefined, "undefined"], [null, "null"], [[], "[]"], ["x", '"x"']]
  ) {
    assertThrows(
      () => js.hook(spec),
      TypeError,
      `Cannot make a hook: its specification must be an object; got ${shown}`,
    );
  }
  assertThrows(() => js.hook({ on: {} }), TypeError, "its name must be a non-empty string");
  assertThrows(() => js.hook({ name: none, on: {} }), TypeError, "got an object");
});

Deno.test("an unknown member of a specification names the nearest", () => {
  assertThrows(
    () => js.hook({ name: "x", on: {}, frequenzy: 2 }),
    TypeError,
    'got "frequenzy"; did you mean frequency?',
  );
  assertThrows(() => js.hook({ nme: "x", on: {} }), TypeError, "did you mean name?");
  refused({ name: "x", on: { work: { AFTER() {} } }, read: [] }, {}, TypeError, "mean reads?");
});

Deno.test("an instance of a class may have members of its own, as a table, too", () => {
  class Counts {
    readonly name = "counts";
    readonly seen: number[] = [];
    readonly on = { work: { AFTER: () => void this.seen.push(1) } };
  }
  const loop = work();
  loop.hooks.add(new Counts());
  loop.hooks.add(Object.assign(new Steps(), { mine: 1 }));
  loop.hooks.add({ ...members, stage: "work/AFTER" as const, seen: [] });
  assertEquals(loop.hooks.list().length, 3);
});

Deno.test("the parts of a table are checked, inherited names are no stages", () => {
  const wrong: [unknown, string][] = [
    [[], "on must be an object, kind → handlers by stage, or an overload set; got []"],
    [{ nokind: {} }, "unknown kind nokind"],
    [{ toString: {} }, "unknown kind toString"],
    [{ dynamics: 5 }, "on.dynamics must be an object, stage → handler; got 5"],
    [{ dynamics: [] }, "on.dynamics must be an object, stage → handler"],
    [{ dynamics: { toString() {} } }, "dynamics has no stage toString"],
    [{ dynamics: { valueOf() {} } }, "dynamics has no stage valueOf"],
    [{ dynamics: { AFTER_STEP: none } }, "on.dynamics.AFTER_STEP must be a function"],
    [{ dynamics: { AFTER_STEP: Steps } }, "must be a function; got class Steps"],
  ];
  for (const [on, message] of wrong) {
    assertThrows(() => js.hook({ name: "x", on }), TypeError, message);
  }
  assertThrows(() => js.hook({ name: "x", on: {}, kinds: [5] }), TypeError, "[5]");
  assertThrows(() => js.hook({ name: "x", on: {}, otherwise: 1 }), TypeError, "otherwise must be");
});

Deno.test("what is well-formed can be asked of anything, and is what hook() and add would take", () => {
  const bad = [
    undefined,
    null,
    Symbol("x"),
    none,
    { stage: none },
    throwing,
    new Proxy({}, {
      get: () => {
        throw new Error("no");
      },
    }),
    { on: { nokind: 5 }, frequency: -1 },
    { name: "x", on: { work: { AFTER() {} } }, frequency: -1 },
    { name: "x", on: { work: { NEVER() {} } }, kinds: [WorkStage] },
    { ...members, frequency: 0 },
    overload(),
    Steps,
  ];
  for (const value of bad) assertFalse(isHook(value));
  assert(isHook(members));
  assert(isHook(hook({ name: "x", on: { dynamics: { AFTER_STEP() {} } } })));
  assert(isHook({ name: "x", on: overload() }));
  assert(isHook({ name: "x", on: { another: { STAGE() {} } } }));
});

Deno.test("options of add are an object of known members", () => {
  const steps = new Steps();
  const wrong: [unknown, string][] = [
    [null, "its options must be an object; got null"],
    ["name", 'its options must be an object; got "name"; pass { name: "name" }'],
    [5, "its options must be an object; got 5"],
    [[], "its options must be an object; got []"],
    [{ nme: "x" }, 'got "nme"; did you mean name?'],
    [{ name: null }, "its name must be a non-empty string; got null"],
    [{ before: null }, "before must be names of hooks; got null"],
    [{ after: ["a", none] }, 'after must be names of hooks; got ["a", an object]'],
    [{ enabled: none }, "enabled must be true or false; got an object"],
    [{ order: Symbol("x") }, "order must be first | normal | last; got Symbol(x)"],
  ];
  for (const [options, message] of wrong) {
    refused(steps, options, TypeError, `Cannot register hook Steps: ${message}`.slice(0, 28));
    refused(steps, options, TypeError, message);
  }
});

Deno.test("a hook cannot be asked to run before or after itself", () => {
  for (const options of [{ before: "Steps" }, { after: ["there", "Steps"] }]) {
    refused(new Steps(), options, RangeError, 'must name other hooks; got "Steps"');
  }
  refused(new Steps(), { name: "a", before: "a" }, RangeError, "before must name other hooks");
  const loop = work(); // the second Steps is Steps-2, and may well run before the first
  loop.hooks.add(new Steps());
  loop.hooks.add(new Steps(), { before: "Steps" });
  assertEquals(loop.hooks.list().map(({ name }) => name), ["Steps-2", "Steps"]);
});

Deno.test("values that are not hooks are named, never printed as source", () => {
  const wrong: [unknown, string][] = [
    [Steps, "Cannot register hook Steps: a hook must be an object; got class Steps"],
    [Steps, "pass an instance, new Steps()"],
    [class {}, "got class; pass an instance"],
    [
      class {
        static name = 5;
      },
      "got class",
    ],
    [function log() {}, "got function log"],
    [Symbol("x"), "got Symbol(x)"],
    [none, "Cannot register hook hook: stage must be"],
    ["log", 'Cannot register hook "log": a hook must be an object'],
    [{ ...members, frequency: none }, "frequency must be a number; got an object"],
    [{ ...members, stage: none }, "got an object"],
    [
      { ...members, reads: ["a", 5] },
      'reads must be an array of field names; got ["a", 5]',
    ],
  ];
  for (const [value, message] of wrong) refused(value, {}, TypeError, message);
  refused(overload().on("dynamics/*", () => {}), {}, TypeError, "is the on: of a hook");
});

Deno.test("each lifecycle member is a function of a stage, and each stage has one", () => {
  const f = () => {};
  const wrong: [object, string][] = [
    [{ onAfter: 5 }, "onAfter must be a function; got 5"],
    [
      { onAfter: f, onBefor: 5 },
      "onBefor must be a function; got 5; did you mean onBefore?",
    ],
    [{ onAfter: f, onBefor: f }, "did you mean onBefore?"],
    [{ onAfter: none }, "got an object"],
  ];
  for (const [value, message] of wrong) refused(value, {}, TypeError, message);
  // A class that says where it runs may have data called on….
  refused({ stage: "work/AFTER", frequency: 1, onSale: true }, {}, TypeError, "call must be");
});

Deno.test("fields are checked where every kind of a hook is at hand", () => {
  const state = hostState({ heights: () => new Float64Array(1) });
  const loop = new Loop({
    kinds: [WorkStage, DynamicsStage],
    context: { total: 0 },
    state,
    step() {},
  });
  const add = (hook: unknown) =>
    (loop.hooks.add as (hook: unknown) => unknown).call(loop.hooks, hook);
  const on = { work: { AFTER() {} }, dynamics: { AFTER_STEP() {} } };
  const both = ["work/AFTER", "dynamics/AFTER_STEP"];
  for (
    const hook of [
      { name: "x", on, reads: ["height"] },
      { name: "x", on, writes: ["height"] },
      { stages: both, frequency: 1, reads: ["height"], call() {} },
    ]
  ) assertThrows(() => add(hook), TypeError, "did you mean heights?");
  add({ name: "a", on, reads: ["heights"] });
  add({ name: "b", on, otherwise() {}, reads: ["of another kind"] });
  add({ stages: [...both, "other/STAGE"], frequency: 1, reads: ["of another kind"], call() {} });
  assertEquals(loop.hooks.list().length, 3);
});

Deno.test("a kind is made of a word, names and options, each of its type", () => {
  const wrong: [unknown[], Kind, string][] = [
    [
      [],
      TypeError,
      "its name must be letters, digits, - and _, and begin with a letter; got undefined",
    ],
    [
      ["a b", ["A"]],
      RangeError,
      'its name must be letters, digits, - and _, and begin with a letter; got "a b"',
    ],
    [["k"], TypeError, "Cannot make kind k: its stage names must be an array of strings"],
    [["k", "ABC"], TypeError, 'got "ABC"'],
    [["k", ["A", 5]], TypeError, 'got ["A", 5]'],
    [["k", ["A", "B", "A"]], RangeError, 'its stage names must be unique; got "A"'],
    [["k", ["a"]], RangeError, 'upper case, such as AFTER_STEP; got "a"'],
    [["k", ["A"], null], TypeError, "its options must be an object; got null"],
    [["k", ["A"], { event: ["A"] }], TypeError, "did you mean events?"],
    [["k", ["A"], { counters: 5 }], TypeError, "its counters must be an object"],
    [
      ["k", ["A"], { counters: { A: 5 } }],
      TypeError,
      "the counter of A must be a non-empty string; got 5",
    ],
    [["k", ["EPOCH"], { counters: { EPOC: "n" } }], RangeError, "did you mean EPOCH?"],
    [["k", ["A"], { counters: { toString: "n" } }], RangeError, 'got "toString"'],
    [
      ["k", ["A"], { events: "A" }],
      TypeError,
      'its events must be an array of stage names; got "A"',
    ],
    [["k", ["A"], { events: ["B"] }], RangeError, "its events must name stages of this kind (A)"],
    [["k", ["A"], { events: [none] }], TypeError, "got an object"],
    [["k", ["A"], { contexts: [] }], TypeError, "its contexts must be an object"],
    [
      ["k", ["A"], { contexts: { B: [] } }],
      RangeError,
      "its contexts must name stages of this kind (A)",
    ],
    [
      ["k", ["A"], { contexts: { "*": "x" } }],
      TypeError,
      "the context of * must be an array of field names",
    ],
    [["k", ["A"], { aliases: [] }], TypeError, "its aliases must be an object"],
    [
      ["k", ["A"], { aliases: { whenA: "A" } }],
      RangeError,
      'the name of an alias must be of the form onTrainEnd, and not onError; got "whenA"',
    ],
    [["k", ["A"], { aliases: { onError: "A" } }], RangeError, "not onError"],
    [
      ["k", ["A"], { aliases: { onIt: "B" } }],
      RangeError,
      "its aliases must name stages of this kind",
    ],
  ];
  for (const [args, type, message] of wrong) {
    assertThrows(() => js.stages(...args), type, message);
  }
  assertEquals(stages()("k", ["A"], { counters: { A: "n" }, events: ["A"] }).A, "k/A");
});

Deno.test("roles are an object of known roles", () => {
  assertThrows(
    () => js.defineKind("k", null),
    TypeError,
    "must be an object, name → role; got null",
  );
  assertThrows(() => js.defineKind("k", ["A"]), TypeError, 'got ["A"]');
  assertThrows(() => js.defineKind("k", { A: "observ" }), TypeError, "did you mean observe?");
  assertThrows(() => js.defineKind("k", { A: none }), TypeError, "got an object");
  assertThrows(
    () => js.defineKind("k", { A: "pipe" }, 5),
    TypeError,
    "its options must be an object",
  );
});

Deno.test("an engine's kinds are kinds, one at least, each with a name of its own", () => {
  for (const kinds of [undefined, null, WorkStage, [null], [{ kind: "x", roles: {} }]]) {
    assertThrows(() => checkKinds(kinds), TypeError, "kinds must be results of stages()");
  }
  assertThrows(() => checkKinds([]), RangeError, "at least one kind is required; got []");
  const other = stages()("work", ["A"]);
  assertThrows(
    () => checkKinds([WorkStage, other]),
    RangeError,
    'must be unique; got "work"',
  );
  checkKinds([WorkStage, DynamicsStage]);
});

Deno.test("every member of an engine is checked and named", () => {
  const wrong: [object, Kind, string][] = [
    [{ step: 5 }, TypeError, "step must be a function; got 5"],
    [{ multiStep: "x" }, TypeError, 'multiStep must be a function; got "x"'],
    [{ kinds: undefined }, TypeError, "kinds must be results of stages()"],
    [{ kinds: [] }, RangeError, "at least one kind is required"],
    [{ kinds: [WorkStage, WorkStage] }, RangeError, "the names of its kinds must be unique"],
    [{ state: { heights: 1 } }, TypeError, "state must have fields, plan and writable"],
    [{ context: 5 }, TypeError, "context must be an object; got 5"],
    [{ nSteps: 5 }, TypeError, "Pass new Loop(engine, { nSteps })"],
    [{ multistep() {} }, TypeError, 'got "multistep"; did you mean multiStep?'],
  ];
  const right = { kinds: WorkStage, step() {} };
  for (const [members, type, message] of wrong) {
    assertThrows(() => checkEngine({ ...right, ...members }), type, message);
  }
  for (const engine of [undefined, null, 5]) {
    assertThrows(() => checkEngine(engine), TypeError, "its engine must be an object");
  }
  class Own {
    readonly name = "own"; // an engine of a class may have members besides
    readonly kinds = WorkStage;
    step(): void {}
  }
  checkEngine(new Own());
});

Deno.test("every option of a loop is checked and named", () => {
  const wrong: [object, Kind, string][] = [
    [
      { hooks: new Steps() },
      TypeError,
      "hooks must be an array of hooks; got a Steps",
    ],
    [{ name: 5 }, TypeError, "name must be a non-empty string; got 5"],
    [
      { nSteps: "5" },
      TypeError,
      'nSteps must be a non-negative integer, or Infinity; got "5"',
    ],
    [{ nSteps: null }, TypeError, "got null"],
    [{ nSteps: -1 }, RangeError, "got -1"],
    [{ nSteps: 1.5 }, RangeError, "got 1.5"],
    [{ nSteps: NaN }, RangeError, "got NaN"],
    [{ onWarning: "throw" }, TypeError, "onWarning must be a function"],
    [{ verify: 1 }, TypeError, "verify must be true or false; got 1"],
    [
      { signal: new AbortController() },
      TypeError,
      "signal must be an AbortSignal; got an AbortController",
    ],
    [{ nStep: 5 }, TypeError, 'got "nStep"; did you mean nSteps?'],
  ];
  for (const [options, type, message] of wrong) {
    assertThrows(() => checkLoopOptions(options), type, message);
  }
  for (const options of [undefined, null, 5, () => {}]) {
    assertThrows(() => checkLoopOptions(options), TypeError, "its options must be an object");
  }
});

Deno.test("an engine with every member and a loop with every option pass", () => {
  type Arguments = ConstructorParameters<typeof Loop<typeof WorkStage>>;
  const engine: Required<Arguments[0]> = {
    kinds: [WorkStage],
    step() {},
    multiStep() {},
    begin() {},
    end() {},
    settled() {},
    recover: () => undefined,
    isFatal: () => false,
    coming: () => undefined,
    workflow: { name: "all", hooks: work().hooks, stepCount: 0 },
    worker: { work() {}, changed() {} },
    context: { total: 0 },
    state: hostState({}),
  };
  checkEngine(engine);
  checkEngine({ ...engine, kinds: WorkStage });
  const options: Required<NonNullable<Arguments[1]>> = {
    hooks: [],
    nSteps: 0,
    name: "all",
    signal: new AbortController().signal,
    onWarning() {},
    verify: false,
  };
  checkLoopOptions(options);
  checkLoopOptions({ ...options, nSteps: Infinity });
});

Deno.test("makeHook and makeOverload want a list of kinds, be it empty", () => {
  const make = makeHook as unknown as (spec: unknown, kinds?: unknown) => unknown;
  const set = makeOverload as unknown as (kinds?: unknown) => unknown;
  for (const kinds of [undefined, null, WorkStage, [5]]) {
    assertThrows(
      () => make({ name: "x", on: {} }, kinds),
      TypeError,
      "kinds must be results of stages()",
    );
    assertThrows(
      () => set(kinds),
      TypeError,
      "Cannot make an overload set: kinds must be results of stages()",
    );
  }
  assertEquals(makeHook({ name: "x", on: {} }, []).name, "x");
});

Deno.test("an overload for a misspelt stage names the nearest", () => {
  const on = overload().on as unknown as (stage: unknown, f: () => void) => unknown;
  const { message } = assertThrows(() => on("dynamics/AFTR_STEP", () => {}), TypeError);
  assertStringIncludes(message, 'got "dynamics/AFTR_STEP"; did you mean');
});

Deno.test("show tells a value in a few characters and never throws", () => {
  const shown: [unknown, string][] = [
    ["a\n", '"a\\n"'],
    [undefined, "undefined"],
    [3n, "3n"],
    [Symbol("x"), "Symbol(x)"],
    [none, "an object"],
    [{}, "an Object"],
    [new Steps(), "a Steps"],
    [Steps, "class Steps"],
    [Map, "class Map"],
    [Object.freeze(function log() {}), "function log"],
    [() => {}, "function"],
    [Float32Array.of(0.5, NaN), "[0.5, NaN]"],
    ["x".repeat(100), `"${"x".repeat(80)}…"`],
    [[1, ["a"]], "[1, [… 1 in all]]"],
    [Array.from({ length: 10 }, (_, i) => i), "[0, 1, 2, 3, 4, 5, 6, 7, 8, … 10 in all]"],
    [Proxy.revocable({}, {}).proxy, "an Object"],
    [throwing, "an Object"],
    [Object.defineProperty({}, "constructor", { get: () => throwing.stage }), "object"],
  ];
  for (const [value, text] of shown) assertEquals(show(value), text);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  assertEquals(show(proxy), "object");
});

Deno.test("EngineHooks refuses a late hook without a trace, as add before a run does", () => {
  const loop = work();
  const engine = new EngineHooks({ kinds: [WorkStage], context: {}, workflow: loop });
  const options = { nme: "x" } as unknown as AddOptions;
  assertThrows(() => engine.add(new Steps(), options), TypeError, "did you mean name?");
  assertEquals(engine.list(), []);
});
