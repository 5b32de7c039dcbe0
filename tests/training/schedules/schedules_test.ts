import { assertAlmostEquals, assertEquals } from "@std/assert";
import {
  constant,
  cosine,
  exponential,
  linear,
  oneCycle,
  piecewise,
  type Schedule,
  warmup,
} from "../../../src/training/schedules/mod.ts";

/** Within a few roundings. */
function assertFactors(schedule: Schedule, expected: Readonly<Record<number, number>>): void {
  for (const [step, factor] of Object.entries(expected)) {
    assertAlmostEquals(schedule.factor(Number(step)), factor, 1e-15, `step ${step}`);
  }
}

Deno.test("constant() is 1, or the one number given, at every step", () => {
  assertEquals([0, 1, 1e9].map(constant().factor), [1, 1, 1]);
  assertEquals([0, 1, 1e9].map(constant(0.25).factor), [0.25, 0.25, 0.25]);
});

Deno.test("linear() goes in equal parts, arrives at its last step and stays", () => {
  const down = linear({ from: 0.9, to: 0.1, steps: 4 });
  assertFactors(down, { 0: 0.9, 1: 0.7, 2: 0.5, 3: 0.3, 4: 0.1, 5: 0.1, 1000: 0.1 });
  assertFactors(linear({ steps: 10 }), { 0: 1, 5: 0.5, 9: 0.1, 10: 0 });
  assertFactors(linear({ from: 0, to: 2, steps: 1 }), { 0: 0, 1: 2, 2: 2 });
});

Deno.test("cosine() is half a wave: its middle, its thirds, and the trough for good", () => {
  // cos 60° = 1/2 and cos 120° = −1/2.
  assertFactors(cosine({ steps: 6 }), { 0: 1, 2: 0.75, 3: 0.5, 4: 0.25, 6: 0, 7: 0, 12: 0 });
  assertFactors(cosine({ steps: 6, to: 0.2 }), { 0: 1, 2: 0.8, 3: 0.6, 4: 0.4, 6: 0.2, 12: 0.2 });
  const eighth = (2 + Math.SQRT2) / 4;
  assertFactors(cosine({ steps: 4 }), { 1: eighth, 3: 1 - eighth });
});

Deno.test("warmup() rises to 1 in equal parts, then another schedule begins at its own step 0", () => {
  const schedule = warmup({ steps: 4, from: 0.2, then: linear({ from: 1, to: 0, steps: 10 }) });
  assertFactors(schedule, { 0: 0.2, 1: 0.4, 2: 0.6, 3: 0.8, 4: 1, 5: 0.9, 14: 0, 15: 0 });
  assertFactors(warmup({ steps: 5 }), { 0: 0.2, 1: 0.36, 4: 0.84, 5: 1, 99: 1 });
});

Deno.test("warmup() passes on the momentum of what follows, from its step 0 on", () => {
  const follower: Schedule = { factor: () => 1, momentum: (step) => 0.9 + step / 100 };
  const { momentum } = warmup({ steps: 3, then: follower });
  assertEquals([0, 2, 3, 4].map(momentum!), [0.9, 0.9, 0.9, 0.91]);
  assertEquals("momentum" in warmup({ steps: 3 }), false);
  assertEquals("observe" in warmup({ steps: 3 }), false);
});

Deno.test("warmup() calls what follows as its method, so that a class may be one", () => {
  class Seen implements Schedule {
    seen: unknown[] = [];
    factor(): number {
      return this.seen.length;
    }
    observe(metrics: Readonly<Record<string, number>>): void {
      this.seen.push(metrics);
    }
    save(): unknown {
      return this.seen;
    }
    load(state: unknown): void {
      this.seen = state as unknown[];
    }
  }
  const schedule = warmup({ steps: 2, then: new Seen() });
  schedule.observe!({ loss: 3 });
  assertEquals(schedule.factor(2), 1);
  assertEquals(schedule.save!(), [{ loss: 3 }]);
  schedule.load!([1, 2, 3]);
  assertEquals(schedule.factor(2), 3);
});

Deno.test("piecewise() jumps at its steps, in whatever order they are written", () => {
  const schedule = piecewise({ at: { 30: 0.09, 10: 0.3, 200: 2 } });
  assertFactors(schedule, { 0: 1, 9: 1, 10: 0.3, 29: 0.3, 30: 0.09, 199: 0.09, 200: 2, 1e6: 2 });
  assertFactors(piecewise({ at: { 0: 0.5 } }), { 0: 0.5, 1: 0.5 });
});

Deno.test("exponential() is a power of the number of steps, or of intervals of steps", () => {
  assertFactors(exponential({ gamma: 0.9 }), { 0: 1, 1: 0.9, 2: 0.81, 3: 0.729 });
  const steps = exponential({ gamma: 0.5, every: 7 });
  assertFactors(steps, { 0: 1, 6: 1, 7: 0.5, 13: 0.5, 14: 0.25, 70: 2 ** -10 });
});

Deno.test("oneCycle() begins, peaks and ends where it says, along half a cosine each", () => {
  // The peak is at 0.4 · 20 − 1 = 7, the end at 19: 13 is half-way down.
  const { factor, momentum } = oneCycle({
    steps: 20,
    peakAt: 0.4,
    divide: 5,
    finalDivide: 2,
    momentum: [0.8, 0.9],
  });
  const factors = { 0: 0.2, 7: 1, 13: 0.55, 19: 0.1, 20: 0.1, 99: 0.1 };
  assertFactors({ factor }, factors);
  assertFactors({ factor: momentum! }, { 0: 0.9, 7: 0.8, 13: 0.85, 19: 0.9, 99: 0.9 });
  assertAlmostEquals(factor(1), 0.2 + 0.8 * (1 - Math.cos(Math.PI / 7)) / 2, 1e-15);
  assertEquals("momentum" in oneCycle({ steps: 20 }), false);
});

Deno.test("oneCycle() without a rise, without a fall, and with a peak at its first step", () => {
  const ends = { divide: 4, finalDivide: 2 };
  // Without a rise the peak lies a step before the first.
  assertFactors(oneCycle({ steps: 4, peakAt: 0, ...ends }), { 1: (1 + 0.125) / 2, 3: 0.125 });
  assertFactors(oneCycle({ steps: 4, peakAt: 1, ...ends }), { 0: 0.25, 3: 1, 9: 1 });
  assertFactors(oneCycle({ steps: 10, peakAt: 0.1, ...ends }), { 0: 1, 9: 0.125 });
  assertFactors(oneCycle({ steps: 1, ...ends }), { 0: 0.125, 1: 0.125 });
});
