import { checkSlopes } from "./check_slopes.ts";

const FAR = 2 ** 31 - 1;

/** Start, end and step, along an axis of 7. */
const CUTS: readonly (readonly [number, number, number])[] = [
  [0, 3, 1],
  [2, 5, 1],
  [2, FAR, 1],
  [-3, FAR, 1],
  [1, -1, 1],
  [-5, -2, 1],
  [-100, 100, 1],
  [5, 5, 1],
  [5, 2, 1],
  [9, 20, 1],
  [0, FAR, 2],
  [1, FAR, 3],
  [2, -1, 2],
  [-6, 6, 4],
  [3, FAR, 7],
  [4, -FAR - 1, -7],
  [-1, -FAR - 1, -1],
  [5, 1, -1],
  [-2, 0, -1],
  [100, 2, -1],
  [-1, -FAR - 1, -2],
  [5, 0, -3],
  [4, 0, -2],
  [1, 5, -1],
];

Deno.test("Slice has gradients for any direction and step", () => {
  for (const cut of CUTS) {
    for (const isConstant of [true, false]) {
      const [starts, ends, steps] = cut.map((x) =>
        ({ type: "i64", dims: [1], shape: [1], data: [x], isConstant }) as const
      );
      const axes = { type: "i64", dims: [1], data: [1], isConstant: true } as const;
      const inputs = [{ dims: [2, 7] }, starts, ends, axes, { ...steps!, isConstant: true }];
      checkSlopes({ op: "Slice", inputs });
    }
  }
});

Deno.test("Slice has gradients along several axes, given or by default", () => {
  const list = (data: readonly number[], isConstant = true) =>
    ({ type: "i64", dims: [data.length], shape: [data.length], data, isConstant }) as const;
  const dims = [4, 3, 5];
  for (const isConstant of [true, false]) {
    const starts = list([1, 0], isConstant), ends = list([-1, 2], isConstant);
    checkSlopes({ op: "Slice", inputs: [{ dims }, starts, ends] });
    checkSlopes({ op: "Slice", inputs: [{ dims }, starts, ends, list([-1, 0])] });
    checkSlopes({ op: "Slice", inputs: [{ dims }, starts, ends, list([-1, 0]), list([1, 2])] });
    checkSlopes({
      op: "Slice",
      inputs: [{ dims }, list([-1, 3], isConstant), list([0, 0]), list([-1, 0]), list([-2, -1])],
    });
  }
});

Deno.test("Slice has gradients if axes and steps are variable", () => {
  const list = (...data: number[]) =>
    ({ type: "i64", dims: [data.length], shape: [data.length], data }) as const;
  const inputs = [{ dims: [4, 5] }, list(-1, 0), list(0, 3), list(1, 0), list(-2, 1)];
  checkSlopes({ op: "Slice", inputs });
});

Deno.test("Slice has gradients for variable lengths that determine each other", () => {
  const list = (...data: number[]) =>
    ({ type: "i64", dims: [data.length], shape: [data.length], data, isConstant: true }) as const;
  const whole = { dims: [5, 2], shape: ["N + 2", 2] };
  for (const [start, end] of [[1, -1], [2, FAR], [0, -2], [-7, -2], [-4, FAR]] as const) {
    checkSlopes({ op: "Slice", inputs: [whole, list(start), list(end)] });
  }
});
