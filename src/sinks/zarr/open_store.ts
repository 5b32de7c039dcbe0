/**
 * Creation of stores, and opening of existing stores to append to them.
 *
 * @module
 */

import { makeFolder, syncFolder } from "../../base/durable_folder.ts";
import { VALUE_TYPES } from "./value_types.ts";
import { type Host, namesIfExists, replaceText } from "./files.ts";
import {
  type ArrayPlan,
  GROUPS,
  INFO_TEXT,
  MASKS,
  planOf,
  POINTERS,
  UNFINISHED,
} from "./layout.ts";
import { groupMetadata, rootMetadata } from "./metadata.ts";
import type { StoreView } from "./store_view.ts";
import type { Totals } from "./commit.ts";
import { StoreWriter, type WriterSetting } from "./store_writer.ts";
import { StoredArray } from "./stored_array.ts";
import { type ChunkLayout, chunkLayoutOf } from "./array_writer.ts";

const POINTER_ROWS = 1024;

/**
 * Throws a SyntaxError if the folder contains something other than a store. An empty or missing folder
 * passes.
 */
export async function checkVacant({ host, path }: WriterSetting): Promise<void> {
  const names = await namesIfExists(host.fs, path) ?? [];
  const others = names.filter((name) => name !== UNFINISHED);
  if (others.length === 0) return;
  throw new SyntaxError(
    `Cannot open ${path}: a folder that is not empty must have a zarr.json; it contains ${
      others.slice(0, 4).join(", ")
    }`,
  );
}

/** Creates a store without systems, and removes everything that the folder contains. */
export async function makeStore(setting: WriterSetting): Promise<StoreWriter> {
  const { host: { fs }, path, packing } = setting;
  await makeFolder(fs, path);
  // From here on the folder is a store without systems. If the process is killed now, the old arrays that are
  // left do not count, because the root does not list them.
  await replaceText(fs, `${path}/zarr.json`, { text: rootMetadata(0, { core: {}, custom: {} }) });
  for (const name of await namesIfExists(fs, path) ?? []) {
    if (name !== "zarr.json") await fs.rm(`${path}/${name}`, { recursive: true, force: true });
  }
  for (const group of GROUPS) {
    await fs.mkdir(`${path}/${group}`, { recursive: true });
    await replaceText(fs, `${path}/${group}/zarr.json`, { text: groupMetadata() });
  }
  for (const mask of Object.values(MASKS)) {
    await fs.mkdir(`${path}/${mask.path}`, { recursive: true });
  }
  const nothing = { system: 0, node: 0, edge: 0, text: 0 };
  const writer = new StoreWriter(setting, nothing, { system: -1, node: -1, edge: -1 });
  for (const plan of [POINTERS.node, POINTERS.edge]) {
    writer.resume(plan, { rows: 1, chunkRows: POINTER_ROWS, packing });
  }
  await Promise.all(
    GROUPS.map((group) => syncFolder(fs, `${path}/${group}`)),
  );
  await writer.commitNow();
  return writer;
}

/**
 * Opens a store that Hooke wrote, to append to it. Data that no commit has made part of the store is removed.
 *
 * @throws {SyntaxError} if the layout of an array differs from the layout that Hooke writes, or if rows are missing
 */
export async function resumeStore(setting: WriterSetting, view: StoreView): Promise<StoreWriter> {
  const { precision } = setting;
  const { arrays, fields, rows } = view;
  if (arrays === undefined) return await makeStore(setting);
  const at = async (array: StoredArray | undefined) =>
    array === undefined ? 0 : Number((await array.read([[rows, rows + 1]]))[0]);
  // The texts and their pointers are begun in one commit. If only one of them exists, that commit did not
  // complete.
  const infos = arrays.text === undefined ? undefined : arrays.info;
  const totals: Totals = {
    system: rows,
    node: await at(arrays.node),
    edge: await at(arrays.edge),
    text: await at(infos),
  };
  const writer = new StoreWriter(setting, totals, { system: -1, node: -1, edge: -1 });
  const resume = async (plan: ArrayPlan, array: StoredArray, count: number) => {
    const type = array.metadata.type as ArrayPlan["type"];
    await resumeArray(setting, writer, { plan: { ...plan, type }, array, rows: count });
  };
  await resume(POINTERS.node, arrays.node, rows + 1);
  await resume(POINTERS.edge, arrays.edge, rows + 1);
  if (infos !== undefined) {
    await resume(POINTERS.info, infos, rows + 1);
    await resume(INFO_TEXT, arrays.text!, totals.text);
  }
  for (const { info, array, residual } of fields.values()) {
    const plan = planOf(info, precision), rounded = residual === undefined ? {} : { residual };
    await resume({ ...plan, ...rounded }, array, totals[info.level]);
  }
  await removeOthers(setting, view, totals);
  await writer.commitNow();
  return writer;
}

