/**
 * The handshake of two machines, after which each knows that the other has the secret. The secret is never sent. The
 * side that listens stays silent until the other side has proved that it knows the secret.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import type { ByteSocket } from "../../platform/sockets.ts";
import {
  areEqual,
  encodeFrame,
  FRAME_VERSION,
  FrameReader,
  FrameType,
  PROOF_BYTES,
  type Seal,
} from "./frame.ts";

/** Length of the numbers used once, and of the proofs of the handshake, in bytes. */
const NONCE_BYTES = 32;

/** A connection whose two sides know each other. */
export interface Proven {
  readonly socket: ByteSocket;
  readonly frames: FrameReader;
  /** Proves the frames that this side sends. */
  readonly seal: Seal;
  /** Rank of the other side. */
  readonly peer: number;
}

/** Identity of a side of a handshake, and its patience. */
export interface HandshakeParts {
  readonly secret: Uint8Array;
  /** Rank of this machine. */
  readonly rank: number;
  /** Milliseconds after which the handshake is given up. */
  readonly timeout: number;
}

/**
 * Begins a handshake with machine `peer`.
 *
 * @throws {Error} if the other side does not answer as expected
 */
export async function offerHandshake(
  socket: ByteSocket,
  peer: number,
  { secret, rank, timeout }: HandshakeParts,
): Promise<Proven> {
  return await within(socket, timeout, async () => {
    const frames = new FrameReader(socket.bytes), ranks = ranksOf(rank, peer);
    const mine = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const hello = [ranks, mine, proofOf(secret, "hello", ranks, mine)];
    await socket.write(encodeFrame(FrameType.HELLO, joined(hello), undefined));
    const [theirs, proof] = await expect(frames, FrameType.WELCOME, [NONCE_BYTES, NONCE_BYTES]);
    check(proof!, proofOf(secret, "welcome", ranks, mine, theirs!));
    const ready = proofOf(secret, "ready", ranks, mine, theirs!);
    await socket.write(encodeFrame(FrameType.READY, ready, undefined));
    frames.seal = sealOf(proofOf(secret, "listens", ranks, mine, theirs!));
    const seal = sealOf(proofOf(secret, "connects", ranks, mine, theirs!));
    return { socket, frames, seal, peer };
  });
}

/**
 * Answers a handshake.
 *
 * @throws {Error} if the other side does not know the secret, or wants another machine
 */
export async function answerHandshake(
  socket: ByteSocket,
  { secret, rank, timeout }: HandshakeParts,
): Promise<Proven> {
  return await within(socket, timeout, async () => {
    const frames = new FrameReader(socket.bytes);
    const lengths = [8, NONCE_BYTES, NONCE_BYTES];
    const [ranks, theirs, proof] = await expect(frames, FrameType.HELLO, lengths);
    check(proof!, proofOf(secret, "hello", ranks!, theirs!));
    const [peer, wanted] = new Uint32Array(ranks!.slice().buffer);
    if (wanted !== rank) {
      throw new Error(`Cannot do a handshake: machine ${peer} looks for machine ${wanted}`);
    }
    const mine = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const welcome = [mine, proofOf(secret, "welcome", ranks!, theirs!, mine)];
    await socket.write(encodeFrame(FrameType.WELCOME, joined(welcome), undefined));
    const [ready] = await expect(frames, FrameType.READY, [NONCE_BYTES]);
    check(ready!, proofOf(secret, "ready", ranks!, theirs!, mine));
    frames.seal = sealOf(proofOf(secret, "connects", ranks!, theirs!, mine));
    const seal = sealOf(proofOf(secret, "listens", ranks!, theirs!, mine));
    return { socket, frames, seal, peer: peer! };
  });
}

/** Closes the connection if `work` fails or takes too long. */
async function within(
  socket: ByteSocket,
  timeout: number,
  work: () => Promise<Proven>,
): Promise<Proven> {
  const late = setTimeout(() => socket.destroy(), timeout);
  try {
    return await work();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

async function expect(
  frames: FrameReader,
  type: number,
  lengths: readonly number[],
): Promise<Uint8Array[]> {
  const frame = await frames.next();
  if (frame === undefined) {
    throw new Error("Cannot do a handshake: the other side has closed the connection");
  }
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (frame.type !== type || frame.payload.length !== total) {
    throw new SyntaxError("Cannot do a handshake: the frame is malformed");
  }
  let from = 0;
  return lengths.map((length) => frame.payload.subarray(from, from += length));
}

function check(proof: Uint8Array, wanted: Uint8Array): void {
  if (!areEqual(proof, wanted)) {
    throw new Error("Cannot do a handshake: the other side has another secret");
  }
}

function ranksOf(rank: number, peer: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(rank, peer).buffer);
}

/** Returns the HMAC-SHA256 of a role and some values, whose lengths are fixed. */
function proofOf(secret: Uint8Array, role: string, ...values: readonly Uint8Array[]): Uint8Array {
  const hmac = builtin("node:crypto").createHmac("sha256", secret);
  hmac.update(`hooke training group ${FRAME_VERSION} ${role}\n`);
  for (const value of values) hmac.update(value);
  return new Uint8Array(hmac.digest());
}

/** Returns a seal that counts frames, so that a frame cannot be repeated, left out or moved. */
function sealOf(key: Uint8Array): Seal {
  const { createHmac } = builtin("node:crypto");
  let count = 0n;
  return {
    prove(head, payload) {
      const hmac = createHmac("sha256", key);
      hmac.update(new Uint8Array(BigUint64Array.of(count++).buffer));
      hmac.update(head);
      hmac.update(payload);
      return new Uint8Array(hmac.digest()).subarray(0, PROOF_BYTES);
    },
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const part of parts) {
    bytes.set(part, from);
    from += part.length;
  }
  return bytes;
}
