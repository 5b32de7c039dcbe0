/**
 * Frames in which machines that train together talk over a connection.
 *
 * A frame is a head of 12 bytes (`HKTG`, version, type, two zeros, length of the payload as u32), the payload, and once
 * the connection has keys, 16 bytes that prove its sender. All numbers are little-endian.
 *
 * @module
 */

/** Version of the frames. */
export const FRAME_VERSION = 1;
/** Length of the head of a frame, in bytes. */
export const HEAD_BYTES = 12;
/** Length of the proof at the end of a frame, in bytes. */
export const PROOF_BYTES = 16;
/** Longest payload before both sides have proved that they know the secret, in bytes. */
export const MOST_BEFORE_PROOF = 128;
/** Longest payload afterwards, in bytes. */
export const MOST_PAYLOAD = 1_048_576;

/** Types of frames. */
export const FrameType = {
  /** The side that connects: a number used once, and the proof that it knows the secret. */
  HELLO: 1,
  /** The answer to it, of the same kind. */
  WELCOME: 2,
  /** Ends the handshake. */
  READY: 3,
  /** Sign of life. */
  BEAT: 4,
  /** End of the connection, with the reason. */
  BYE: 5,
  /** Settings that all machines must share. */
  PLAN: 6,
  /** All machines have the same settings. */
  AGREED: 7,
  /** Beginning of a sum, with the sums of the means so far. */
  SUM: 8,
  /** A part of a sum. */
  SUM_PART: 9,
  /** Beginning of the total. */
  TOTAL: 10,
  /** A part of the total. */
  TOTAL_PART: 11,
  /** Length of bytes that the first machine shares. */
  SHARE: 12,
  /** A part of these bytes. */
  SHARE_PART: 13,
} as const;

/** A frame that was received. */
export interface Frame {
  readonly type: number;
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** Proves and checks frames of one direction. */
export interface Seal {
  /** Returns the proof of the next frame. */
  prove(head: Uint8Array, payload: Uint8Array): Uint8Array;
}

const MAGIC = [0x48, 0x4b, 0x54, 0x47]; // HKTG

/** Returns the bytes of a frame. */
export function encodeFrame(
  type: number,
  payload: Uint8Array,
  seal: Seal | undefined,
): Uint8Array<ArrayBuffer> {
  const end = HEAD_BYTES + payload.length;
  const bytes = new Uint8Array(end + (seal === undefined ? 0 : PROOF_BYTES));
  bytes.set(MAGIC);
  bytes[4] = FRAME_VERSION;
  bytes[5] = type;
  new DataView(bytes.buffer).setUint32(8, payload.length, true);
  bytes.set(payload, HEAD_BYTES);
  if (seal !== undefined) bytes.set(seal.prove(bytes.subarray(0, HEAD_BYTES), payload), end);
  return bytes;
}

/**
 * Reads frames from the bytes of a connection, one at a time. It allocates memory for a payload only after its length
 * was checked.
 */
export class FrameReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #left: Uint8Array = new Uint8Array();
  /** Checks the frames; undefined during the handshake. */
  seal: Seal | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /**
   * Returns the next frame; `undefined` if the connection has ended.
   *
   * @throws {SyntaxError} if the bytes are not a frame of this version, or the proof is wrong
   */
  async next(): Promise<Frame | undefined> {
    const head = await this.#take(HEAD_BYTES);
    if (head === undefined) return undefined;
    const most = this.seal === undefined ? MOST_BEFORE_PROOF : MOST_PAYLOAD;
    const length = lengthIn(head, most);
    const payload = await this.#take(length);
    if (payload === undefined) return undefined;
    if (this.seal !== undefined) {
      const proof = await this.#take(PROOF_BYTES);
      if (proof === undefined) return undefined;
      if (!areEqual(proof, this.seal.prove(head, payload))) {
        throw new SyntaxError("Cannot read a frame: it does not have the proof of its sender");
      }
    }
    return { type: head[5]!, payload };
  }

  /** Returns the next `length` bytes; `undefined` if the connection ends before. */
  async #take(length: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      if (this.#left.length === 0) {
        const { done, value } = await this.#source.next();
        if (done === true) return undefined;
        this.#left = value;
      }
      const part = this.#left.subarray(0, length - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.#left = this.#left.subarray(part.length);
    }
    return bytes;
  }
}

function lengthIn(head: Uint8Array<ArrayBuffer>, most: number): number {
  if (MAGIC.some((byte, i) => head[i] !== byte)) {
    throw new SyntaxError("Cannot read a frame: the bytes are those of something else");
  }
  if (head[4] !== FRAME_VERSION) {
    throw new SyntaxError(
      `Cannot read a frame: its version must be ${FRAME_VERSION}; got ${head[4]}`,
    );
  }
  const length = new DataView(head.buffer).getUint32(8, true);
  if (length <= most) return length;
  throw new SyntaxError(`Cannot read a frame: it must have at most ${most} bytes; got ${length}`);
}

/** Compares bytes in a time that does not depend on their values. */
export function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
