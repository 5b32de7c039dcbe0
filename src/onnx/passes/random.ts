import type { NodeProto } from "../codec/messages.ts";

/** Operators whose results are random. */
const RANDOM = /^(Random|Multinomial|Bernoulli|Dropout)/;

/** Returns whether the result of a node is random. Such nodes must not be merged or folded. */
export function isRandom({ opType }: NodeProto): boolean {
  return RANDOM.test(opType);
}
