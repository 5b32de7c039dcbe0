/**
 * Message types of ONNX files, as defined by onnx-buf. Their fields are described in the
 * [specification](https://github.com/onnx/onnx/blob/main/docs/IR.md).
 *
 * @module
 */

import type * as onnx from "onnx-buf";

/** A file: graph, operator versions and metadata. */
export type ModelProto = onnx.ModelProto;
/** A graph: nodes, constants, inputs, outputs. */
export type GraphProto = onnx.GraphProto;
/** A node: operator, names of inputs and outputs, attributes. */
export type NodeProto = onnx.NodeProto;
/** An attribute of a node: a number, string, tensor or graph, or a list of these. */
export type AttributeProto = onnx.AttributeProto;
/** A constant tensor. */
export type TensorProto = onnx.TensorProto;
/** The name, type and shape of a value. */
export type ValueInfoProto = onnx.ValueInfoProto;
