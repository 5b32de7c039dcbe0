import { isPublished } from "./paths.ts";

const CHECKED = ["TypeError", "RangeError", "SyntaxError"];

/**
 * A message says what was attempted, what it required, and what it got: "Cannot run drift as positions must
 * have 3 * 128 values: current length is 383". Only messages written out at the `new` can be checked.
 */
export const errorWording: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename)) return {};
    return {
      NewExpression(node) {
        if (node.callee.type !== "Identifier" || !CHECKED.includes(node.callee.name)) return;
        const [message] = node.arguments;
        const text = message && message.type !== "SpreadElement" ? literalText(message) : undefined;
        if (text === undefined || /^Cannot .*( as |:)/s.test(text)) return;
        context.report({
          node: message!,
          message: "An error message reads: Cannot <action> as <requirement>: <current value>",
          hint: `"Cannot run drift as positions must have 384 values: current length is 383"`,
        });
      },
    };
  },
};

/** The text of a literal, a template or a sum of them, with `…` for what is only known at run time. */
function literalText(node: Deno.lint.Expression | Deno.lint.PrivateIdentifier): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral") return node.quasis.map((part) => part.cooked).join("…");
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const left = literalText(node.left);
  return left === undefined ? undefined : left + (literalText(node.right) ?? "…");
}
