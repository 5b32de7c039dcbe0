type Literal = Deno.lint.ObjectExpression | Deno.lint.ArrayExpression;

/** Returns the literal that is spread, without an `as const` or a `satisfies` around it. */
function literalOf(node: Deno.lint.Expression): Literal | undefined {
  if (node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression") {
    return literalOf(node.expression as Deno.lint.Expression);
  }
  return node.type === "ObjectExpression" || node.type === "ArrayExpression" ? node : undefined;
}

/**
 * Refuses `...{ a, b }` in an object and `...[a, b]` in a list: a literal that is spread where it stands says the same
 * as its members, and serves only to keep the formatter from breaking the line.
 */
export const spreadLiteral: Deno.lint.Rule = {
  create(context) {
    return {
      SpreadElement(node) {
        const literal = literalOf(node.argument);
        if (literal === undefined) return;
        const isList = literal.type === "ArrayExpression";
        if (!isList && node.parent.type !== "ObjectExpression") return;
        context.report({
          node,
          message: `Spreads ${
            isList ? "a list" : "an object"
          } literal where its members can stand themselves`,
          hint: "Write the members, and leave the layout to the formatter",
        });
      },
    };
  },
};
