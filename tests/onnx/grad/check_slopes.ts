import { checkRule, type RuleCase } from "../../../src/testing/onnx.ts";
import { few } from "../../suite.ts";

let asked = 0;

/**
 * Checks a gradient rule. The fast suite checks the gradient of the gradient, which takes ten times as long, only of
 * every fourth case; the slow suite of all.
 */
export function checkSlopes(rule: RuleCase): void {
  const once = asked++ % 4 === 0 ? rule : { ...rule, order: 1 as const };
  checkRule(few(once, rule));
}
