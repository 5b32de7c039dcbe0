/**
 * A connection between two machines that train together. Both sides send signs of life, so that each notices within
 * a bounded time that the other is lost.
 *
 * @module
 */

import { encodeFrame, type Frame, FrameType } from "./frame.ts";
import { GroupLostError } from "./group_lost_error.ts";
import type { Proven } from "./handshake.ts";

/** Bytes of frames that wait to be used. Beyond them the connection is not read. */
const MOST_WAITING = 16 << 20;
/** Signs of life per time-out. */
const BEATS = 4;
/** Longest reason for the end of a connection, in characters. */
const LONGEST_REASON = 300;

/** Options of a link. */
export interface LinkOptions {
  /** Milliseconds without any frame after which the other machine counts as lost. */
  readonly timeout: number;
  /** Called once if the other machine is lost, or has ended the connection because of an error. */
  readonly onLost: (reason: string) => void;
}

/** A connection to one machine. */
export class Link {
  /** Rank of the other machine. */
  readonly peer: number;
  /** Number of bytes sent and received, without signs of life. */
  readonly traffic = { sent: 0, received: 0 };
  readonly #proven: Proven;
  readonly #options: LinkOptions;
  readonly #inbox = new Inbox();
  #heard = performance.now();
  #beaten = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #end: string | undefined;

  constructor(proven: Proven, options: LinkOptions) {
    this.#proven = proven;
    this.#options = options;
    this.peer = proven.peer;
    this.#timer = setInterval(() => this.#beat(), options.timeout / BEATS);
    void this.#read();
  }

  /** Sends a frame. Throws a GroupLostError if the other machine is lost. */
  async send(type: number, payload: Uint8Array): Promise<void> {
    if (this.#end !== undefined) throw new GroupLostError(this.#end);
    this.traffic.sent += payload.length;
    try {
      await this.#proven.socket.write(encodeFrame(type, payload, this.#proven.seal));
    } catch {
      this.#lose(`the connection to machine ${this.peer} has ended`);
      throw new GroupLostError(this.#end ?? "");
    }
  }

  /**
   * Returns the payload of the next frame.
   *
   * @throws {GroupLostError} if the other machine is lost, or sends another type of frame
   */
  async receive(type: number): Promise<Uint8Array<ArrayBuffer>> {
    let frame = this.#inbox.take();
    while (frame === undefined) {
      if (this.#end !== undefined) throw new GroupLostError(this.#end);
      await this.#inbox.changed;
      frame = this.#inbox.take();
    }
    if (frame.type === type) return frame.payload;
    const reason = `machine ${this.peer} has sent a frame of type ${frame.type} instead of ${type}`;
    this.#lose(reason);
    throw new GroupLostError(reason);
  }

  /** Ends the connection. The other machine receives the reason, unless the work is done. */
  close(reason = ""): void {
    if (this.#end !== undefined) return;
    const bye = new TextEncoder().encode(reason.slice(0, LONGEST_REASON));
    this.#proven.socket.write(encodeFrame(FrameType.BYE, bye, this.#proven.seal)).catch(() => {});
    this.#finish(reason === "" ? "the group is closed" : reason);
    this.#proven.socket.end();
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const frame = await this.#proven.frames.next();
        if (frame === undefined) break;
        this.#heard = performance.now();
        if (frame.type === FrameType.BEAT) continue;
        if (frame.type === FrameType.BYE) return this.#leave(frame.payload);
        this.traffic.received += frame.payload.length;
        this.#inbox.put(frame);
        while (this.#inbox.isFull && this.#end === undefined) {
          await this.#inbox.changed;
          this.#heard = performance.now();
        }
      }
      this.#lose(`the connection to machine ${this.peer} has ended`);
    } catch (error) {
      const reason = error instanceof SyntaxError ? `: ${error.message}` : "";
      this.#lose(`the connection to machine ${this.peer} is broken${reason}`);
    }
  }

  /** Ends the connection because the other machine did. */
  #leave(payload: Uint8Array): void {
    const reason = new TextDecoder().decode(payload).replaceAll(/\p{Cc}+/gu, " ");
    if (reason !== "") return this.#lose(reason);
    this.#finish(`machine ${this.peer} has ended its work`);
    this.#proven.socket.end();
  }

  #beat(): void {
    const now = performance.now(), { timeout } = this.#options;
    // If this process was busy or suspended, frames may have come that it has not read yet.
    const wasBusy = now - this.#beaten > timeout / 2;
    this.#beaten = now;
    if (wasBusy || this.#inbox.isFull) this.#heard = now;
    if (now - this.#heard > timeout) {
      return this.#lose(
        `machine ${this.peer} has sent nothing for ${Math.round(timeout / 1000)} s`,
      );
    }
    const { socket, seal } = this.#proven;
    socket.write(encodeFrame(FrameType.BEAT, new Uint8Array(), seal)).catch(() => {});
  }

  #lose(reason: string): void {
    if (this.#end !== undefined) return;
    this.#finish(reason);
    this.#proven.socket.destroy();
    this.#options.onLost(reason);
  }

  #finish(reason: string): void {
    this.#end = reason;
    clearInterval(this.#timer);
    this.#inbox.wake();
  }
}

/** Frames that were received, and wait to be used. */
class Inbox {
  readonly #frames: Frame[] = [];
  #bytes = 0;
  #change: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.#change.promise;
  }

  /** True if no more frames should be read before some are used. */
  get isFull(): boolean {
    return this.#bytes > MOST_WAITING;
  }

  put(frame: Frame): void {
    this.#frames.push(frame);
    this.#bytes += frame.payload.length;
    this.wake();
  }

  /** Returns and removes the oldest frame; `undefined` if there is none. */
  take(): Frame | undefined {
    const frame = this.#frames.shift();
    if (frame === undefined) return undefined;
    this.#bytes -= frame.payload.length;
    this.wake();
    return frame;
  }

  /** Resolves `changed`. */
  wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
