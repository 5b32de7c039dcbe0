/**
 * Commands that the page sends to a run.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import type { RunCommand } from "../protocol.ts";

/** Largest command, bytes. */
export const MAX_COMMAND = 4096;

const ACTIONS: readonly string[] = ["stop", "pause", "resume"];

/**
 * Returns the command in a text.
 *
 * @throws {SyntaxError} if the text is not a command
 */
export function parseCommand(text: string): RunCommand {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`Cannot read the command: it is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new SyntaxError("Cannot read the command: it must be an object");
  const { action, name, enabled } = value;
  if (typeof action === "string" && ACTIONS.includes(action)) {
    return { action: action as "stop" | "pause" | "resume" };
  }
  if (action !== "hook") {
    throw new SyntaxError(
      `Cannot read the command: action must be ${ACTIONS.join(", ")} or hook`,
    );
  }
  if (typeof name !== "string" || typeof enabled !== "boolean") {
    throw new SyntaxError(
      "Cannot read the command: a hook needs its name, and enabled must be true or false",
    );
  }
  return { action, name, enabled };
}

/** Reads the body of a request; undefined if it is longer than `most` bytes. The rest is not read then. */
export async function boundedText(
  { headers, body }: Request,
  most: number,
): Promise<string | undefined> {
  if (Number(headers.get("content-length") ?? 0) > most) return undefined;
  if (body === null) return "";
  const reader = body.getReader(), parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {}); // the connection may be gone already
      return undefined;
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new TextDecoder().decode(all);
}
