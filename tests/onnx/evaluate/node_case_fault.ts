import { decodeModel, type ModelProto } from "../../../src/onnx/mod.ts";
import { openEvaluator } from "../../../src/onnx/evaluate/evaluator.ts";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import type { ElementType } from "../../../src/onnx/mod.ts";
import type { CaseSet, NodeCase } from "./node_cases.ts";

/**
 * Largest accepted difference from the expected number, relative to the number and to a tenth of the largest number
 * of the tensor, because sums of large numbers have the rounding errors of large numbers. Integers and booleans must
 * be equal.
 */
const TOLERANCES: { readonly [Type in ElementType]?: number } = {
  f16: 1e-3,
  bf16: 1e-2,
  f32: 1e-6,
  f64: 1e-14,
};

/** Returns the fault of the evaluator's result for a case; `undefined` if it is correct. */
export function faultOf({ model, sets }: NodeCase): string | undefined {
  try {
    const proto = decodeModel(model);
    for (const set of sets) {
      const fault = faultOfSet(proto, set);
      if (fault !== undefined) return fault;
    }
  } catch (error) {
    return (error as Error).message;
  }
}

function faultOfSet(model: ModelProto, { inputs, outputs }: CaseSet): string | undefined {
  const other = [...inputs, ...outputs].find(({ kind }) => kind !== "tensor");
  if (other !== undefined) return `no tensor: ${other.kind}`;
  const evaluator = openEvaluator(model, { anyOpset: true, rounds: true });
  const names = (model.graph?.input ?? []).map(({ name }) => name);
  const feeds = Object.fromEntries(inputs.map((value, i) => [names[i]!, value.tensor()]));
  const made = evaluator.run(feeds);
  for (const [i, value] of outputs.entries()) {
    const { name } = evaluator.outputs[i]!;
    const fault = difference(made[name]!, value.tensor());
    if (fault !== undefined) return `${name}: ${fault}`;
  }
}

/** Returns the difference of a tensor from the expected tensor; `undefined` if they agree. */
export function difference(made: PlainTensor, expected: PlainTensor): string | undefined {
  if (made.type !== expected.type) return `${made.type} for ${expected.type}`;
  if (made.dims.join() !== expected.dims.join()) return `[${made.dims}] for [${expected.dims}]`;
  if (made.data.length !== expected.data.length) return `${made.data.length} numbers`;
  const finite = expected.data.filter(Number.isFinite);
  const largest = finite.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const tolerance = TOLERANCES[expected.type] ?? 0;
  for (const [i, x] of expected.data.entries()) {
    const y = made.data[i]!;
    const most = tolerance * (Math.abs(x) + largest / 10);
    const isSame = Number.isFinite(x) ? Math.abs(x - y) <= most : Object.is(x, y);
    if (!isSame) return `${y} for ${x} at ${i}`;
  }
}
