import { assertEquals, assertThrows } from "@std/assert";
import { plateau, type PlateauOptions, warmup } from "../../../src/training/schedules/mod.ts";

/** The factor after each of these values was observed. */
function factors(options: PlateauOptions, values: readonly number[]): number[] {
  const schedule = plateau({ factor: 0.5, patience: 1, monitor: "m", ...options });
  return values.map((m, step) => {
    schedule.observe!({ m, other: -1e9 });
    return schedule.factor(step);
  });
}

Deno.test("plateau() reduces when patience was exceeded, again and again", () => {
  assertEquals(factors({}, [5, 4, 4, 4, 4, 4, 4]), [1, 1, 1, 0.5, 0.5, 0.25, 0.25]);
  assertEquals(factors({ patience: 0 }, [5, 5, 5]), [1, 0.5, 0.25]);
  // What gets better begins the count again.
  assertEquals(factors({}, [5, 5, 4, 4, 3, 3, 3]), [1, 1, 1, 1, 1, 1, 0.5]);
});

Deno.test("plateau() asks for more than the threshold, as a part of the best or as a difference", () => {
  const share: PlateauOptions = { patience: 0, threshold: 0.25 };
  assertEquals(factors(share, [8, 6, 5.9]), [1, 0.5, 0.5]); // 6 is not below 8 · 0.75
  const difference: PlateauOptions = { ...share, thresholdMode: "absolute" };
  assertEquals(factors(difference, [8, 7.75, 7.7, 7.5]), [1, 0.5, 0.5, 0.25]);
  assertEquals(factors({ ...share, mode: "max" }, [8, 10, 10.1]), [1, 0.5, 0.5]);
  assertEquals(factors({ ...difference, mode: "max" }, [8, 8.25, 8.3]), [1, 0.5, 0.5]);
  assertEquals(factors({ mode: "max", patience: 0 }, [1, 2, 1]), [1, 1, 0.5]);
});

Deno.test("plateau() counts nothing while it cools down, but remembers the best", () => {
  const options: PlateauOptions = { patience: 0, cooldown: 2 };
  assertEquals(factors(options, [5, 5, 5, 5, 5]), [1, 0.5, 0.5, 0.5, 0.25]);
  assertEquals(factors(options, [5, 5, 3, 3, 4]), [1, 0.5, 0.5, 0.5, 0.25]);
});

Deno.test("plateau() never goes below its least factor, nor up to it", () => {
  const options: PlateauOptions = { patience: 0, min: 0.3 };
  assertEquals(factors(options, [1, 1, 1, 1]), [1, 0.5, 0.3, 0.3]);
  assertEquals(factors({ patience: 0, min: 2 }, [1, 1, 1]), [1, 1, 1]);
});

Deno.test("plateau() takes NaN for no improvement, at the beginning too", () => {
  assertEquals(factors({ patience: 1 }, [NaN, NaN, 3, 2]), [1, 0.5, 0.5, 0.5]);
  assertEquals(factors({ patience: 0 }, [3, NaN, 2]), [1, 0.5, 0.5]);
  assertEquals(factors({ patience: 0 }, [Infinity, 3]), [0.5, 0.5]);
});

Deno.test("plateau() goes on from what it saved as if it had not stopped", () => {
  const options: PlateauOptions = { monitor: "m", factor: 0.5, patience: 2, cooldown: 1 };
  const losses = [5, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3];
  const whole = plateau(options);
  const expected = losses.map((m) => (whole.observe!({ m }), whole.factor(0)));
  for (let stop = 0; stop < losses.length; stop++) {
    const first = plateau(options), second = plateau(options);
    for (const m of losses.slice(0, stop)) first.observe!({ m });
    second.load!(JSON.parse(JSON.stringify(first.save!())));
    const rest = losses.slice(stop).map((m) => (second.observe!({ m }), second.factor(0)));
    assertEquals(rest, expected.slice(stop), `stopped before ${stop}`);
  }
});

Deno.test("plateau() observes during a warm-up, and what it saved comes back through it", () => {
  const options: PlateauOptions = { monitor: "m", factor: 0.5, patience: 0 };
  const first = warmup({ steps: 2, from: 0, then: plateau(options) });
  first.observe!({ m: 1 });
  first.observe!({ m: 1 });
  assertEquals([0, 1, 2].map(first.factor), [0, 0.5, 0.5]);
  const second = warmup({ steps: 2, then: plateau(options) });
  second.load!(first.save!());
  assertEquals(second.factor(2), 0.5);
});

Deno.test("plateau() names the metrics there are when its own is not among them", () => {
  const schedule = plateau();
  assertThrows(
    () => schedule.observe!({ "train/loss": 1, "val/accuracy": 0.5 }),
    TypeError,
    'the metric "val/loss" must be a number; got only the metrics train/loss, val/accuracy',
  );
  assertThrows(() => schedule.observe!({}), TypeError, "got only the metrics none");
  const text = { "val/loss": "3" } as unknown as Record<string, number>;
  assertThrows(() => schedule.observe!(text), TypeError, 'got "3"');
});

Deno.test("plateau() refuses a state that none saved, and stays as it was", () => {
  const schedule = plateau({ monitor: "m", patience: 0 });
  for (const m of [1, 1]) schedule.observe!({ m });
  const state = schedule.save!() as Record<string, unknown>;
  for (const bad of [null, 3, {}, { ...state, bad: -1 }, { ...state, factor: "1" }]) {
    assertThrows(() => schedule.load!(bad), TypeError, "must be a result of save()");
  }
  assertEquals(schedule.factor(0), 0.1);
});
