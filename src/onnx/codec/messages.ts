/**
 * The messages of ONNX files, as onnx-buf has them: what fields they have is in the
 * [specification](https://github.com/onnx/onnx/blob/main/docs/IR.md).
 *
 * @module
 */

import type * as onnx from "onnx-buf";

/** A file: a graph, the versions of its operators, notes. */
export type ModelProto = onnx.ModelProto;
/** A graph: nodes, constants, inputs, outputs. */
export type GraphProto = onnx.GraphProto;
/** A node: an operator, the names of what it takes and makes, attributes. */
export type NodeProto = onnx.NodeProto;
/** An attribute of a node: a number, a text, a tensor, a graph, or a list of such. */
export type AttributeProto = onnx.AttributeProto;
/** A constant tensor. */
export type TensorProto = onnx.TensorProto;
/** The name, type and shape of a value. */
export type ValueInfoProto = onnx.ValueInfoProto;
