/**
 * Connections of commands to a queue.
 *
 * @module
 */

import { findHost } from "../../platform/host.ts";
import type { QueueConnectionOptions } from "../../campaign/queue/options.ts";
import { openQueue, type Queue } from "../../campaign/queue/queue.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { CommandRun } from "../frame/command.ts";
import type { ConnectionSettings } from "./settings.ts";

/**
 * Connects to the queue of the settings.
 *
 * @throws {UsageError} if `--queue` is missing, or a file of a secret cannot be read
 */
export async function connect(
  settings: ConnectionSettings,
  { terminal, args, signal }: CommandRun,
  { waits = false }: Pick<QueueConnectionOptions, "waits"> = {},
): Promise<Queue> {
  const { queue: servers, queueName, creds, user, passwordFile, tokenFile, ...rest } = settings;
  if (servers === undefined) {
    throw new UsageError(
      "--queue is required: pass the address of a NATS server, such as --queue nats://127.0.0.1:4222",
    );
  }
  if (![1, 3, 5].includes(rest.replicas)) {
    throw new UsageError(`Cannot use --replicas ${rest.replicas}: it must be 1, 3 or 5`);
  }
  const options = {
    queue: queueName,
    servers,
    credentials: creds,
    user,
    password: await secretIn(passwordFile, "--password-file"),
    token: await secretIn(tokenFile, "--token-file"),
    tlsAuthority: rest.tlsCa,
    tlsCertificate: rest.tlsCert,
    tlsKey: rest.tlsKey,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const opening = openQueue({
    ...Object.fromEntries(given) as Pick<typeof options, "queue" | "servers">,
    name: `hooke ${args[0] ?? ""}`.trim(),
    replicas: rest.replicas,
    lease: rest.lease * 1000,
    waits,
    onNotice: (text) => terminal.complain(text),
  });
  return waits ? await Promise.race([opening, aborted(signal)]) : await opening;
}

/** Rejects when the command is interrupted. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  promise.catch(() => {}); // the connection may have been first
  return promise;
}

async function secretIn(path: string | undefined, option: string): Promise<string | undefined> {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = await findHost()!.readTextFile(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`Cannot use ${option} ${path}: it cannot be read: ${reason}`);
  }
  return text.split(/\r?\n/)[0];
}
