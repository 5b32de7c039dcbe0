/**
 * Messages of the queue: a line of JSON, then bytes.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";

/** Version of the messages. Workers set messages of other versions aside. */
const VERSION = 1;

/** Longest line at the start of a message, bytes. It bounds the work that a foreign message causes. */
const LONGEST_LINE = 65_536;

/** A message: members of its first line, and the bytes after it. */
export interface QueueMessage {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array;
}

/** Returns the bytes of a message. */
export function encodeMessage(head: object, body: Uint8Array): Uint8Array {
  const line = new TextEncoder().encode(`${JSON.stringify({ hooke: VERSION, ...head })}\n`);
  const bytes = new Uint8Array(line.length + body.length);
  bytes.set(line);
  bytes.set(body, line.length);
  return bytes;
}

/**
 * Returns the parts of a message. The bytes are a view of it.
 *
 * @throws {SyntaxError} if it is not a message of this version
 */
export function decodeMessage(bytes: Uint8Array): QueueMessage {
  const end = bytes.subarray(0, LONGEST_LINE).indexOf(10);
  if (end < 0) throw new SyntaxError("Cannot read the message: it has no first line");
  const head = parse(bytes.subarray(0, end));
  if (!isObject(head) || !("hooke" in head)) {
    throw new SyntaxError(
      "Cannot read the message: its first line is not that of a queue of Hooke",
    );
  }
  if (head.hooke !== VERSION) {
    throw new SyntaxError(
      `Cannot read the message: its version must be ${VERSION}; got ${
        JSON.stringify(head.hooke)?.slice(0, 20)
      }`,
    );
  }
  return { head: head as QueueMessage["head"], body: bytes.subarray(end + 1) };
}

function parse(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch (cause) {
    throw new SyntaxError("Cannot read the message: its first line is not JSON", { cause });
  }
}
