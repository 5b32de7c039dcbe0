import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";

/**
 * Returns an error of the same class whose message names the model. An error that names it already, or of another
 * class, is returned unchanged.
 */
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
  const message = `Cannot give ${name} forces: ${requirementOf(error.message)}`;
  if (error instanceof RangeError) return new RangeError(message, { cause: error });
  return error instanceof SyntaxError ? new SyntaxError(message, { cause: error }) : error;
}

/** Returns the requirement in a message without the failed action, because the new message names another action. */
function requirementOf(message: string): string {
  const [, requirement] = /^Cannot .*?: (.*)$/s.exec(message) ?? [];
  if (requirement === undefined) return message;
  // Errors of the gradient call the energy "it", and mention an option that `withForces` lacks.
  return requirement.replace(/^it must depend on/, "its energy must depend on")
    .replace(' (or pass unused: "zeros")', "");
}
