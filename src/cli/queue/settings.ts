/**
 * Settings of the commands `submit`, `work` and `queue`.
 *
 * @module
 */

import type { QueuePriority } from "../../campaign/queue/names.ts";
import type { FormatSettings } from "../run/formats.ts";
import type { ConfigSettings } from "../run/table.ts";

/** Settings of the connection to a queue. */
export interface ConnectionSettings {
  /** Addresses of NATS servers, separated by commas. */
  readonly queue: string | undefined;
  /** Name of the queue. */
  readonly queueName: string;
  /** Path of a file of credentials. */
  readonly creds: string | undefined;
  /** User. */
  readonly user: string | undefined;
  /** Path of a file with the password of the user. */
  readonly passwordFile: string | undefined;
  /** Path of a file with a token. */
  readonly tokenFile: string | undefined;
  /** Path of the certificates of authorities. */
  readonly tlsCa: string | undefined;
  /** Path of the client's certificate. */
  readonly tlsCert: string | undefined;
  /** Path of the client's key. */
  readonly tlsKey: string | undefined;
  /** Servers that store each message. */
  readonly replicas: number;
  /** Time after which a silent worker loses its items, s. */
  readonly lease: number;
}

/** Settings by which structures become items. */
export interface ItemSettings extends FormatSettings {
  /** Recipe, then folders and files of structures. */
  readonly files: readonly string[];
  /** Seed of the items. */
  readonly seed: number;
  /** Priority of the items. */
  readonly priority: QueuePriority;
  /** Folder of the results; undefined for none. */
  readonly store: string | undefined;
  /** True to print JSON. */
  readonly json: boolean;
  /** True to show no progress. */
  readonly quiet: boolean;
}

/** Settings of the command `submit`. */
export interface SubmitSettings
  extends ConnectionSettings, ItemSettings, Pick<ConfigSettings, "config" | "set"> {}

/** Settings of the command `queue`. */
export interface QueueSettings
  extends ConnectionSettings, ItemSettings, Pick<ConfigSettings, "config" | "set"> {
  /** True to cancel all items. */
  readonly all: boolean;
}

/** Settings of the command `work`. */
export interface WorkSettings extends ConnectionSettings, Pick<ConfigSettings, "config" | "set"> {
  /** Folder of the results. */
  readonly store: string | undefined;
  /** True to end when the queue is empty. */
  readonly untilEmpty: boolean;
  /** Tries after which an item is set aside. */
  readonly tries: number;
  /** Largest number of items that the worker holds. */
  readonly batch: number;
  /** Largest number of atoms in a batch of an engine. */
  readonly batchAtoms: number;
  /** Modules of hooks that recipes may name. */
  readonly allowModules: "none" | "folder" | "any";
  /** True if recipes may name models by web addresses. */
  readonly allowDownloads: boolean;
  /** Interval at which a long item is saved in the queue, s. */
  readonly checkpoint: number;
  /** Time for the items in work after a signal, s. */
  readonly grace: number;
  /** True to print JSON. */
  readonly json: boolean;
  /** True to print only warnings. */
  readonly quiet: boolean;
}
