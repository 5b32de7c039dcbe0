import { builtin, findProcess } from "./process.ts";

/**
 * Loads SQLite without the warning of Node 22 that it is experimental. That is no fault of a user, and the functions
 * that are used here are the same in later versions, which do not warn.
 *
 * @throws {TypeError} if the runtime has no `node:sqlite`
 */
export function sqlite(): typeof import("node:sqlite") {
  const process = findProcess() as Warning | undefined;
  if (process?.emitWarning === undefined) return builtin("node:sqlite");
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    if (!/^SQLite is an experimental feature/.test(String(warning))) {
      emitWarning.call(process, warning, ...rest);
    }
  };
  try {
    return builtin("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The function of Node's `process` that prints a warning. */
interface Warning {
  emitWarning?: (warning: unknown, ...rest: unknown[]) => void;
}
