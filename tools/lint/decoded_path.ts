/** Returns whether `node` is `new URL(…, import.meta.url)` or `import.meta.url` as a URL. */
function isFileOfModule(node: Deno.lint.Expression): boolean {
  if (node.type !== "NewExpression") return false;
  return node.arguments.some((argument) =>
    argument.type === "MemberExpression" && argument.object.type === "MetaProperty"
  );
}

/**
 * Refuses `new URL("a.txt", import.meta.url).pathname` as a path: the pathname of a URL is percent-encoded, so that the
 * file is not found if a folder above it has a space in its name.
 */
export const decodedPath: Deno.lint.Rule = {
  create(context) {
    return {
      MemberExpression(node) {
        if (node.property.type !== "Identifier" || node.property.name !== "pathname") return;
        if (!isFileOfModule(node.object)) return;
        const call = node.parent;
        const isDecoded = call.type === "CallExpression" && call.callee.type === "Identifier" &&
          call.callee.name === "decodeURIComponent";
        if (isDecoded) return;
        context.report({
          node,
          message: "Uses the percent-encoded pathname of a URL as a path",
          hint: "Use import.meta.dirname, or decodeURIComponent(….pathname)",
        });
      },
    };
  },
};
