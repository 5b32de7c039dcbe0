/**
 * The secret of a group in the folder where its machines meet.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import { builtin } from "../../platform/process.ts";

/** Bits of permissions of other users. */
const OTHERS = 0o077;

/**
 * Returns the content of the file `secret` in a folder. The first machine that asks writes the file, which only its
 * user may read.
 *
 * @throws {Error} if the file can be neither read nor written
 */
export async function folderSecret(
  folder: string,
  notice: (text: string) => void,
): Promise<Uint8Array> {
  const fs = builtin("node:fs/promises"), path = builtin("node:path").join(folder, "secret");
  try {
    await fs.mkdir(folder, { recursive: true });
    const isThere = await fs.stat(path).then(() => true, () => false);
    if (!isThere) await create(path);
    const [secret, { mode }] = await Promise.all([fs.readFile(path), fs.stat(path)]);
    if ((mode & OTHERS) !== 0 && builtin("node:path").sep === "/") {
      notice(`Other users may read or write ${path}; chmod 600 makes it private`);
    }
    if (secret.length >= 16) return new Uint8Array(secret);
  } catch (error) {
    throw refusal(`Cannot use the secret ${path}`, error);
  }
  throw new RangeError(`Cannot use the secret ${path}: it must have at least 16 bytes`);
}

/** Writes a new secret. If two machines do so at a time, the first secret stays. */
async function create(path: string): Promise<void> {
  const fs = builtin("node:fs/promises"), beside = `${path}.${crypto.randomUUID()}.tmp`;
  const secret = builtin("node:crypto").randomBytes(32).toString("hex");
  try {
    await fs.writeFile(beside, `${secret}\n`, { flag: "wx", mode: 0o600 });
    await fs.link(beside, path).catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  } finally {
    await fs.rm(beside, { force: true });
  }
}
