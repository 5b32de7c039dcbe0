import { isPublished, pathFromRoot } from "./paths.ts";

/** No `enum`, no `namespace`: neither is JavaScript with its types left out. */
export const erasable: Deno.lint.Rule = {
  create(context) {
    return {
      TSEnumDeclaration: (node) =>
        context.report({ node, message: "Use a union of literals instead of an enum" }),
      TSModuleDeclaration: (node) =>
        context.report({ node, message: "Use a module instead of a namespace" }),
    };
  },
};

/**
 * Classes that users subclass: for an engine named after its integrator, a file format, a hook of their own. `Trainer`
 * extends `TrainerCore` by hooks of configurations, which are in a room above training.
 */
const BASES = ["Dynamics", "FileSink", "ObservableHook", "SinkHook", "TrainerCore"];

/** Refuses hierarchies, except of errors, which callers catch by class, and of classes that users subclass. */
export const inheritance: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename)) return {};
    const check = (node: Deno.lint.ClassDeclaration | Deno.lint.ClassExpression) => {
      if (!node.superClass) return;
      const name = context.sourceCode.getText(node.superClass);
      if (name.endsWith("Error") || BASES.includes(name)) return;
      context.report({ node: node.superClass, message: "Only errors inherit: compose instead" });
    };
    return { ClassDeclaration: check, ClassExpression: check };
  },
};

/** The library returns, throws, or hands what it has to say to a hook; only the command prints. */
export const noConsole: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename)) return {};
    if (pathFromRoot(context.filename).startsWith("src/cli/")) return {};
    return {
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.object.name !== "console") return;
        context.report({ node, message: "The library never logs: take a `write` option instead" });
      },
    };
  },
};

/** A rule may be broken where it makes the code worse, and the comment says why: `-- because`. */
export const ignoreWithReason: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename)) return {};
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (!/^\s*deno-lint-ignore/.test(comment.value) || / -- \S/.test(comment.value)) continue;
          context.report({
            range: comment.range,
            message: "Say why the rule is broken here: `deno-lint-ignore rule -- why`",
          });
        }
      },
    };
  },
};
