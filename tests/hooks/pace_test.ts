// The pace of a loop: how many steps run in one call.
import { assertEquals } from "@std/assert";
import { MultiStepLength } from "../../src/hooks/loop/pace.ts";

/** Runs calls of at most `free` steps that take `perStep` ms each. Returns their lengths, negative without timing. */
function calls(lengths: MultiStepLength, count: number, free: number, perStep: number): number[] {
  return Array.from({ length: count }, () => {
    const steps = lengths.next(free);
    if (!lengths.isTimed(steps)) return -steps;
    lengths.took(steps, steps * perStep);
    return steps;
  });
}

Deno.test("calls of full length are all timed, so their length grows until they take 50 ms", () => {
  assertEquals(calls(new MultiStepLength(), 5, 1000, 1), [16, 32, 50, 50, 50]);
});

Deno.test("one of eight short calls is timed, which suffices to shorten the first long call", () => {
  const lengths = new MultiStepLength();
  calls(lengths, 8, 1000, 0.05); // 1000 steps take 50 ms
  assertEquals(calls(lengths, 18, 9, 0.05).filter((steps) => steps > 0).length, 2);
  calls(lengths, 8, 9, 2); // steps have become slower
  assertEquals(calls(lengths, 1, 1000, 2), [25]);
});
