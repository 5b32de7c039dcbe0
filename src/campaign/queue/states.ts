/**
 * States in a queue's second stream: recipes, failed tries, and items that were set aside.
 *
 * @module
 */

import { decodeMessage, encodeMessage, type QueueMessage } from "./message.ts";
import type { StateKind } from "./names.ts";
import { patiently } from "./patience.ts";
import { isMissing, type Queue } from "./queue.ts";

/** Codes of the server's answers if a stream has no message of a subject. */
const NONE = 10037;

/** Stores a state in place of the one before. Resolves when the server has stored it. */
export async function putState(
  { stream, names }: Queue,
  kind: StateKind,
  id: string,
  head: object,
  body: Uint8Array = new Uint8Array(),
): Promise<void> {
  const message = encodeMessage(head, body);
  await patiently(() => stream.publish(names.state(kind, id), message));
}

/**
 * Returns a state; undefined if there is none, or if it is not a message of this queue.
 *
 * @throws {Error} if the server does not answer
 */
export async function getState(
  { manager, names }: Queue,
  kind: StateKind,
  id: string,
): Promise<QueueMessage | undefined> {
  try {
    const last = { last_by_subj: names.state(kind, id) };
    const found = await patiently(() => manager.streams.getMessage(names.states, last));
    return found === null ? undefined : decodeMessage(found.data);
  } catch (error) {
    if (isNone(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns whether an error says that a stream, or its message of a subject, does not exist. */
export function isNone(error: unknown): boolean {
  return (error as { code?: unknown }).code === NONE || isMissing(error);
}

/** Removes a state, if there is one. */
export async function removeState(
  { manager, names }: Queue,
  kind: StateKind,
  id: string,
): Promise<void> {
  const filter = names.state(kind, id);
  await patiently(() => manager.streams.purge(names.states, { filter }));
}

/** Returns the ids of all states of a kind. The client asks for as many pages as the server has. */
export async function stateIds({ manager, names }: Queue, kind: StateKind): Promise<string[]> {
  const all = { subjects_filter: names.state(kind, "*") };
  const { state } = await patiently(() => manager.streams.info(names.states, all));
  return Object.keys(state.subjects ?? {}).map((subject) => subject.split(".").at(-1)!);
}
