/**
 * The worker of the door's sessions, with an input that makes it hang as the runtime does when two calls meet in it:
 * for good, timers and all.
 *
 * @module
 */

import "../../src/onnx/session/workers/session_worker.ts";

/** The first number of an input at which it hangs. */
export const HANGS = 666;

/** … and at which it breaks down. */
export const BREAKS = 667;

interface Scope {
  readonly WorkerGlobalScope?: unknown;
  onmessage: ((event: MessageEvent) => unknown) | null;
}

const scope = globalThis as unknown as Scope;

if (scope.WorkerGlobalScope !== undefined || import.meta.main) {
  const answer = scope.onmessage!;
  scope.onmessage = (event) => {
    const first = event.data.feeds?.x?.data[0];
    while (first === HANGS);
    if (first === BREAKS) throw new Error("broken down");
    return answer.call(globalThis, event);
  };
}
