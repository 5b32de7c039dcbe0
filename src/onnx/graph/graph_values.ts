/**
 * Edits of a graph's inputs, outputs, constants and declarations of values.
 *
 * @module
 */

import { elementTypeOf } from "../codec/element_type.ts";
import type { TensorProto, ValueInfoProto } from "../codec/messages.ts";
import { valueInfo } from "../codec/value_info.ts";
import { malformed } from "./graph_errors.ts";
import { claimName, type GraphTables, hasValue } from "./graph_tables.ts";

/** Declares the type and shape of an intermediate value. Replaces an earlier declaration. */
export function describeIntermediate(tables: GraphTables, info: ValueInfoProto): void {
  forgetIntermediate(tables, info.name);
  tables.infos.set(info.name, info);
  tables.proto.valueInfo.push(info);
}

/** Removes the declaration of an intermediate value, if it has one. */
export function forgetIntermediate({ infos, proto }: GraphTables, name: string): void {
  const info = infos.get(name);
  const at = info === undefined ? -1 : proto.valueInfo.indexOf(info);
  if (at === -1) return;
  proto.valueInfo.splice(at, 1);
  infos.delete(name);
}

/** Adds an input. Throws a SyntaxError if a value of this name exists. */
export function addInput(tables: GraphTables, info: ValueInfoProto): void {
  claimName(tables, info.name);
  appendInput(tables, info);
}

/**
 * Turns a constant into an input and returns its tensor. Throws a RangeError if the name is not that of a constant.
 */
export function feedConstant(tables: GraphTables, name: string): TensorProto {
  const { constants, proto } = tables;
  const tensor = constants.get(name);
  if (tensor === undefined) {
    throw new RangeError(
      `Cannot feed ${JSON.stringify(name)}: it is not a constant`,
    );
  }
  constants.delete(name);
  proto.initializer = proto.initializer.filter((each) => each !== tensor);
  forgetIntermediate(tables, name);
  appendInput(
    tables,
    valueInfo(name, elementTypeOf(tensor.dataType)!, tensor.dims.map(Number)),
  );
  return tensor;
}

/** Removes an input. Throws a RangeError if it does not exist or is used. */
export function removeInput(
  { proto, links, inputNames, outputNames, infos }: GraphTables,
  name: string,
): void {
  const at = proto.input.findIndex((input) => input.name === name);
  if (at === -1 || links.uses(name).length > 0 || outputNames.has(name)) {
    throw new RangeError(
      `Cannot remove an input: it must exist and be unused; got ${JSON.stringify(name)}`,
    );
  }
  proto.input.splice(at, 1);
  inputNames.delete(name);
  infos.delete(name);
}

/** Makes a value an output. Throws a SyntaxError if it does not exist or is an output already. */
export function addOutput(tables: GraphTables, info: ValueInfoProto): void {
  const { outputNames, infos, proto } = tables;
  if (!hasValue(tables, info.name) || outputNames.has(info.name)) {
    throw malformed("every output must exist, and be listed once", JSON.stringify(info.name));
  }
  forgetIntermediate(tables, info.name);
  outputNames.add(info.name);
  infos.set(info.name, info);
  proto.output.push(info);
}

/** Removes an output. Throws a RangeError if the value is not an output. */
export function removeOutput(
  { proto, links, infos, outputNames }: GraphTables,
  name: string,
): void {
  const at = proto.output.findIndex((output) => output.name === name);
  if (at === -1) {
    throw new RangeError(
      `Cannot remove an output: it must be one of ${[...outputNames].join(", ") || "none"}; got ${
        JSON.stringify(name)
      }`,
    );
  }
  const [info] = proto.output.splice(at, 1);
  outputNames.delete(name);
  if (links.producer(name) !== undefined) proto.valueInfo.push(info!);
  // Inputs and constants keep their own declarations.
  const input = proto.input.find((each) => each.name === name);
  if (input !== undefined) infos.set(name, input);
}

/** Adds an initializer and returns its name. Throws a SyntaxError if a value of this name exists. */
export function addConstant(tables: GraphTables, tensor: TensorProto): string {
  claimName(tables, tensor.name);
  tables.constants.set(tensor.name, tensor);
  tables.proto.initializer.push(tensor);
  return tensor.name;
}

function appendInput({ inputNames, infos, proto }: GraphTables, info: ValueInfoProto): void {
  inputNames.add(info.name);
  infos.set(info.name, info);
  proto.input.push(info);
}
