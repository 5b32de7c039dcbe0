import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";

/** Returns an error of the same class that names the model. */
export function ofModel(name: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.message.includes(` ${name} `)) return error;
  if (error instanceof UnsupportedNodeError) {
    const { node, op, requirement, place } = error;
    const more = place === undefined ? {} : { place };
    return new UnsupportedNodeError({
      action: `give ${name} forces`,
      node,
      op,
      requirement,
      cause: error,
      ...more,
    });
  }
  const message = `Cannot give ${name} forces as ${requirementOf(error.message)}`;
  if (error instanceof RangeError) return new RangeError(message, { cause: error });
  return error instanceof SyntaxError ? new SyntaxError(message, { cause: error }) : error;
}

/** Returns the requirement in a message, without the action that failed: the new message has its own. */
function requirementOf(message: string): string {
  const [, requirement] = /^Cannot .*? as (.*)$/s.exec(message) ?? [];
  if (requirement === undefined) return `its graph must be right for it: ${message}`;
  // In errors of the gradient "it" is the energy, and an option is named that does not exist here.
  return requirement.replace(/^it must change with/, "its energy must change with")
    .replace(' (or give unused: "zeros")', "");
}
