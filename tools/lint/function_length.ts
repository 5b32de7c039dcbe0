import { isPublished, pathFromRoot } from "./paths.ts";

/** Twice and a half the length functions aim at: beyond it no reader holds one in the head. */
const MOST_LINES = 75;

/** Kernels are one formula each, and generated code has no reader. */
function isExempt(path: string): boolean {
  return path.startsWith("src/kernels/") || path.startsWith("src/backend/") ||
    path.endsWith(".gen.ts");
}

/** Functions of the published code fit on a page. */
export const functionLength: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename) || isExempt(pathFromRoot(context.filename))) return {};
    const check = (node: Deno.lint.Node) => {
      const lines = context.sourceCode.getText(node).split("\n").length;
      if (lines <= MOST_LINES) return;
      context.report({
        node,
        message: `This function has ${lines} lines; more than ${MOST_LINES} are hard to read`,
      });
    };
    return {
      FunctionDeclaration: check,
      FunctionExpression: check,
      ArrowFunctionExpression: check,
    };
  },
};
