import { refuseImport, refusePackage } from "../architecture/rooms.ts";
import { isPublished, pathFromRoot, resolveFromRoot } from "./paths.ts";

/** Holds each file to the import table in tools/architecture/rooms.ts, types and dynamic imports included. */
export const imports: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename)) return {};
    const from = pathFromRoot(context.filename);
    const check = (source: Deno.lint.Node | null) => {
      if (source?.type !== "Literal" || typeof source.value !== "string") return;
      const reason = refuse(from, source.value);
      if (reason !== undefined) {
        context.report({
          node: source,
          message: `${from} cannot import "${source.value}": ${reason}`,
        });
      }
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportType: (node) =>
        check(node.argument.type === "TSLiteralType" ? node.argument.literal : null),
    };
  },
};

function refuse(from: string, specifier: string): string | undefined {
  return /^\.{0,2}\//.test(specifier)
    ? refuseImport(from, resolveFromRoot(from, specifier))
    : refusePackage(from, specifier);
}
