/**
 * Validation of decoded models. Without it onnxruntime would report problems late, or run out of memory.
 *
 * @module
 */

import type { FunctionProto, SparseTensorProto, TypeProto } from "onnx-buf";
import { bytesOf, type ElementType, elementTypeOf, entriesOf, listOf } from "./element_type.ts";
import type { GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto } from "./messages.ts";
import { isExternal } from "./tensor_proto.ts";

/**
 * Largest size that a tensor may declare, in bytes: that of a 32-bit WebAssembly memory. A larger declaration is a
 * mistake or an attack, which would otherwise show only when memory is allocated.
 */
export const MOST_TENSOR_BYTES: number = 2 ** 32;

/** Throws an error that names a requirement and the value that violates it. */
export type Refuse = (requirement: string, value: string) => never;

/** Calls `refuse` if a message is not a valid model. */
export function checkModel(model: ModelProto, refuse: Refuse): void {
  const check = new Check(refuse);
  if (model.graph === undefined) return refuse("it must have a graph", "none");
  if (model.irVersion < 1n) refuse("its IR version must be at least 1", `${model.irVersion}`);
  const domains = model.opsetImport.map(({ domain }) => domain);
  if (!domains.some((domain) => domain === "" || domain === "ai.onnx") && model.irVersion >= 3n) {
    refuse(
      "it must import an opset of ai.onnx",
      domains.length === 0 ? "none" : domains.join(", "),
    );
  }
  for (const { domain, version } of model.opsetImport) {
    if (version >= 1n && version < 2n ** 31n) continue;
    refuse(`the opset of ${domain || "ai.onnx"} must be at least 1`, `${version}`);
  }
  check.graph(model.graph);
  for (const each of model.functions) check.function(each);
}

class Check {
  readonly #refuse: Refuse;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  graph(graph: GraphProto): void {
    for (const value of graph.input) this.#value(value, "input");
    for (const value of graph.output) this.#value(value, "output");
    for (const value of graph.valueInfo) this.#value(value, "value");
    for (const tensor of graph.initializer) {
      if (tensor.name === "") this.#refuse("its initializers must have names", '""');
      this.#tensor(tensor);
    }
    for (const sparse of graph.sparseInitializer) this.#sparse(sparse);
    for (const node of graph.node) this.#node(node);
  }

  function({ name, node, attributeProto }: FunctionProto): void {
    if (name === "") this.#refuse("its functions must have names", '""');
    for (const each of node) this.#node(each);
    for (const { t } of attributeProto) if (t !== undefined) this.#tensor(t);
  }

  #node(node: NodeProto): void {
    if (node.opType === "") {
      this.#refuse("its nodes must have an operator", `${showNode(node)}`);
    }
    if (!node.output.some((name) => name !== "")) {
      this.#refuse("its nodes must have an output", `${showNode(node)}`);
    }
    for (const { name, t, tensors, g, graphs, sparseTensor, sparseTensors } of node.attribute) {
      if (name === "") {
        this.#refuse("attributes must have names", `"" at ${showNode(node)}`);
      }
      if (t !== undefined) this.#tensor(t);
      for (const tensor of tensors) this.#tensor(tensor);
      if (g !== undefined) this.graph(g);
      for (const graph of graphs) this.graph(graph);
      if (sparseTensor !== undefined) this.#sparse(sparseTensor);
      for (const sparse of sparseTensors) this.#sparse(sparse);
    }
  }

  #value({ name, type }: ValueInfoProto, what: string): void {
    if (name === "") this.#refuse(`its ${what}s must have names`, '""');
    if (type !== undefined) this.#type(name, type);
  }

  /** Checks a declared type and its shape. Dimensions without a fixed length cannot be checked. */
  #type(name: string, { value }: TypeProto): void {
    if (value.case !== "tensorType" && value.case !== "sparseTensorType") return;
    const { elemType, shape } = value.value;
    if (elemType === 0) return;
    const type = elementTypeOf(elemType);
    if (type === undefined) {
      return this.#refuse(`the type of ${JSON.stringify(name)} must be known`, `${elemType}`);
    }
    const fixed: bigint[] = [];
    for (const { value } of shape?.dim ?? []) {
      if (value.case === "dimValue") fixed.push(value.value);
    }
    this.#count(name, type, fixed);
  }

  #tensor(tensor: TensorProto): void {
    const { name, dataType, dims } = tensor;
    const type = elementTypeOf(dataType);
    if (type === undefined) {
      return this.#refuse(
        `the type of the tensor ${JSON.stringify(name)} must be known`,
        `${dataType}`,
      );
    }
    const count = this.#count(name, type, dims);
    if (!isExternal(tensor)) this.#data(tensor, type, count);
    else if (!tensor.externalData.some(({ key, value }) => key === "location" && value !== "")) {
      this.#refuse(`the external tensor ${JSON.stringify(name)} must have a location`, "none");
    }
  }

  /** Checks that a tensor has as many values as its shape needs, either as raw bytes or in a list. */
  #data(tensor: TensorProto, type: ElementType, count: number): void {
    const { name, rawData } = tensor;
    const list = tensor[listOf(type)].length;
    if (tensor.segment !== undefined) {
      this.#refuse("tensors must not have segments", `those of ${JSON.stringify(name)}`);
    }
    const [expected, actual, unit] = list > 0 || type === "string"
      ? [entriesOf(type, count), list, "values"]
      : [bytesOf(type, count), rawData.length, "bytes"];
    if (actual === expected && (list === 0 || rawData.length === 0)) return;
    this.#refuse(
      `the tensor ${JSON.stringify(name)} of shape [${tensor.dims}] must have ${expected} ${unit}`,
      `${actual}${list > 0 && rawData.length > 0 ? `, besides ${rawData.length} raw bytes` : ""}`,
    );
  }

  #sparse({ values, indices, dims }: SparseTensorProto): void {
    if (values === undefined || indices === undefined) {
      return this.#refuse("sparse tensors must have values and indices", "neither or one");
    }
    this.#tensor(values);
    this.#tensor(indices);
    this.#count(values.name, elementTypeOf(values.dataType) ?? "f32", dims);
  }

  /**
   * Returns the number of elements of a shape. Refuses negative lengths, and tensors above {@linkcode
   * MOST_TENSOR_BYTES}.
   */
  #count(name: string, type: ElementType, dims: readonly bigint[]): number {
    let count = 1;
    for (const length of dims) {
      if (length < 0n) {
        this.#refuse(`the lengths of ${JSON.stringify(name)} must not be negative`, `${length}`);
      }
      count *= Number(length);
    }
    if (!(count <= 2 ** 53) || bytesOf(type, count) > MOST_TENSOR_BYTES) {
      this.#refuse(
        `${JSON.stringify(name)} must fit into ${MOST_TENSOR_BYTES} bytes of memory`,
        `a shape of [${dims}]`,
      );
    }
    return count;
  }
}

/** Returns a name for a node in messages: its operator with its name, or with its first output if it has no name. */
export function showNode({ name, opType, output }: NodeProto): string {
  const own = name !== "" ? JSON.stringify(name) : `of ${JSON.stringify(output[0] ?? "")}`;
  return opType === "" ? `the node ${own}` : `the ${opType} ${own}`;
}
