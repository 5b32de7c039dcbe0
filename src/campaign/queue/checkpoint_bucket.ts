/**
 * Objects in the store with the checkpoints of a queue.
 *
 * @module
 */

import type { ObjectInfo, ObjectStore } from "./client.ts";
import type { Queue } from "./queue.ts";
import { isNone } from "./states.ts";

/** Size of the messages of an object, bytes, if the server takes them. */
const CHUNK = 512 * 1024;

/** Stores an object in place of the one before. */
export async function putObject(queue: Queue, name: string, bytes: Uint8Array): Promise<void> {
  const store = await queue.checkpoints();
  await store.putBlob({ name, options: { max_chunk_size: CHUNK } }, bytes);
}

/**
 * Returns the bytes of an object; undefined if it does not exist. Its messages are read one by one, for which a worker
 * needs no permission to create consumers. Checkpoints have checksums of their own.
 *
 * @throws {Error} if it is larger than `most` bytes, or was replaced meanwhile
 */
export async function getObject(
  queue: Queue,
  name: string,
  most: number,
): Promise<Uint8Array | undefined> {
  const { manager, names: { checkpoints } } = queue;
  const info = await infoOf(await queue.checkpoints(), name);
  if (info === undefined || info.deleted) return undefined;
  const { size, chunks, nuid } = info;
  if (!(size <= most)) {
    throw new RangeError(`Cannot read the object: it has ${size} bytes, and may have ${most}`);
  }
  const bytes = new Uint8Array(size), subject = `$O.${checkpoints}.C.${nuid}`;
  let at = 0, seq = 1;
  for (let chunk = 0; chunk < chunks && at < size; chunk++) {
    // The client passes the request on, but its types lack this form.
    const next = { seq, next_by_subj: subject } as never;
    const message = await manager.streams.getMessage(`OBJ_${checkpoints}`, next);
    if (message === null || at + message.data.length > size) break;
    bytes.set(message.data, at);
    at += message.data.length;
    seq = message.seq + 1;
  }
  if (at === size) return bytes;
  throw new Error("Cannot read the object: a part of it is missing");
}

/** Removes an object. */
export async function removeObject(queue: Queue, name: string): Promise<void> {
  await (await queue.checkpoints()).delete(name);
}

/** Removes all objects. */
export async function removeObjects({ manager, names: { checkpoints } }: Queue): Promise<void> {
  await manager.streams.purge(`OBJ_${checkpoints}`);
}

async function infoOf(store: ObjectStore, name: string): Promise<ObjectInfo | undefined> {
  try {
    return await store.info(name) ?? undefined;
  } catch (error) {
    if (isNone(error)) return undefined;
    throw error;
  }
}
