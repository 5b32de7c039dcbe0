import type { NodeProto } from "../codec/messages.ts";

/** Operators whose result is another one each time. */
const RANDOM = /^(Random|Multinomial|Bernoulli|Dropout)/;

/** Does what this node makes depend on chance? Then twice is not once. */
export function isRandom({ opType }: NodeProto): boolean {
  return RANDOM.test(opType);
}
