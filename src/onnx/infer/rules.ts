import type { NodeProto } from "../codec/messages.ts";
import type { InferenceRules } from "./fact.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { GENERATORS } from "./generators.ts";
import { INDEXING } from "./indexing.ts";
import { LINEAR } from "./linear.ts";
import { REDUCTIONS } from "./reductions.ts";
import { SHAPING } from "./shaping.ts";
import { SLICING } from "./slicing.ts";
import { WHOLE_NUMBERS } from "./whole_numbers.ts";
import { WINDOWS } from "./windows.ts";

/** All inference rules by operator. */
export const INFERENCE_RULES: InferenceRules = {
  ...ELEMENTWISE,
  ...WHOLE_NUMBERS,
  ...GENERATORS,
  ...SHAPING,
  ...SLICING,
  ...INDEXING,
  ...LINEAR,
  ...REDUCTIONS,
  ...WINDOWS,
};

/** Returns whether an inference rule exists for the operator of a node. */
export function isInferred(node: NodeProto): boolean {
  return operatorOf(node) in INFERENCE_RULES;
}

/** Returns the key of a node's rule: the operator, preceded by its domain unless the domain is ai.onnx. */
export function operatorOf({ domain, opType }: NodeProto): string {
  return domain === "" || domain === "ai.onnx" ? opType : `${domain}.${opType}`;
}
