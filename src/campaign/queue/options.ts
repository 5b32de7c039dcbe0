/**
 * Options of queues, without the types of the client: programs can be compiled without its packages.
 *
 * @module
 */

import type { CampaignItem } from "../item/item.ts";
import type { ItemRunnerOptions } from "../run/item_runner.ts";
import type { ResultStore } from "../store/result_store.ts";
import type { SubmitCounts, WorkEvent } from "./counts.ts";
import type { QueuePriority } from "./names.ts";
import type { ConfirmationOptions } from "./patience.ts";

/** Options of a connection to a NATS server. */
export interface QueueConnectionOptions {
  /** Addresses of servers, such as `nats://10.0.0.5:4222`, or `tls://…`. Several are separated by commas. */
  readonly servers: string;
  /** Path of a file of credentials, as `nsc` writes it. */
  readonly credentials?: string;
  /** User, if the addresses have none. */
  readonly user?: string;
  /** Password of the user. */
  readonly password?: string;
  /** Token, if the server wants one instead of a user. */
  readonly token?: string;
  /** Path of the certificates of authorities, PEM, that sign the server's certificate. */
  readonly tlsAuthority?: string;
  /** Path of the client's certificate, PEM. */
  readonly tlsCertificate?: string;
  /** Path of the client's key, PEM. */
  readonly tlsKey?: string;
  /** Name of the connection, which the server shows. @default "hooke" */
  readonly name?: string;
  /** True to wait for a server that does not answer yet, instead of throwing. @default false */
  readonly waits?: boolean;
  /** Receives texts about lost and restored connections. */
  readonly onNotice?: (text: string) => void;
}

/** Options of a queue. They hold when the queue is created; an existing queue keeps its own. */
export interface QueueOptions extends QueueConnectionOptions {
  /** Name of the queue: letters, digits, `-` and `_`. @default "hooke" */
  readonly queue?: string;
  /** Servers of a cluster that store each message: 1, 3 or 5. @default 1 */
  readonly replicas?: number;
  /**
   * Time after which an item is given to another worker if its worker no longer reports, ms. Workers report three times
   * in this time. @default 60000
   */
  readonly lease?: number;
  /** Largest message, bytes. @default the largest that the server accepts */
  readonly maxBytes?: number;
  /** Room for the checkpoints of unfinished items, bytes; 0 for none. The server reserves it. @default 1 GiB */
  readonly checkpointBytes?: number;
}

/** An item with the text by which users know its structure. */
export interface LabeledItem {
  /** The item. */
  readonly item: CampaignItem;
  /** Text for messages, such as a file and the index of a frame. */
  readonly label: string;
}

/** Options of submissions. */
export interface SubmitOptions extends ConfirmationOptions {
  /** Priority of the items. @default "normal" */
  readonly priority?: QueuePriority;
  /** Store with results: items that have one are left out. @default all items are published */
  readonly store?: ResultStore;
  /** Receives the numbers so far. */
  readonly onProgress?: (counts: SubmitCounts) => void;
}

/** Options of checkpoints in a queue. */
export interface CheckpointOptions {
  /** Interval at which an item is saved, s; 0 saves nothing. @default 600 */
  readonly seconds?: number;
  /** Largest checkpoint, bytes. An item with a larger one begins again. @default 64 MiB */
  readonly mostBytes?: number;
  /** Receives a text if a checkpoint cannot be saved or used, once for each reason. */
  readonly onNotice?: (text: string) => void;
}

/** Options of the loop of a worker. */
export interface WorkOptions {
  /** Ends the worker after the items that it computes. */
  readonly signal: AbortSignal;
  /** Aborts the items that it computes, too, and gives them back. @default signal of no effect */
  readonly abort?: AbortSignal;
  /** Tries after which an item is set aside. @default 5 */
  readonly tries?: number;
  /** Largest number of items that the worker holds. @default 256 */
  readonly batch?: number;
  /** Delay before the second try of an item that has failed, ms; doubled for each further one. @default 1000 */
  readonly retryDelay?: number;
  /** True to end when the queue has no item that this worker can compute. @default false */
  readonly untilEmpty?: boolean;
  /** Receives events. */
  readonly onEvent?: (event: WorkEvent) => void;
}

/** Options of a worker of a campaign. */
export interface CampaignHandlerOptions extends ItemRunnerOptions {
  /** True to download models that recipes name by web addresses. @default false */
  readonly downloads?: boolean;
  /** Checkpoints of items that run alone. @default every 600 s */
  readonly checkpoints?: CheckpointOptions;
}
