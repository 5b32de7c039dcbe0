/**
 * Messages of errors that end a command.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import { permissionText, type Started } from "./permission.ts";

/** Beginnings of the messages that say all that the user needs. Other errors are shown with their stack. */
const EXPLAINED = /^(Cannot |Systems? .* diverged |Unknown )/;

/** Names of the errors whose messages say all that the user needs. */
const EXPLAINED_NAMES: ReadonlySet<string> = new Set([
  "BackendUnavailableError",
  "DivergedError",
  "EnergyDriftError",
  "GroupLostError",
  "ModelMismatchError",
  "NotFiniteError",
  "NotFiniteFieldError",
  "RunFolderBusyError",
  "UnstableError",
  "UnsupportedNodeError",
]);

/** Returns a message of the library with the flags of the command in place of the options of functions. */
export function inFlags(message: string): string {
  return message.replaceAll("`topology`", "--topology FILE")
    .replaceAll("`types`", "--types LIST (such as Ar,Kr)")
    .replaceAll("learning rate, clip: { norm: 1 }, or a NanGuard", "--lr, or --clip-grad 1")
    .replaceAll('{ differentiate: "always" }', "--set modelOptions.differentiate=always")
    .replaceAll('runtime: "auto"', "--runtime auto");
}

/** Returns the message of an error that ends a command. Errors that explain nothing are shown with their stack. */
export function failureText(error: unknown, started: Started): string {
  if (!(error instanceof Error)) return String(error);
  const missing = permissionText(error.message, started);
  if (missing !== undefined) return missing;
  const isExplained = EXPLAINED.test(error.message) || EXPLAINED_NAMES.has(error.name);
  if (isExplained) return inFlags(error.message);
  return systemText(error) ?? error.stack ?? error.message;
}

/** Returns a message about an error of the file system, which names the path; undefined for other errors. */
function systemText(error: Error): string | undefined {
  const code = codeOf(error);
  if (typeof code !== "string" || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  const { path = /'([^']+)'(?: -> '[^']+')?$/.exec(error.message)?.[1] } = error as {
    path?: string;
  };
  return refusal(path === undefined ? "Cannot run" : `Cannot use ${path}`, error).message;
}
