import type { SessionOptions } from "./session_options.ts";
import { LockedSession, type Session, type SessionParts } from "./session_run.ts";

/**
 * Creates a session from a session of the runtime. If `outputs` names an unknown output or the creation fails,
 * releases the runtime's session and throws the error.
 */
export async function admitSession(
  parts: Omit<SessionParts, "isCaptured" | "checkFinite">,
  { capture = false, checkFinite = false, outputs = "host" }: SessionOptions,
): Promise<Session> {
  try {
    const session = new LockedSession({ ...parts, isCaptured: capture, checkFinite });
    if (typeof outputs !== "string") checkOutputNames(session, Object.keys(outputs));
    return session;
  } catch (error) {
    await parts.session.release();
    throw error;
  }
}

function checkOutputNames({ name, outputs }: Session, wanted: readonly string[]): void {
  const names = outputs.map((output) => output.name);
  const strange = wanted.find((each) => !names.includes(each));
  if (strange === undefined) return;
  throw new RangeError(
    `Cannot open ${name}: unknown output ${strange}; it must be one of ${names.join(", ")}`,
  );
}
