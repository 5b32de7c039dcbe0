import { isPublished } from "./paths.ts";

const CHECKED = ["TypeError", "RangeError", "SyntaxError"];

/** Openings of a message, or parts that it must have. "Cannot <action> as <requirement>" is not one: a colon ends the action. */
const SHAPES: readonly RegExp[] = [
  / must .*; got /s,
  /^Unknown /,
  / is required: /,
  /^Cannot (?![^:]* as [^:]* must )[^:]+:(?!.*: current value is )/s,
];

/**
 * A message has one of three shapes: a wrong argument ("dt must be above 0; got -1"), an action with the cause of its
 * failure ("Cannot open out.csv: permission denied"), or a run that cannot go on, by an error class of its own. Only
 * messages written out at the `new` can be checked.
 */
export const errorWording: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename)) return {};
    return {
      NewExpression(node) {
        if (node.callee.type !== "Identifier" || !CHECKED.includes(node.callee.name)) return;
        const [message] = node.arguments;
        const text = message && message.type !== "SpreadElement" ? literalText(message) : undefined;
        if (text === undefined || SHAPES.some((shape) => shape.test(text))) return;
        context.report({
          node: message!,
          message:
            "An error message reads: <argument> must be <requirement>; got <value>, or: Cannot <action>: <cause>",
          hint:
            '"dt must be between 0 and 100 fs; got 1000", "Cannot open out.csv: permission denied"',
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
