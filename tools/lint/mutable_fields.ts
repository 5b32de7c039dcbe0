import { isPublished } from "./paths.ts";

/** The most fields of a class that may be assigned anew: with more, nobody can list the states that it can be in. */
const MOST = 5;

/** Refuses classes with many mutable fields: state that excludes other state belongs into one discriminated union. */
export const mutableFields: Deno.lint.Rule = {
  create(context) {
    if (!isPublished(context.filename)) return {};
    return {
      ClassBody(node) {
        const fields = node.body.filter((member) =>
          member.type === "PropertyDefinition" && !member.readonly && !member.static
        );
        if (fields.length <= MOST) return;
        context.report({
          range: fields[MOST]!.range,
          message:
            `This class has ${fields.length} mutable fields; more than ${MOST} are hard to follow`,
          hint:
            "Split it by job, or put state that excludes other state into one discriminated union",
        });
      },
    };
  },
};
