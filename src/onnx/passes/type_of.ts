import { attributeOf } from "../attributes.ts";
import { type ElementType, elementTypeOf } from "../element_type.ts";
import type { Graph } from "../graph.ts";

/** Operators whose result has the type of this input. */
const LIKE: Readonly<Record<string, number>> = {
  ...{ Identity: 0, Reshape: 0, Squeeze: 0, Unsqueeze: 0, Flatten: 0, Transpose: 0, Expand: 0 },
  ...{ ScatterElements: 0, ScatterND: 0, Gather: 0, GatherND: 0, GatherElements: 0, Slice: 0 },
  ...{ Concat: 0, Add: 0, Sub: 0, Mul: 0, Div: 0, Neg: 0, Sum: 0, ReduceSum: 0, ReduceMean: 0 },
  ...{ MatMul: 0, Gemm: 0, Where: 1, Pow: 0, Sqrt: 0, Exp: 0, Max: 0, Min: 0, Split: 0, Pad: 0 },
};

/** The type of a value: as the file says, or as it follows from what it is made of. */
export function typeOf(graph: Graph, name: string): ElementType | undefined {
  let at = name;
  for (;;) {
    const said = graph.type(at);
    if (said !== undefined) return said;
    const node = graph.producer(at);
    if (node === undefined) return undefined;
    if (node.opType === "ConstantOfShape") {
      return elementTypeOf(attributeOf(node, "value")?.t?.dataType ?? 1);
    }
    if (node.opType === "Shape") return "i64";
    if (node.opType === "Cast") return elementTypeOf(Number(attributeOf(node, "to")?.i ?? 0n));
    const input = LIKE[node.opType];
    if (input === undefined) return undefined;
    at = node.input[input] ?? "";
  }
}
