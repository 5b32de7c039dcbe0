import type { Kernel } from "../../kernels/kernel.ts";
import type { KernelCall, Program } from "../backend.ts";
import { loadModule } from "../wasm/module.ts";
import type { ArgumentMessage, CallMessage } from "./requests.ts";
import type { ThreadedBuffer } from "./threaded_buffer.ts";
import type { ThreadedFrame } from "./threaded_frame.ts";
import { ThreadedPairs } from "./threaded_pairs.ts";

/** A program of all threads. */
export class ThreadedProgram implements Program {
  readonly length: number;
  /** Its number on the threads. */
  readonly id: number;
  /** The batch. */
  readonly frame: ThreadedFrame;
  /** True if a thread may halt in a step in which others do not. */
  readonly canHalt: boolean;

  /** Throws a TypeError for an unknown kernel, or for arguments that cannot be split among threads. */
  constructor(id: number, frame: ThreadedFrame, calls: readonly KernelCall[]) {
    const messages = calls.map((call) => messageOf(frame, call));
    this.id = id;
    this.frame = frame;
    this.length = calls.length;
    this.canHalt = frame.parts.length > 1 && calls.some(({ kernel }) => kernel.canHalt === true);
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
  const { name, args, pair } = kernel;
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
  return { name, args, pair, given: Object.fromEntries(there), every, phase };
}

function assertKnown({ parts }: ThreadedFrame, { name, pair, needsWhole }: Kernel): void {
  if (pair === undefined && loadModule().kernel_number(name) < 0) {
    throw new TypeError(
      `Cannot prepare kernel ${name}: the wasm backend has no kernel of that name`,
    );
  }
  if (parts.length === 1 || needsWhole !== true) return;
  throw new TypeError(
    `Cannot prepare kernel ${name} on ${parts.length} threads: it needs all systems of the batch, of which each thread has a part`,
  );
}

/** A single thread has the whole batch, so its arguments are not split. */
function assertSplit(
  { parts }: ThreadedFrame,
  { name, args }: Kernel,
  key: string,
  { spread }: ThreadedBuffer,
): void {
  if (args[key]!.endsWith(" changed") && (spread === "all" || spread === "starts")) {
    throw new TypeError(
      `Cannot prepare kernel ${name} on threads: ${key}, which it changes, must have spread node or system; ` +
        `got ${spread}`,
    );
  }
  if (parts.length === 1 || spread !== undefined) return;
  throw new TypeError(
    `Cannot prepare kernel ${name} on threads: the spread of ${key} is unknown. ` +
      `Pass spread ("node", "system", "starts" or "all") to alloc or constants`,
  );
}
