import { LockedSession, type Session } from "../../src/onnx/session_run.ts";
import type { Feeds, Fetches } from "../../src/onnx/session_tensor.ts";

/** A call of a session. */
export interface SessionCall {
  readonly session: Session;
  readonly feeds: Feeds;
  readonly fetches: Fetches | undefined;
}

/** Tells of each call of any session from now on. */
export function watchSessions(tell: (call: SessionCall) => void): void {
  const { run } = LockedSession.prototype;
  LockedSession.prototype.run = function (feeds, fetches) {
    tell({ session: this, feeds, fetches });
    return run.call(this, feeds, fetches);
  };
}
