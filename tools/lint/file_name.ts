import { pathFromRoot } from "./paths.ts";

/** Names that say nothing about what a file holds. */
const BANNED = ["utils", "util", "helpers", "helper", "types", "type", "common", "misc", "index"];

/** A file is named in snake_case after what it holds. */
export const fileName: Deno.lint.Rule = {
  create(context) {
    const base = pathFromRoot(context.filename).split("/").at(-1)!;
    const name = base.replace(/(\.gen|\.d)?\.[jt]sx?$/, "");
    const bare = name.replace(/^_/, "").replace(/_(test|bench)$/, "");
    return {
      Program(node) {
        if (BANNED.includes(bare)) {
          context.report({
            node,
            message: `The file name "${base}" does not say what the file holds`,
          });
        } else if (!/^[a-z0-9_]+$/.test(name)) {
          context.report({ node, message: `The file name "${base}" is not in snake_case` });
        }
      },
    };
  },
};
