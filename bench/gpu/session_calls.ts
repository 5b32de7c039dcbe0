import { LockedSession, type Session } from "../../src/onnx/session/session_run.ts";
import type { Feeds, Fetches, Outputs } from "../../src/onnx/session/session_tensor.ts";

/** A call of a session. */
export interface SessionCall {
  readonly session: Session;
  readonly feeds: Feeds;
  readonly fetches: Fetches | undefined;
}

/** Tells of each call of any session from now on, and of what it gave. */
export function watchSessions(
  tell: (call: SessionCall) => void,
  given?: (outputs: Outputs) => void,
): void {
  const { run } = LockedSession.prototype;
  LockedSession.prototype.run = async function (feeds, fetches) {
    tell({ session: this, feeds, fetches });
    const outputs = await run.call(this, feeds, fetches);
    given?.(outputs);
    return outputs;
  };
}
