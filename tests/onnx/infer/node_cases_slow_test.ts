import { assert, assertEquals } from "@std/assert";
import { OPERATORS } from "../../../src/onnx/evaluate/operators.ts";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { GraphFacts } from "../../../src/onnx/infer/facts.ts";
import { decodeModel, Graph, makeTensorProto, valueInfo } from "../../../src/onnx/mod.ts";
import { faultOf } from "../evaluate/node_case_fault.ts";
import { type NodeCase, nodeCases } from "../evaluate/node_cases.ts";
import { mismatch } from "./mismatch.ts";
import { pythonTest } from "../../python.ts";

/** Descriptions of the lengths of inputs: numbers, a separate name for each length, or one name for equal lengths. */
const NAMINGS: Readonly<Record<string, (length: number, axis: string) => number | string>> = {
  numbers: (length) => length,
  own: (length, axis) => length > 1 ? axis : length,
  shared: (length) => length > 1 ? `L${length}` : length,
};

/** Cases whose lengths depend on numbers that are not followed: floats, and data. */
const OPEN = /_(compress|nonzero|onehot|range_b?float)/;

function isList({ type, dims }: PlainTensor): boolean {
  return (type === "i64" || type === "i32") && dims.length <= 1;
}

/**
 * Returns the inferred facts of the outputs of a case, and the lengths by name. The graph does not describe its
 * outputs.
 */
function infer({ model, sets: [set] }: NodeCase, naming: string, areListsFixed: boolean) {
  const proto = decodeModel(model), graph = proto.graph!, names: Record<string, number> = {};
  proto.opsetImport = [{ ...proto.opsetImport[0]!, domain: "", version: 21n }];
  for (const output of graph.output) delete output.type;
  graph.input = graph.input.flatMap(({ name }, i) => {
    const { type, dims, data } = set!.inputs[i]!.tensor();
    if (areListsFixed && isList({ type, dims, data })) {
      graph.initializer.push(makeTensorProto(type, dims, data, name));
      return [];
    }
    const shape = dims.map((length, axis) => NAMINGS[naming]!(length, `i${i}a${axis}`));
    shape.forEach((length, axis) => {
      if (typeof length === "string") names[length] = dims[axis]!;
    });
    return [valueInfo(name, type, shape)];
  });
  const facts = new GraphFacts(new Graph(proto));
  return { facts: graph.output.map(({ name }) => facts.of(name)), names };
}

/** Returns the faults of the facts of a case. */
function faults(each: NodeCase, naming: string, areListsFixed: boolean): string[] {
  const outputs = each.sets[0]!.outputs.map((value) => value.tensor());
  const { facts, names } = infer(each, naming, areListsFixed);
  return facts.flatMap((fact, i) => {
    const isAll = naming === "numbers" && areListsFixed && !OPEN.test(each.name);
    const isWhole = fact.shape?.every((length) => typeof length === "number") === true;
    const fault = isAll && (!isWhole || fact.type === undefined)
      ? `[${fact.shape}] ${fact.type}`
      : mismatch(fact, outputs[i]!, names);
    return fault === undefined ? [] : [`${each.name} ${naming} ${areListsFixed}: ${fault}`];
  });
}

pythonTest(
  "inference agrees with the results of the Python package onnx's node tests",
  async () => {
    const all = await nodeCases(Object.keys(OPERATORS));
    const cases = all.filter((each) => faultOf(each) === undefined);
    const wrong = cases.flatMap((each) =>
      Object.keys(NAMINGS).flatMap((naming) =>
        [false, true].flatMap((areListsFixed) => faults(each, naming, areListsFixed))
      )
    );
    assertEquals(wrong, []);
    assert(cases.length > 500, `${cases.length} cases are too few`);
  },
);
