/**
 * Reading of TensorBoard's files.
 *
 * @module
 */

import { FILE_VERSION, readEvent, type TensorBoardEvent } from "./tensorboard_event.ts";
import { recordsOf } from "./tensorboard_records.ts";
import { builtin } from "../../platform/process.ts";

/**
 * Reads the events in the bytes of one file, in the order in which they were written. An incomplete last event, which
 * a killed process leaves, is skipped. Values other than numbers and histograms, such as images, texts and graphs,
 * are skipped, too.
 *
 * @param bytes content of the file
 * @param name name of the file in error messages
 * @throws {SyntaxError} if the file is damaged or of another format; the message has the number of the record, from 0
 * @throws {RangeError} if the file has another version
 *
 * @example
 * ```ts
 * import { parseTensorBoard } from "@hooke/hooke/sinks";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(() => parseTensorBoard(new Uint8Array(99)), SyntaxError, "record 0");
 * ```
 */
export function parseTensorBoard(
  bytes: Uint8Array,
  name: string = "events of TensorBoard",
): TensorBoardEvent[] {
  const events: TensorBoardEvent[] = [];
  let n = 0;
  for (const record of recordsOf(bytes, name)) {
    const { version, ...event } = readEvent(record, (requirement) => {
      throw new SyntaxError(`Cannot read ${name}: in record ${n} ${requirement}`);
    });
    if (n++ === 0) checkVersion(name, version);
    else if (hasMembers(event.scalars) || hasMembers(event.histograms)) events.push(event);
  }
  return events;
}

/**
 * Reads the events in a file of TensorBoard, or in all files of a folder in the order of their names, as
 * {@linkcode parseTensorBoard} does.
 *
 * @throws {SyntaxError} if a file is damaged; the message has the number of the record, from 0
 * @throws {RangeError} if a file has another version, or if a folder contains no file of TensorBoard
 * @throws {TypeError} if there is no file system
 * @throws {Error} if the file system refuses
 *
 * @example
 * ```ts
 * import { readTensorBoard, TensorBoardFile } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const board = new TensorBoardFile(await Deno.makeTempDir());
 * await board.open();
 * board.add(3, { energy: -2.5 }, { wallTime: 1e9 });
 * await board.close();
 * const [event] = await readTensorBoard(board.path!);
 * assertEquals(event, { step: 3, wallTime: 1e9, scalars: { energy: -2.5 }, histograms: {} });
 * ```
 */
export async function readTensorBoard(path: string | URL): Promise<TensorBoardEvent[]> {
  let modules;
  try {
    modules = [builtin("node:fs/promises"), builtin("node:url")] as const;
  } catch (cause) {
    throw new TypeError(`Cannot read ${path}: there is no file system, as in a web page`, {
      cause,
    });
  }
  const [{ readdir, readFile, stat }, { fileURLToPath }] = modules;
  const place = typeof path === "string" ? path : fileURLToPath(path);
  if (!(await stat(place)).isDirectory()) return parseTensorBoard(await readFile(place), place);
  const names = (await readdir(place)).filter((name) => name.includes("tfevents")).sort();
  if (names.length === 0) {
    throw new RangeError(
      `Cannot read ${place}: the folder contains no files of TensorBoard (*tfevents*)`,
    );
  }
  const files: TensorBoardEvent[][] = [];
  for (const name of names) {
    const file = `${place}/${name}`;
    files.push(parseTensorBoard(await readFile(file), file));
  }
  return files.flat();
}

function checkVersion(name: string, version: string | undefined): void {
  if (version === FILE_VERSION) return;
  if (version === undefined) {
    throw new SyntaxError(`Cannot read ${name}: its first record must contain its version`);
  }
  throw new RangeError(
    `Cannot read ${name}: its version must be ${FILE_VERSION}; got ${version}`,
  );
}

function hasMembers(object: object): boolean {
  return Object.keys(object).length > 0;
}