/** Sets the number of systems in the root of a store to `samples`. Later systems then count as never committed. */
export async function lowerSystemCount({ fs }: Host, path: string, samples: number): Promise<void> {
  const file = `${path}/zarr.json`;
  const { attributes: { fields } } = JSON.parse(
    new TextDecoder().decode(await fs.readFile(file)),
  ) as { readonly attributes: { readonly fields: Readonly<Record<string, unknown>> } };
  const beside = `${path}/${MASKS.system.path}/root.tmp`;
  await replaceText(fs, file, { text: rootMetadata(samples, fields), beside });
}

async function resumeArray(
  { packing: { level } }: WriterSetting,
  writer: StoreWriter,
  { plan, array, rows }: {
    readonly plan: ArrayPlan;
    readonly array: StoredArray;
    readonly rows: number;
  },
): Promise<void> {
  const { metadata, path } = array;
  const layout = chunkLayoutOf(metadata, level);
  const isOurs = layout !== undefined && path.endsWith(plan.path) &&
    VALUE_TYPES.has(plan.type) && metadata.shape.slice(1).join() === plan.rest.join();
  if (!isOurs) {
    throw new SyntaxError(
      `Cannot add to ${path}: its chunks or codecs differ from those that Hooke writes`,
    );
  }
  if (array.rows < rows) {
    throw new SyntaxError(
      `Cannot add to ${path}: it must have ${rows} rows or more; its shape is ${metadata.shape}`,
    );
  }
  writer.resume(plan, await resumed(array, layout, rows));
}

async function resumed(
  array: StoredArray,
  layout: ChunkLayout,
  rows: number,
): Promise<Parameters<StoreWriter["resume"]>[1]> {
  const { chunkRows } = layout, shape = array.rows;
  const begun = rows % chunkRows;
  const bytes = begun === 0 ? undefined : await array.readChunk(Math.floor(rows / chunkRows));
  if (bytes === undefined) {
    if (begun > 0) array.refuseMissing(Math.floor(rows / chunkRows));
    return { rows, shape, ...layout };
  }
  return { rows, shape, ...layout, tail: bytes.subarray(0, begun * bytes.length / chunkRows) };
}

/** Removes arrays that were begun and never became part of the store. Arrays of other programs stay. */
async function removeOthers(
  { host, path }: WriterSetting,
  { arrays, fields }: StoreView,
  totals: Totals,
): Promise<void> {
  const known = new Set(Array.from(fields.values(), ({ array }) => array.path));
  const hasInfos = arrays?.info !== undefined && arrays.text !== undefined;
  for (const group of ["core", "custom", "hooke"]) {
    for (const name of await namesIfExists(host.fs, `${path}/${group}`) ?? []) {
      const folder = `${path}/${group}/${name}`;
      if (name.endsWith(".json") || known.has(folder)) continue;
      const isLeft = group === "hooke" ? !hasInfos : await isUnfinished(host, folder, totals);
      if (isLeft) await host.fs.rm(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Returns whether a folder is an array of Hooke, complete or just begun, whose rows do not match those of the
 * store.
 */
async function isUnfinished(host: Host, folder: string, totals: Totals): Promise<boolean> {
  const names = await namesIfExists(host.fs, folder).catch(() => undefined);
  if (names === undefined) return false; // a file
  const array = await StoredArray.open(host, folder);
  if (array === undefined) return names.every((name) => name === "c" || name === "zarr.json.tmp");
  const { hooke } = array.metadata.attributes;
  const { level } = (hooke ?? {}) as { readonly level?: keyof Totals };
  return level !== undefined && array.rows !== totals[level];
}
