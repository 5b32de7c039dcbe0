/**
 * Exchange of the addresses of machines that train together.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { refusal } from "../../base/file_refusal.ts";
import { writeWhole } from "../../checkpoint/mod.ts";
import { builtin } from "../../platform/process.ts";

/** Address on which a machine listens. */
export interface MachineAddress {
  /** Names or numbers of the machine, of which any may work. */
  readonly hosts: readonly string[];
  /** Port on which it listens. */
  readonly port: number;
}

/** A place where machines publish and find addresses. An address there is not trusted: the secret decides. */
export interface Rendezvous {
  /** Makes the address of machine `rank` known, in place of an older one. */
  publish(rank: number, address: MachineAddress): Promise<void>;
  /** Returns the newest known address of machine `rank`; `undefined` if there is none. */
  find(rank: number): Promise<MachineAddress | undefined>;
  /** Frees everything that the rendezvous uses. */
  close?(): Promise<void>;
}

/** Longest description of an address, in characters. */
const LONGEST = 4096;
const MOST_HOSTS = 16;

/** Returns an address as text. */
export function textOf(address: MachineAddress): string {
  return JSON.stringify({ format: "hooke-rendezvous", version: 1, ...address });
}

/** Returns the address in a text; `undefined` if the text is not an address. */
export function addressIn(text: string): MachineAddress | undefined {
  if (text.length > LONGEST) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.format !== "hooke-rendezvous") return undefined;
  const { hosts, port } = value;
  const isFine = Array.isArray(hosts) && hosts.length <= MOST_HOSTS &&
    hosts.every((host) => typeof host === "string") &&
    Number.isInteger(port) && (port as number) > 0 && (port as number) < 65_536;
  return isFine ? { hosts, port: port as number } : undefined;
}

/** A rendezvous in a folder that all machines share: each writes a file, `machine-0.json` and so on. */
export class FolderRendezvous implements Rendezvous {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async publish(rank: number, address: MachineAddress): Promise<void> {
    try {
      await builtin("node:fs/promises").mkdir(this.#folder, { recursive: true });
      const bytes = new TextEncoder().encode(textOf(address));
      await writeWhole(this.#path(rank), bytes, "address");
    } catch (error) {
      throw refusal(`Cannot meet other machines in ${this.#folder}`, error);
    }
  }

  async find(rank: number): Promise<MachineAddress | undefined> {
    try {
      return addressIn(await builtin("node:fs/promises").readFile(this.#path(rank), "utf8"));
    } catch {
      return undefined; // not written yet
    }
  }

  #path(rank: number): string {
    return builtin("node:path").join(this.#folder, `machine-${rank}.json`);
  }
}
