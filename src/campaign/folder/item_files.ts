/**
 * Files of items. A file is written once, under the hash of its ids, and never changes.
 *
 * @module
 */

import { makeFolder, syncFolder } from "../../base/durable_folder.ts";
import { codeOf } from "../../base/file_refusal.ts";
import { writeWhole } from "../../checkpoint/file.ts";
import { builtin } from "../../platform/process.ts";
import { type CampaignItem, makeItemOfText } from "../item/item.ts";
import { sha256Hex } from "../item/sha256.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";

/** An item of a campaign's folder, with the place where its structure came from. */
export interface ListedItem extends CampaignItem {
  /** File and frame of the structure, such as `water.xyz@3`, as the user has given them. */
  readonly source: string;
  /** User data of the structure, as JSON; undefined if it has none. */
  readonly info?: Readonly<Record<string, unknown>>;
}

/** Numbers of items that a submission has added. */
export interface Submission {
  /** Items of the submission, each id once. */
  readonly items: number;
  /** Items among them that the campaign did not have. */
  readonly added: number;
}

/** Number of characters that are written at once. */
const BLOCK = 1 << 20;
const ID_BYTES = 32;

/**
 * Adds items to the folder of a campaign. Items that it has already are left out. Either all items are added, or none.
 *
 * @throws {Error} if the files cannot be written
 *
 * @example
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { addItems, campaignIds, makeItem, readRecipe } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "relax" }],
 * });
 * const folder = `${await Deno.makeTempDir()}/argon`;
 * const item = { ...await makeItem(fcc({ element: "Ar", a: 5.3 }), recipe), source: "argon.xyz" };
 * assertEquals(await addItems(folder, [item]), { items: 1, added: 1 });
 * assertEquals(await addItems(folder, [item]), { items: 1, added: 0 });
 * assertEquals(await campaignIds(folder), [item.id]);
 * ```
 */
export async function addItems(
  path: string,
  items: AsyncIterable<ListedItem> | Iterable<ListedItem>,
): Promise<Submission> {
  const fs = builtin("node:fs/promises"), folder = `${path}/items`;
  await makeFolder(fs, folder);
  const known = new Set(await campaignIds(path)), seen = new Set<string>(), added: string[] = [];
  const temporary = `${folder}/${crypto.randomUUID()}.tmp`;
  const file = await fs.open(temporary, "wx");
  try {
    let text = "";
    for await (const item of items) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      if (known.has(item.id)) continue;
      added.push(item.id);
      text += `${lineOf(item)}\n`;
      if (text.length < BLOCK) continue;
      await file.writeFile(text);
      text = "";
    }
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await file.close();
    await fs.unlink(temporary);
    throw error;
  }
  await file.close();
  if (added.length === 0) {
    await fs.unlink(temporary);
    return { items: seen.size, added: 0 };
  }
  const name = (await sha256Hex(added.join("\n"))).slice(0, 32);
  // Readers look for the ids of files of items, so the ids come first.
  await writeIds(`${folder}/${name}.ids`, added);
  await fs.rename(temporary, `${folder}/${name}.jsonl`);
  await syncFolder(fs, folder);
  return { items: seen.size, added: added.length };
}

function lineOf({ id, source, seed, info, input }: ListedItem): string {
  const more = info === undefined ? "" : `,"info":${JSON.stringify(info)}`;
  return `{"id":"${id}","seed":${seed},"source":${JSON.stringify(source)}${more},"input":${input}}`;
}

async function writeIds(path: string, ids: readonly string[]): Promise<void> {
  const bytes = new Uint8Array(ID_BYTES * ids.length);
  for (const [i, id] of ids.entries()) {
    for (let k = 0; k < ID_BYTES; k++) {
      bytes[ID_BYTES * i + k] = parseInt(id.slice(2 * k, 2 * k + 2), 16);
    }
  }
  await writeWhole(path, bytes, "ids of structures");
}

async function itemFiles(path: string): Promise<string[]> {
  try {
    const names = await builtin("node:fs/promises").readdir(`${path}/items`);
    return names.filter((name) => name.endsWith(".jsonl")).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * Returns the ids of all items of a campaign's folder, each once, in sorted order.
 *
 * @throws {SyntaxError} if a file of ids is damaged
 */
export async function campaignIds(path: string): Promise<string[]> {
  const ids = new Set<string>();
  for (const name of await itemFiles(path)) {
    const file = `${path}/items/${name.replace(/jsonl$/, "ids")}`;
    const bytes = await builtin("node:fs/promises").readFile(file);
    if (bytes.length % ID_BYTES !== 0) {
      throw new SyntaxError(
        `Cannot read ${file}: its size must be a multiple of ${ID_BYTES} bytes; got ${bytes.length}. ` +
          "Remove the file and its .jsonl, and submit the structures again; results are kept",
      );
    }
    for (let at = 0; at < bytes.length; at += ID_BYTES) {
      let id = "";
      for (let k = 0; k < ID_BYTES; k++) id += DIGITS[bytes[at + k]!];
      ids.add(id);
    }
  }
  return [...ids].sort();
}

/**
 * Returns the ids of one of several tasks: every item belongs to one task, and the shares have equal sizes.
 *
 * @param task index of the task, from 0
 *
 * @example
 * ```ts
 * import { shareOf } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(shareOf(["a", "b", "c"], 0, 2), ["a", "c"]);
 * assertEquals(shareOf(["a", "b", "c"], 1, 2), ["b"]);
 * ```
 */
export function shareOf(ids: readonly string[], task: number, tasks: number): string[] {
  return ids.filter((_, i) => i % tasks === task);
}

/**
 * Reads the items of a campaign's folder for which `isWanted` returns true. They are not in memory at the same time.
 *
 * @throws {SyntaxError} if an item is damaged: its id must belong to its structure and seed
 */
export async function* readItems(
  path: string,
  recipe: CheckedRecipe,
  isWanted: (id: string) => boolean = () => true,
): AsyncGenerator<ListedItem, void> {
  for (const name of await itemFiles(path)) {
    const file = `${path}/items/${name}`;
    const open = await builtin("node:fs/promises").open(file, "r");
    try {
      for await (const line of open.readLines()) {
        const id = /^\{"id":"([0-9a-f]{64})",/.exec(line)?.[1];
        if (id === undefined || isWanted(id)) yield await itemIn(line, id, { file, recipe });
      }
    } finally {
      await open.close();
    }
  }
}

async function itemIn(
  line: string,
  id: string | undefined,
  { file, recipe }: { readonly file: string; readonly recipe: CheckedRecipe },
): Promise<ListedItem> {
  const at = line.indexOf(',"input":'), head = line.slice(0, at);
  try {
    const { seed, source, info } = JSON.parse(`${head}}`);
    const input = line.slice(at + ',"input":'.length, -1);
    const item = await makeItemOfText(input, recipe, seed);
    if (item.id === id) return { ...item, source, ...info !== undefined && { info } };
  } catch {
    // The message below says all there is to say.
  }
  throw new SyntaxError(
    `Cannot read ${file}: the item ${
      id ?? head.slice(0, 40)
    } is damaged. Remove the file and its .ids, and submit ` +
      "the structures again; results are kept",
  );
}
