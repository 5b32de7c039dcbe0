/**
 * A queue on a NATS server: its streams and consumers, and its counts.
 *
 * @module
 */

import type {
  JetStreamClient,
  JetStreamManager,
  NatsClient,
  NatsConnection,
  ObjectStore,
} from "./client.ts";
import { isLost, patiently, within } from "./patience.ts";
import { connectQueue } from "./connection.ts";
import type { QueueCounts } from "./counts.ts";
import { PRIORITIES, type QueueNames, queueNames } from "./names.ts";
import type { QueueOptions } from "./options.ts";

/** A connection with the streams of a queue. */
export interface Queue {
  readonly names: QueueNames;
  readonly nats: NatsConnection;
  readonly manager: JetStreamManager;
  readonly stream: JetStreamClient;
  /** Largest message, bytes. */
  readonly maxBytes: number;
  /**
   * Returns the time after which an item without reports is given to another worker, ms: that of the process which has
   * created the queue.
   */
  readLease(): Promise<number>;
  /** Opens the store of checkpoints, without asking the server whether it exists. */
  checkpoints(): Promise<ObjectStore>;
  /** Returns a unique subject for answers. */
  inbox(): string;
  /** Creates whatever is missing on the server. */
  create(): Promise<void>;
  /** Sends everything that is buffered, and closes the connection. */
  close(): Promise<void>;
}

/** Longest time without an answer of the server, ms. A request that a lost connection has swallowed is made again. */
const REPLY = 5000;

/** Name of the lease in the metadata of the stream of items, ms. */
const LEASE = "hooke_lease_ms";

/** Time after which the server removes a checkpoint, ns: 7 days. A finished item has none. */
const EXPIRY = 7 * 86_400 * 1e9;

/** Longest time for closing a connection, ms. */
const DRAIN = 2000;

/** Code of the server's answer if a stream or a consumer does not exist. */
const MISSING = [10059, 10014];

/** Returns whether an error says that a stream or a consumer does not exist. */
export function isMissing(error: unknown): boolean {
  return MISSING.includes(Number((error as { code?: unknown }).code));
}

/**
 * Connects to a queue. {@linkcode Queue.create} creates its streams.
 *
 * @throws {Error} if the server does not answer, refuses the credentials or has no JetStream
 * @throws {RangeError} if the name of the queue has other characters than letters, digits, `-` and `_`
 */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { queue = "hooke", replicas = 1, lease = 60_000, maxBytes: most, ...rest } = options;
  const { checkpointBytes = 2 ** 30, ...connection } = rest;
  const names = queueNames(queue);
  const { client: { jetstream, transport, objects }, nats } = await connectQueue(connection);
  const maxBytes = Math.min(most ?? Infinity, nats.info?.max_payload ?? 1_048_576);
  // Without the check: a worker may lack the permission to read the limits of its account.
  const manager = await jetstream.jetstreamManager(nats, { checkAPI: false, timeout: REPLY });
  const stream = jetstream.jetstream(nats, { timeout: REPLY, checkAPI: false });
  const stores = new objects.Objm(stream);
  return {
    names,
    nats,
    manager,
    stream,
    maxBytes,
    async readLease() {
      const { config } = await patiently(() => manager.streams.info(names.items));
      return Number(config.metadata?.[LEASE] ?? lease);
    },
    checkpoints: () => stores.open(names.checkpoints, false),
    inbox: () => transport.createInbox(),
    async create() {
      await createQueue(manager, names, { replicas, lease, maxBytes });
      await createCheckpoints(stores, names.checkpoints, { replicas, bytes: checkpointBytes });
    },
    async close() {
      // Without a connection, draining waits for the server. Nothing that is left to send would matter.
      if (!await within(DRAIN, nats.drain())) await within(DRAIN, nats.close());
    },
  };
}

async function createQueue(
  manager: JetStreamManager,
  { queue, items, states, consumer, item }: QueueNames,
  { replicas, lease, maxBytes }: Required<Pick<QueueOptions, "replicas" | "lease" | "maxBytes">>,
): Promise<void> {
  const shared = {
    storage: "file" as const,
    num_replicas: replicas,
    max_msgs_per_subject: 1,
    max_msg_size: maxBytes,
  };
  await addStream(manager, {
    ...shared,
    name: states,
    subjects: ["recipe", "try", "aside"].map((kind) => `hooke.${queue}.${kind}.*`),
    retention: "limits",
    discard: "old", // the newest message of a subject stays
  });
  await addStream(manager, {
    ...shared,
    name: items,
    // Workers may not read consumers, which have the lease, too.
    metadata: { [LEASE]: String(lease) },
    subjects: PRIORITIES.map((priority) => item(priority, "*")),
    retention: "workqueue",
    discard: "new", // an item that is already there is not added again
    discard_new_per_subject: true,
    allow_atomic: true,
  });
  for (const priority of PRIORITIES) {
    await ignoringExisting(() =>
      manager.consumers.add(items, {
        durable_name: consumer(priority),
        filter_subject: item(priority, "*"),
        ack_policy: "explicit",
        ack_wait: lease * 1e6, // ns
        max_deliver: -1, // workers count failed tries: a delivery to a worker that never began is not one
        max_ack_pending: 1_000_000,
      })
    );
  }
}

async function addStream(
  manager: JetStreamManager,
  config: Parameters<JetStreamManager["streams"]["add"]>[0],
): Promise<void> {
  await ignoringExisting(() => manager.streams.add(config));
}

/** Codes of the server's answers if a stream or a consumer exists with other options. */
const EXISTS = [10058, 10148, 10105, 10013];

async function ignoringExisting(add: () => Promise<unknown>): Promise<void> {
  try {
    await patiently(add);
  } catch (error) {
    if (!EXISTS.includes(Number((error as { code?: unknown }).code))) throw error;
  }
}

/**
 * Creates the object store of checkpoints, unless it exists. Without room on the server there is none: items whose
 * worker ends then begin again.
 */
async function createCheckpoints(
  stores: InstanceType<NatsClient["objects"]["Objm"]>,
  name: string,
  { replicas, bytes }: { readonly replicas: number; readonly bytes: number },
): Promise<void> {
  if (bytes === 0) return;
  const options = { replicas, max_bytes: bytes, ttl: EXPIRY, storage: "file" as const };
  try {
    await patiently(() => stores.create(name, options));
  } catch (error) {
    // It exists with other options, or the server cannot reserve the room. A worker reports that it saves nothing.
    if (isLost(error)) throw error;
  }
}

/**
 * Counts the items of a queue.
 *
 * @throws {Error} if the queue does not exist
 */
export async function countQueue({ manager, names }: Queue): Promise<QueueCounts> {
  const [items, states, ...consumers] = await Promise.all([
    manager.streams.info(names.items),
    manager.streams.info(names.states, { subjects_filter: names.state("aside", "*") }),
    ...PRIORITIES.map((priority) => manager.consumers.info(names.items, names.consumer(priority))),
  ]);
  const sum = (of: (info: (typeof consumers)[number]) => number) =>
    consumers.reduce((total, info) => total + of(info), 0);
  return {
    waiting: {
      high: consumers[0]!.num_pending,
      normal: consumers[1]!.num_pending,
      low: consumers[2]!.num_pending,
    },
    running: sum((info) => info.num_ack_pending),
    redelivered: sum((info) => info.num_redelivered),
    aside: Object.keys(states.state.subjects ?? {}).length,
    idle: sum((info) => info.num_waiting),
    bytes: items.state.bytes,
  };
}
