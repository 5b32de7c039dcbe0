/**
 * A board on a NATS server where processes find short texts of each other, such as addresses.
 *
 * @module
 */

import { connectQueue } from "./connection.ts";
import type { QueueConnectionOptions } from "./options.ts";

/** A board, the result of {@linkcode openBoard}. Texts on it disappear with the process that has written them. */
export interface Board {
  /** Writes a text under a key, in place of an older one. */
  write(key: string, text: string): void;
  /** Returns the text under a key; `undefined` if no process has written one. */
  read(key: string): Promise<string | undefined>;
  /** Removes the texts of this process, and disconnects. */
  close(): Promise<void>;
}

/** Milliseconds to wait for an answer. */
const PATIENCE = 1000;
/** Longest text, in characters. */
const LONGEST = 4096;

/**
 * Connects to a server. Texts are not stored there: the process that has written one answers questions for it.
 *
 * @param name name of the board, of letters, digits, `-` and `_`
 * @throws {TypeError} if the client's packages are not installed, or the name is wrong
 * @throws {Error} if no server answers or it refuses the credentials
 */
export async function openBoard(name: string, options: QueueConnectionOptions): Promise<Board> {
  if (!/^[\w-]+$/.test(name)) {
    throw new TypeError(
      `Cannot open a board: its name must have letters, digits, - and _ only; got ${
        JSON.stringify(name)
      }`,
    );
  }
  const { nats } = await connectQueue(options);
  const texts = new Map<string, string>();
  const subject = (key: string) => `hooke.board.${name}.${key}`;
  return {
    write(key, text) {
      const isKnown = texts.has(key);
      texts.set(key, text);
      if (isKnown) return;
      nats.subscribe(subject(key), {
        callback: (error, message) => {
          if (error === null) message.respond(texts.get(key)!);
        },
      });
    },
    async read(key) {
      try {
        const answer = await nats.request(subject(key), "", { timeout: PATIENCE });
        const text = answer.string();
        return text.length > LONGEST ? undefined : text;
      } catch {
        return undefined; // no process has written one yet, or the server is away
      }
    },
    close: async () => {
      await nats.drain();
    },
  };
}
