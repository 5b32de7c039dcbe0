// Scalars over steps in bounded memory, and their JSON Lines.
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { parseScalarLines, ScalarHistory, type ScalarSnapshot } from "../../src/observe/mod.ts";
import { scalarLine } from "../../src/observe/reporter/scalar_snapshot.ts";

Deno.test("a limited number of points is kept, spread over the whole run, including the first and the last", () => {
  for (const size of [2, 5, 16, 100]) {
    const history = new ScalarHistory({ size });
    for (let step = 0; step < 1000; step++) {
      history.add({ step: 3 * step, scalars: { x: step } });
      const { steps, values } = history.series("x");
      assert(steps.length <= size && steps.length >= Math.min(step + 1, size / 2));
      assertEquals([steps[0], steps.at(-1)], [0, 3 * step]);
      assertEquals(values.map((value) => 3 * value), steps);
      const gaps = steps.slice(1, -1).map((at, i) => at - steps[i]!);
      assert(new Set(gaps).size <= 1, `${steps}`);
    }
  }
});

Deno.test("a repeated step replaces all points from it on", () => {
  const history = new ScalarHistory({ size: 8 });
  const add = (step: number, x: number) => history.add({ step, scalars: { x } });
  for (let step = 0; step < 20; step++) add(step, 1);
  for (let step = 9; step < 12; step++) add(step, 2);
  const { steps, values } = history.series("x");
  assertEquals(steps.at(-1), 11);
  assert(steps.every((step, i) => i === 0 || step > steps[i - 1]!));
  assertEquals(values, steps.map((step) => step < 9 ? 1 : 2));
});

Deno.test("a restored history continues with the same points", () => {
  const whole = new ScalarHistory({ size: 6 }), before = new ScalarHistory({ size: 6 });
  const at = (step: number) => ({
    step,
    scalars: { a: step ** 2, ...(step % 3 === 0 && { b: -step }) },
  });
  for (let step = 0; step < 50; step++) whole.add(at(step));
  for (let step = 0; step < 23; step++) before.add(at(step));
  const after = new ScalarHistory({ size: 6 });
  after.load(JSON.parse(JSON.stringify(before.save())));
  for (let step = 23; step < 50; step++) after.add(at(step));
  for (const name of ["a", "b"]) assertEquals(after.series(name), whole.series(name));
  for (
    const wrong of [undefined, {}, { series: [["x", 0, 1, [], []]] }, {
      series: [["x", 1, 1, [1], []]],
    }]
  ) {
    assertThrows(() => after.load(wrong), TypeError, "the state must be a result of save()");
  }
  assertThrows(() => new ScalarHistory({ size: 1 }), RangeError, "got 1");
});

Deno.test("any numbers are read back from JSON Lines, and a line that was cut off is ignored", () => {
  const scalars = fc.dictionary(fc.string().filter((name) => name !== "__proto__"), fc.double(), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(fc.array(scalars, { maxLength: 4 }), fc.nat(), (all, cut) => {
      const rows = all.map((scalars, step): ScalarSnapshot => ({
        step,
        time: 1e9 + step,
        stage: "walk/STEP",
        engine: "walk",
        scalars,
      }));
      const text = rows.map((row) => `${scalarLine(row)}\n`).join("");
      assertEquals(parseScalarLines(text), rows);
      const part = text.slice(0, cut % (text.length + 1));
      assertEquals(parseScalarLines(part), rows.slice(0, part.split("\n").length - 1));
    }),
    { numRuns: 200, seed: 1 },
  );
});

Deno.test("a line that is not a reporter's is refused, with its number and member", () => {
  const good = scalarLine({ step: 0, time: 1, stage: "a/B", engine: "e", scalars: { x: 1 } });
  const row = JSON.parse(good);
  const cases: [unknown, string][] = [
    ['{"step":', "line 2: it is not JSON"],
    [[], "it must be an object"],
    [{ ...row, step: -1 }, "its step must be a non-negative integer; got -1"],
    [
      { ...row, time: "noon" },
      'its time must be a time in ISO 8601; got "noon"',
    ],
    [{ ...row, stage: 3 }, "its stage and engine must be strings"],
    [{ ...row, scalars: [1] }, "its scalars must be an object"],
    [{ ...row, scalars: { x: "1" } }, 'scalars["x"] must be a number; got "1"'],
    [{ ...row, scalars: { x: null } }, 'scalars["x"] must be a number; got null'],
  ];
  for (const [line, message] of cases) {
    const text = `${good}\n${typeof line === "string" ? line : JSON.stringify(line)}\n`;
    assertThrows(() => parseScalarLines(text, "F"), SyntaxError, message);
  }
});

Deno.test("lines with any damage are read or refused by a SyntaxError", () => {
  const good = `${
    scalarLine({ step: 7, time: 1, stage: "a/B", engine: "e", scalars: { x: -0, y: NaN } })
  }\n`;
  fc.assert(
    fc.property(
      fc.nat(good.length - 1),
      fc.string({ maxLength: 3 }),
      fc.nat(4),
      (at, put, gone) => {
        try {
          parseScalarLines(good.slice(0, at) + put + good.slice(at + gone));
        } catch (error) {
          assert(error instanceof SyntaxError && /, line \d/.test(error.message), String(error));
        }
      },
    ),
    { numRuns: 500, seed: 2 },
  );
});
