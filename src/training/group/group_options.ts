/**
 * Options of groups of machines that train together.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { checkNumber, POSITIVE, wholeFrom } from "../../base/check_number.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { SocketTls } from "../../platform/sockets.ts";
import { folderSecret } from "./folder_secret.ts";
import { FolderRendezvous, type Rendezvous } from "./rendezvous.ts";

/** Options of {@linkcode openTrainingGroup}. */
export interface TrainingGroupOptions {
  /** Number of shards of each batch, at least the number of machines. All bits of a training depend on it. */
  readonly shards: number;
  /**
   * Number of machines, or rather of processes.
   *
   * @default 1
   */
  readonly nodes?: number;
  /**
   * Number of this machine, from 0. Machine 0 has the state of the training.
   *
   * @default 0
   */
  readonly rank?: number;
  /**
   * Meeting place of the machines: the path of a folder that all of them share, or a custom rendezvous. It is
   * required if there are several machines.
   *
   * @default undefined
   */
  readonly rendezvous?: string | Rendezvous;
  /**
   * Secret that all machines share, at least 16 bytes. A machine without it is refused.
   *
   * @default the file `secret` in the folder of the rendezvous, which the first machine writes
   */
  readonly secret?: string | Uint8Array;
  /**
   * Settings that must be equal on all machines, as plain data. A machine with others is refused.
   *
   * @default undefined
   */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Address on which this machine listens, and under which the next machine reaches it.
   *
   * @default all addresses; the next machine tries the host name and the addresses of this machine
   */
  readonly host?: string;
  /**
   * Port on which this machine listens.
   *
   * @default 0: any free port
   */
  readonly port?: number;
  /**
   * Certificates for TLS between the machines.
   *
   * @default undefined: connections are authenticated, but not encrypted
   */
  readonly tls?: GroupTls;
  /**
   * Seconds without a sign of life after which a machine counts as lost.
   *
   * @default 60
   */
  readonly timeout?: number;
  /**
   * Seconds to wait for the other machines.
   *
   * @default 600
   */
  readonly patience?: number;
  /** Signal that ends the wait for other machines. */
  readonly signal?: AbortSignal;
  /** Receives texts about machines that come and go. They contain no secret. */
  readonly onNotice?: (text: string) => void;
}

/** Certificates for TLS, as PEM texts. */
export interface GroupTls {
  /** Certificates of the authorities that sign the certificates of the machines. */
  readonly authority: string;
  /** Certificate of this machine, for the address under which the next machine reaches it. */
  readonly certificate: string;
  /** Key of the certificate. */
  readonly key: string;
}

/** Options with defaults applied. Times are in milliseconds. */
export interface GroupPlan {
  readonly shards: number;
  readonly nodes: number;
  readonly rank: number;
  readonly rendezvous: Rendezvous | undefined;
  readonly secret: Uint8Array;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly host: string | undefined;
  readonly port: number;
  readonly tls: SocketTls | undefined;
  readonly timeout: number;
  readonly patience: number;
  readonly signal: AbortSignal | undefined;
  readonly notice: (text: string) => void;
}

const NAMES: readonly (keyof TrainingGroupOptions)[] = [
  "shards",
  "nodes",
  "rank",
  "rendezvous",
  "secret",
  "settings",
  "host",
  "port",
  "tls",
  "timeout",
  "patience",
  "signal",
  "onNotice",
];
const ACTION = "open a training group";
/** Shortest secret, in bytes. */
const SHORTEST_SECRET = 16;

/** Checks options, and reads the secret of the folder if there is no other. */
export async function planGroup(options: TrainingGroupOptions): Promise<GroupPlan> {
  checkOptions(ACTION, options, NAMES);
  const { shards, nodes = 1, rank = 0, port = 0, timeout = 60, patience = 600 } = options;
  checkNumber(ACTION, "shards", shards, wholeFrom(1));
  checkNumber(ACTION, "nodes", nodes, wholeFrom(1));
  checkNumber(ACTION, "rank", rank, wholeFrom(0));
  checkNumber(ACTION, "timeout", timeout, POSITIVE);
  checkNumber(ACTION, "patience", patience, POSITIVE);
  checkNumber(ACTION, "port", port, PORT);
  if (nodes > shards) {
    throw new RangeError(
      `Cannot ${ACTION}: there must be at least as many shards as machines; got ${shards} shards and ${nodes} machines`,
    );
  }
  if (rank >= nodes) {
    throw new RangeError(
      complaint(ACTION, `rank must be below the number of machines, ${nodes}`, rank),
    );
  }
  const { rendezvous, settings = {}, host, tls, signal, onNotice = () => {} } = options;
  return {
    shards,
    nodes,
    rank,
    rendezvous: rendezvousOf(rendezvous, nodes),
    secret: nodes === 1 ? new Uint8Array() : await secretOf(options, onNotice),
    settings,
    host,
    port,
    tls,
    timeout: timeout * 1000,
    patience: patience * 1000,
    signal,
    notice: onNotice,
  };
}

const PORT = {
  requirement: "a port from 0 to 65535",
  holds: (port: number) => Number.isInteger(port) && port >= 0 && port < 65_536,
};

function rendezvousOf(
  given: TrainingGroupOptions["rendezvous"],
  nodes: number,
): Rendezvous | undefined {
  if (nodes === 1) return undefined;
  if (typeof given === "string" && given !== "") return new FolderRendezvous(given);
  if (isObject(given) && typeof given.find === "function") return given as unknown as Rendezvous;
  throw new TypeError(
    complaint(ACTION, "rendezvous must be the path of a folder that all machines share", given),
  );
}

async function secretOf(
  { secret, rendezvous }: TrainingGroupOptions,
  notice: (text: string) => void,
): Promise<Uint8Array> {
  if (secret === undefined && typeof rendezvous === "string") {
    return await folderSecret(rendezvous, notice);
  }
  // The value is not shown: it may be a secret of the wrong kind.
  if (typeof secret !== "string" && !(secret instanceof Uint8Array)) {
    throw new TypeError(`Cannot ${ACTION}: secret is required: pass a text or bytes`);
  }
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  if (bytes.length >= SHORTEST_SECRET) return bytes;
  throw new RangeError(
    `Cannot ${ACTION}: secret must have at least ${SHORTEST_SECRET} bytes; got ${bytes.length}`,
  );
}
