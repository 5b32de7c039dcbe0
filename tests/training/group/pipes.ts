/**
 * Connections in memory.
 *
 * @module
 */

import type { ByteSocket } from "../../../src/platform/sockets.ts";

/** One side of a connection in memory. */
export interface PipeSocket extends ByteSocket {
  /** True once this side was destroyed. */
  isDestroyed: boolean;
  /** All bytes that this side has sent. */
  readonly sent: Uint8Array[];
}

/** Returns the two sides of a connection. `cut` changes what the first side sends. */
export function pipe(
  cut: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): [PipeSocket, PipeSocket] {
  const [there, back] = [queue(), queue()];
  return [side(there, back, cut), side(back, there, (bytes) => bytes)];
}

interface Queue {
  readonly bytes: AsyncIterable<Uint8Array>;
  push(bytes: Uint8Array): void;
  end(): void;
}

function queue(): Queue {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const bytes = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own) });
  let isOver = false;
  return {
    bytes,
    push: (part) => isOver || controller.enqueue(part.slice()),
    end: () => {
      if (!isOver) controller.close();
      isOver = true;
    },
  };
}

function side(out: Queue, into: Queue, cut: (bytes: Uint8Array) => Uint8Array): PipeSocket {
  const end = () => {
    out.end();
    into.end();
  };
  const sent: Uint8Array[] = [];
  return {
    peer: "memory",
    bytes: into.bytes,
    sent,
    isDestroyed: false,
    write(bytes) {
      if (this.isDestroyed) return Promise.reject(new Error("the connection was closed"));
      sent.push(bytes);
      out.push(cut(bytes));
      return Promise.resolve();
    },
    end,
    destroy() {
      this.isDestroyed = true;
      end();
    },
  };
}
