import { isFloat } from "../../codec/element_type.ts";
import { tensorValues } from "../../codec/tensor_proto.ts";
import { UnsupportedNodeError } from "../../graph/unsupported_node_error.ts";
import type { OperatorGradient } from "../rule.ts";

const cast: OperatorGradient = ({ a, g }, write) =>
  isFloat(write.typeOf(a)) ? [() => write.cast(g, write.typeOf(a))] : [];

/** Rules of operators that change only the element type, or nothing at all (Dropout in inference). */
export const CASTS: Readonly<Record<string, OperatorGradient>> = {
  Cast: cast,
  CastLike: cast,
  Dropout: ({ node, c: training, g }, write) => {
    const on = training === "" ? undefined : write.graph.constant(training);
    if (training !== "" && (on === undefined || Number(tensorValues(on)[0]) !== 0)) {
      throw new UnsupportedNodeError({
        action: "differentiate a graph",
        requirement: "Dropout must be switched off (export the model in evaluation mode)",
        node: node.name || node.output.join(),
        op: "Dropout",
      });
    }
    return [g];
  },
};
