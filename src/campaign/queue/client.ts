/**
 * The only file that loads the client of NATS. Its packages are optional: they are loaded when a queue is opened.
 *
 * @module
 */

import type * as Transport from "@nats-io/transport-node";
import type * as JetStream from "@nats-io/jetstream";
import type * as Objects from "@nats-io/obj";

export type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node";
export type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
export type { ObjectInfo, ObjectStore } from "@nats-io/obj";

/** Tested versions, which Deno downloads if the program does not have the packages. */
const PINNED: Readonly<Record<string, string>> = {
  "@nats-io/transport-node": "npm:@nats-io/transport-node@3.4.0",
  "@nats-io/jetstream": "npm:@nats-io/jetstream@3.4.0",
  "@nats-io/obj": "npm:@nats-io/obj@3.4.0",
};

/** The packages of the client. */
export interface NatsClient {
  readonly transport: typeof Transport;
  readonly jetstream: typeof JetStream;
  readonly objects: typeof Objects;
}

let loaded: Promise<NatsClient> | undefined;

/**
 * Loads the client of NATS, once per process.
 *
 * @throws {TypeError} if the packages are not installed
 */
export async function loadNats(): Promise<NatsClient> {
  loaded ??= load();
  return await loaded.catch((error) => {
    loaded = undefined;
    throw error;
  });
}

async function load(): Promise<NatsClient> {
  const [transport, jetstream, objects] = await Promise.all(Object.keys(PINNED).map(loadPackage));
  return {
    transport: transport as NatsClient["transport"],
    jetstream: jetstream as NatsClient["jetstream"],
    objects: objects as NatsClient["objects"],
  };
}

async function loadPackage(name: string): Promise<unknown> {
  // Bundlers and Deno's download of dependencies ignore imports whose specifier is a variable.
  try {
    return await import(name);
  } catch (first) {
    try {
      return await import(PINNED[name]!);
    } catch {
      throw new TypeError(
        `Cannot open a queue: the package ${name} is not installed. Install it by npm install ${
          Object.values(PINNED).map((one) => one.slice("npm:".length)).join(" ")
        }`,
        { cause: first },
      );
    }
  }
}
