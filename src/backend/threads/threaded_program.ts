import type { Kernel } from "../../kernels/kernel.ts";
import type { KernelCall, Program } from "../backend.ts";
import { loadModule } from "../wasm/module.ts";
import type { ArgumentMessage, CallMessage } from "./requests.ts";
import type { ThreadedBuffer } from "./threaded_buffer.ts";
import type { ThreadedFrame } from "./threaded_frame.ts";
import { ThreadedPairs } from "./threaded_pairs.ts";

/** A program that runs on all threads of a frame. */
export class ThreadedProgram implements Program {
  readonly length: number;
  /** Id of the program in requests to threads. */
  readonly id: number;
  /** The frame of the batch. */
  readonly frame: ThreadedFrame;
  /** True if a kernel of the program can halt the run on one thread but not on others. */
  readonly canHalt: boolean;

  /**
   * Sends the calls to the threads. Throws a TypeError if a kernel is unknown, or an argument cannot be split among
   * threads.
   */
  constructor(id: number, frame: ThreadedFrame, calls: readonly KernelCall[]) {
    const messages = calls.map((call) => messageOf(frame, call));
    this.id = id;
    this.frame = frame;
    this.length = calls.length;
    this.canHalt = isSplit(frame) && calls.some(({ kernel }) => kernel.canHalt === true);
    frame.send(() => ({ kind: "prepare", id, frame: frame.id, calls: messages }));
  }

  free(): void {
    const { id } = this;
    this.frame.send(() => ({ kind: "freeProgram", id }));
  }
}

function messageOf(
  frame: ThreadedFrame,
  { kernel, args: given, every, phase }: KernelCall,
): CallMessage {
  const { name, args, pair, canHalt = false, needsWhole = false } = kernel;
  assertKnown(frame, kernel);
  const there = Object.keys(args).map((key): [string, ArgumentMessage] => {
    const value = given[key];
    if (value === undefined) return [key, undefined];
    if (typeof value === "number") return [key, { number: value }];
    if (value instanceof ThreadedPairs) return [key, { pairs: value.id }];
    assertSplit(frame, kernel, key, value as ThreadedBuffer);
    frame.adopt(value as ThreadedBuffer);
    return [key, { buffer: (value as ThreadedBuffer).id }];
  });
  return { name, args, pair, canHalt, needsWhole, given: Object.fromEntries(there), every, phase };
}

/** Returns whether each thread has only some of the systems. */
function isSplit({ parts, isTeam }: ThreadedFrame): boolean {
  return parts.length > 1 && !isTeam;
}

function assertKnown(frame: ThreadedFrame, { name, pair, needsWhole }: Kernel): void {
  if (pair === undefined && loadModule().kernel_number(name) < 0) {
    throw new TypeError(
      `Cannot prepare kernel ${name}: the wasm backend has no kernel of that name`,
    );
  }
  if (!isSplit(frame) || needsWhole !== true) return;
  throw new TypeError(
    `Cannot prepare kernel ${name} on ${frame.parts.length} threads: it needs all systems of the batch at once, and each thread has only some of them. Run on one thread`,
  );
}

/**
 * Throws a TypeError if a buffer cannot be split among threads as an argument of a kernel. A single thread has the
 * whole batch, so there the spread of an argument that the kernel does not change may be unknown.
 */
function assertSplit(
  frame: ThreadedFrame,
  { name, args }: Kernel,
  key: string,
  { spread }: ThreadedBuffer,
): void {
  if (args[key]!.endsWith(" changed") && (spread === "all" || spread === "starts")) {
    throw new TypeError(
      `Cannot prepare kernel ${name} on threads: the spread of ${key}, which the kernel changes, must be "node" or "system"; ` +
        `got "${spread}"`,
    );
  }
  if (!isSplit(frame) || spread !== undefined) return;
  throw new TypeError(
    `Cannot prepare kernel ${name} on threads: the spread of ${key} is unknown. ` +
      `Pass spread ("node", "system", "starts" or "all") to alloc or constants`,
  );
}
