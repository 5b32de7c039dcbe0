import { checkSlopes } from "./check_slopes.ts";

Deno.test("Concat passes each input its part of the gradient", () => {
  for (const axis of [0, 1, -1]) {
    const dims = (length: number) => axis === 0 ? [length, 2] : [2, length];
    const attributes = { axis };
    const inputs = [3, 1, 0, 4].map((length) => ({ dims: dims(length) }));
    checkSlopes({ op: "Concat", attributes, inputs });
    checkSlopes({ op: "Concat", attributes, inputs: inputs.slice(0, 1) });
    // One is wanted: before, between and behind constants.
    for (let i = 0; i < inputs.length; i++) {
      const alone = inputs.map((input, j) => ({ ...input, isConstant: i !== j }));
      checkSlopes({ op: "Concat", attributes, inputs: alone });
    }
  }
});

Deno.test("Split joins the gradients of its parts", () => {
  for (const axis of [0, 1, -1]) {
    const dims = axis === 0 ? [6, 2] : [2, 6], attributes = { axis, num_outputs: 3 };
    checkSlopes({ op: "Split", attributes, inputs: [{ dims }], outputs: 3 });
    for (const isConstant of [true, false]) {
      const sizes = { type: "i64", dims: [3], data: [3, 0, 3], isConstant } as const;
      checkSlopes({ op: "Split", attributes: { axis }, inputs: [{ dims }, sizes], outputs: 3 });
    }
  }
});

Deno.test("Split uses zeros for parts without a gradient", () => {
  const cases = [[5, 2], [7, 3], [6, 3]] as const;
  for (const [length, outputs] of cases) {
    const inputs = [{ dims: [length, 2] }], attributes = { num_outputs: outputs };
    const all = Array.from({ length: outputs }, (_, i) => i);
    for (const i of all) {
      const few = { op: "Split", attributes, inputs, outputs };
      checkSlopes({ ...few, discrete: all.filter((j) => j !== i) });
      checkSlopes({ ...few, discrete: [i] });
    }
  }
});
