/** The gradients of what picks, puts, cuts and joins as onnxruntime runs them: every form that a rule writes. */
import { gpuTest } from "../gpu.ts";
import { few, slow } from "../../suite.ts";
import { assertOnRuntime, type Places, type RuntimeCase } from "./on_runtime.ts";

/** Whole numbers, written into the graph or fed. */
type Numbers = (data: readonly number[], ...dims: number[]) => Places;

function numbers(isConstant: boolean): Numbers {
  return (data, ...dims) => ({ data, dims: dims.length === 0 ? [data.length] : dims, isConstant });
}

const single = (place: number, isConstant: boolean): Places => ({
  data: [place],
  dims: [],
  isConstant,
});

function* picking(isConstant: boolean): Iterable<RuntimeCase> {
  const of = numbers(isConstant), op = "Gather";
  for (const axis of [0, 1]) {
    const attributes = { axis };
    for (const dims of [[3, 3], [3, 3, 2]]) {
      yield { op, attributes, inputs: [dims, of([2, 0, -1, 2])] };
      yield { op, attributes, inputs: [dims, of([2, 0, -1, 2], 2, 2)] };
      yield { op, attributes, inputs: [dims, of([1, 2])] };
      yield { op, attributes, inputs: [dims, single(-1, isConstant)] };
    }
    yield { op: "GatherElements", attributes, inputs: [[3, 3], of([2, 0, -1, 2], 2, 2)] };
    yield { op: "TopK", attributes, inputs: [[3, 3], of([2])], outputs: 2 };
  }
  yield { op, inputs: [[3], of([2, 0, -1, 2])] };
  yield { op, inputs: [[3, 0], of([2, 0])] };
  yield { op: "GatherND", inputs: [[4], of([1, -1, 1], 3, 1)] };
  yield { op: "GatherND", inputs: [[4, 2], of([1, -1, 1], 3, 1)] };
  yield { op: "GatherND", inputs: [[4, 2], of([1, 0, -1, 1, 1, 0], 3, 2)] };
  const attributes = { batch_dims: 1 };
  yield { op: "GatherND", attributes, inputs: [[2, 3, 2], of([1, -1, 0, 1], 2, 2, 1)] };
}

function* putting(isConstant: boolean): Iterable<RuntimeCase> {
  const of = numbers(isConstant);
  for (const reduction of ["none", "add", "mul", "max", "min"]) {
    const elements = of(reduction === "none" ? [2, 0, -3, 1] : [1, 0, -2, 1], 2, 2);
    const attributes = { reduction, axis: 0 }, op = "ScatterElements";
    yield { op, attributes, inputs: [[3, 2], elements, [2, 2]] };
    const rows = of(reduction === "none" ? [0, -1] : [1, -3], 2, 1), scatter = "ScatterND";
    yield { op: scatter, attributes: { reduction }, inputs: [[4, 2], rows, [2, 2]] };
    yield {
      op: scatter,
      attributes: { reduction },
      inputs: [[4, 2], of([0, 1, -1, 0], 2, 2), [2]],
    };
  }
}

function* cutting(isConstant: boolean): Iterable<RuntimeCase> {
  const of = numbers(isConstant), known = numbers(true), far = 2 ** 31 - 1;
  const cuts: readonly (readonly [number, number, number])[] = [
    [2, 5, 1],
    [-3, far, 1],
    [9, 20, 1],
    [1, -1, 1],
    [1, far, 3],
    [-6, 6, 4],
    [-1, -far, -1],
    [5, 0, -3],
  ];
  for (const [start, end, step] of cuts) {
    const bounds = [of([start]), of([end]), known([1]), known([step])];
    yield { op: "Slice", inputs: [[2, 7], ...bounds] };
  }
  yield { op: "Slice", inputs: [[4, 3, 5], of([1, 0]), of([-1, 2]), of([-1, 0]), of([2, 1])] };
  yield { op: "Pad", inputs: [[2, 3], of([0, 1, 2, 0]), []] };
  yield { op: "Pad", inputs: [[2, 3], of([0, -1, 1, -1]), []] };
  yield { op: "Pad", inputs: [[2, 3], of([1, 2]), [], of([-1])] };
  for (const mode of ["reflect", "edge", "wrap"]) {
    yield { op: "Pad", opset: 19, attributes: { mode }, inputs: [[3, 4], of([1, 0, 2, 1])] };
  }
}

function* arranging(isConstant: boolean): Iterable<RuntimeCase> {
  const of = numbers(isConstant);
  yield { op: "Concat", attributes: { axis: 1 }, inputs: [[2, 3], [2, 0], [2, 1]] };
  yield { op: "Split", attributes: { axis: 1, num_outputs: 3 }, inputs: [[2, 7]], outputs: 3 };
  yield { op: "Split", attributes: { axis: 0 }, inputs: [[5, 2], of([3, 0, 2])], outputs: 3 };
  yield { op: "Reshape", inputs: [[2, 6], of([0, 2, 3])] };
  yield { op: "Reshape", attributes: { allowzero: 1 }, inputs: [[3, 0], of([0, 3, 2])] };
  yield { op: "Unsqueeze", inputs: [[2, 3], of([0, -1])] };
  yield { op: "Flatten", inputs: [[2, 3, 2]] };
  yield { op: "Expand", inputs: [[2, 1], of([3, 2, 3])] };
  yield { op: "Tile", inputs: [[2, 3], of([2, 2])] };
  yield { op: "Transpose", attributes: { perm: [2, 0, 1] }, inputs: [[2, 3, 4]] };
  yield { op: "CumSum", attributes: { exclusive: 1 }, inputs: [[2, 3], single(1, isConstant)] };
  yield { op: "Trilu", inputs: [[3, 4], single(1, isConstant)] };
  for (const mode of ["DCR", "CRD"]) {
    yield { op: "DepthToSpace", attributes: { blocksize: 2, mode }, inputs: [[1, 8, 1, 3]] };
  }
  yield { op: "SpaceToDepth", attributes: { blocksize: 2 }, inputs: [[1, 2, 2, 4]] };
}

const KINDS = { picking, putting, cutting, arranging };

for (const [kind, cases] of Object.entries(KINDS)) {
  for (const isFree of [true, false]) {
    const lengths = isFree ? "free lengths" : "fixed lengths";
    Deno.test(`onnxruntime runs the gradients of ${kind}, with ${lengths}`, async () => {
      for (const isConstant of few([isFree], [true, false])) {
        for (const each of cases(isConstant)) await assertOnRuntime(each, isFree);
      }
    });
  }
}

/**
 * WebGPU's build binds no buffer for a tensor without elements, and is of no use after it has been asked to. Its Slice
 * by steps below −1 takes others.
 */
function isForGpu({ op, inputs }: RuntimeCase): boolean {
  const step = inputs[4];
  if (op === "Slice" && step !== undefined && "data" in step && step.data[0]! < -1) return false;
  const isEmpty = (input: RuntimeCase["inputs"][number]) => {
    if (input === undefined) return false;
    return "data" in input ? op === "Split" && input.data.includes(0) : input.includes(0);
  };
  return !inputs.some(isEmpty);
}

for (const [kind, cases] of Object.entries(KINDS)) {
  slow(gpuTest)(`onnxruntime runs the gradients of ${kind} on a GPU`, async () => {
    // The fast suite runs the first of each operator.
    const all = [...cases(true)].filter(isForGpu);
    const first = all.filter(({ op }, i) => all.findIndex((one) => one.op === op) === i);
    for (const each of few(first, all)) {
      await assertOnRuntime(each, false, { device: "webgpu" });
    }
  });
}
