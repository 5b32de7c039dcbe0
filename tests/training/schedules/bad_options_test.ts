import { assertStringIncludes, assertThrows } from "@std/assert";
import {
  constant,
  cosine,
  exponential,
  linear,
  oneCycle,
  piecewise,
  plateau,
  type Schedule,
  warmup,
} from "../../../src/training/schedules/mod.ts";

/** Callers without types. */
const SCHEDULES = { constant, cosine, exponential, linear, oneCycle, piecewise, plateau, warmup };

const BAD: readonly [
  name: keyof typeof SCHEDULES,
  option: unknown,
  kind: ErrorConstructor,
  message: string,
][] = [
  ["constant", -1, RangeError, "its value must be 0 or more and finite; got -1"],
  ["constant", "1", TypeError, 'its value must be a number; got "1"'],
  [
    "linear",
    { steps: 0 },
    RangeError,
    "steps must be a positive integer; got 0",
  ],
  ["linear", { steps: 1.5 }, RangeError, "got 1.5"],
  ["linear", {}, TypeError, "steps must be a number; got undefined"],
  ["linear", { steps: 2, from: NaN }, RangeError, "from must be 0 or more and finite"],
  ["linear", { steps: 2, to: -1 }, RangeError, "to must be 0 or more"],
  ["linear", { step: 2 }, TypeError, 'among from, to, steps; got "step"'],
  ["linear", undefined, TypeError, "its options must be an object"],
  ["cosine", { steps: Infinity }, RangeError, "got Infinity"],
  [
    "cosine",
    { steps: 2, to: "0" },
    TypeError,
    'to must be a number; got "0"',
  ],
  ["exponential", { gamma: -0.5 }, RangeError, "gamma must be 0 or more"],
  ["exponential", {}, TypeError, "gamma must be a number; got undefined"],
  ["exponential", { gamma: 0.5, every: 0 }, RangeError, "every must be a positive integer"],
  ["warmup", { steps: 0 }, RangeError, "steps must be a positive integer"],
  ["warmup", { steps: 1, from: -1 }, RangeError, "from must be 0 or more"],
  [
    "warmup",
    { steps: 1, then: {} },
    TypeError,
    'the option "then" must be a schedule; got an Object',
  ],
  ["warmup", { steps: 1, then: null }, TypeError, 'the option "then" must be a schedule; got null'],
  [
    "piecewise",
    {},
    TypeError,
    'the option "at" must be an object, step → factor, such as { 10: 0.3 }; got undefined',
  ],
  ["piecewise", { at: {} }, RangeError, 'the option "at" must be an object, step → factor'],
  ["piecewise", { at: [1, 2] }, TypeError, "got [1, 2]"],
  [
    "piecewise",
    { at: { "1.5": 1 } },
    RangeError,
    'integers from 0 to 999999999; got "1.5"',
  ],
  ["piecewise", { at: { 4294967296: 1, 2: 3 } }, RangeError, 'got "4294967296"'],
  ["piecewise", { at: { "-1": 1 } }, RangeError, 'got "-1"'],
  ["piecewise", { at: { 10: -1 } }, RangeError, "the factor at 10 must be 0 or more"],
  ["oneCycle", { steps: 0 }, RangeError, "steps must be a positive integer"],
  ["oneCycle", { steps: 9, peakAt: 1.1 }, RangeError, "peakAt must be from 0 to 1; got 1.1"],
  ["oneCycle", { steps: 9, divide: 0 }, RangeError, "divide must be above 0 and finite"],
  ["oneCycle", { steps: 9, finalDivide: NaN }, RangeError, "finalDivide must be above 0"],
  ["oneCycle", { steps: 9, momentum: 0.9 }, TypeError, "momentum must be two numbers"],
  ["oneCycle", { steps: 9, momentum: [0.8, 2] }, RangeError, "momentum must be from 0 to 1"],
  ["plateau", { monitor: "" }, TypeError, "monitor must be the name of a metric"],
  [
    "plateau",
    { mode: "least" },
    RangeError,
    'mode must be "min" or "max"; got "least"',
  ],
  ["plateau", { thresholdMode: "rel" }, RangeError, 'must be "relative" or "absolute"'],
  ["plateau", { factor: 1 }, RangeError, "factor must be 0 or more and below 1"],
  ["plateau", { patience: -1 }, RangeError, "patience must be a non-negative integer"],
  ["plateau", { cooldown: 0.5 }, RangeError, "cooldown must be a non-negative integer"],
  ["plateau", { threshold: -1 }, RangeError, "threshold must be 0 or more"],
  ["plateau", { min: "0" }, TypeError, 'min must be a number; got "0"'],
  ["plateau", { patiense: 3 }, TypeError, "patience"],
];

for (const [name, option, kind, message] of BAD) {
  Deno.test(`${name}(${JSON.stringify(option) ?? ""}) says what is wrong: ${message}`, () => {
    const make = SCHEDULES[name] as (option: unknown) => Schedule;
    const error = assertThrows(() => make(option), kind);
    assertStringIncludes(error.message, message);
    assertStringIncludes(error.message, "Cannot make a");
  });
}
