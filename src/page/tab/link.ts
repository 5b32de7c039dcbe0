/**
 * Links that hold a run: its files, options and seed. Opening one repeats the run with the same bits.
 *
 * The fragment of an address is `tab=1.` and the JSON of the run, compressed (deflate) and in base64url. It never
 * reaches a server.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import type { AtomMove, TabFile, TabTask } from "./messages.ts";

/** Content of a link. */
export interface LinkedRun {
  readonly task: TabTask;
  readonly files: readonly TabFile[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly moves?: readonly AtomMove[];
  /** The dropped potential, which the link names by its hash and does not hold; undefined for a built-in one. */
  readonly model?: { readonly name: string; readonly sha256: string };
  /** SHA-256 of the final positions of the linked run, and its device, if the run has ended. */
  readonly result?: { readonly hash: string; readonly device: string };
}

/** Version of the format. */
const VERSION = "1";

/** Longest text of a link, characters: browsers cut longer addresses, and programs for messages even shorter ones. */
export const LONGEST_LINK = 100_000;

/** Largest content of a link, bytes, so that a small link cannot fill the memory. */
const LARGEST = 32 << 20;

const TASKS: readonly string[] = ["md", "relax", "fine-tune"];

/**
 * Returns the fragment of a link.
 *
 * @throws {RangeError} if it would be too long
 */
export async function encodeLink(run: LinkedRun): Promise<string> {
  const files = run.files.map(({ name, bytes }) => ({ name, ...textOf(bytes) }));
  const json = new TextEncoder().encode(JSON.stringify({ ...run, files }));
  const packed = await through(json, new CompressionStream("deflate-raw"), Infinity);
  const link = `tab=${VERSION}.${packed.toBase64({ alphabet: "base64url", omitPadding: true })}`;
  if (link.length <= LONGEST_LINK) return link;
  throw new RangeError(
    `Cannot make a link: it would have ${link.length} characters, and browsers cut addresses above ${LONGEST_LINK}. ` +
      "Share the files and the options instead",
  );
}

/** Returns whether the fragment of an address holds a run. */
export function isLink(fragment: string): boolean {
  return /^#?tab=./.test(fragment);
}

/**
 * Reads the fragment of a link.
 *
 * @throws {SyntaxError} if the link is damaged, or of a newer version
 * @throws {RangeError} if its content is too large
 */
export async function decodeLink(fragment: string): Promise<LinkedRun> {
  const [, version, text] = /^#?tab=(\w+)\.([\w-]*)$/.exec(fragment) ?? [];
  if (version === undefined || text === undefined) {
    throw new SyntaxError("Cannot read the link: it is incomplete or damaged. Copy all of it");
  }
  if (version !== VERSION) {
    throw new SyntaxError(
      `Cannot read the link: its version is ${version}, and this page knows version ${VERSION}`,
    );
  }
  let content: unknown;
  try {
    const packed = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const json = await through(packed, new DecompressionStream("deflate-raw"), LARGEST);
    content = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    throw new SyntaxError("Cannot read the link: it is incomplete or damaged. Copy all of it", {
      cause,
    });
  }
  return checked(content);
}

/** Returns bytes as text if they are text, else as base64. */
function textOf(bytes: Uint8Array): { readonly text: string } | { readonly base64: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: bytes.toBase64() };
  }
}

/** Sends bytes through a stream. Throws a RangeError if more than `most` bytes come out of it. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of new Blob([bytes]).stream().pipeThrough(stream)) {
    parts.push(part);
    length += part.length;
    if (length > most) throw new RangeError("Cannot read the link: its content is too large");
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

function checked(content: unknown): LinkedRun {
  const wrong = (what: string): never => {
    throw new SyntaxError(`Cannot read the link: ${what}`);
  };
  if (!isObject(content)) return wrong("it must hold an object");
  const { task, files, settings, moves, model, result } = content;
  if (typeof task !== "string" || !TASKS.includes(task)) {
    return wrong(`its task must be one of ${TASKS.join(", ")}`);
  }
  if (!isObject(settings)) return wrong("its settings must be an object");
  if (!Array.isArray(files) || files.length === 0) return wrong("it has no files");
  if (moves !== undefined && !(Array.isArray(moves) && moves.every(isMove))) {
    return wrong("its moves must be a list of atoms and positions");
  }
  if (model !== undefined && !areTexts(model, ["name", "sha256"])) {
    return wrong("its model must have a name and a hash");
  }
  if (result !== undefined && !areTexts(result, ["hash", "device"])) {
    return wrong("its result must have a hash and a device");
  }
  return {
    task: task as TabTask,
    files: files.map((file) => fileOf(file) ?? wrong("a file must have a name and a content")),
    settings,
    ...moves !== undefined && { moves: moves as AtomMove[] },
    ...model !== undefined && { model: model as NonNullable<LinkedRun["model"]> },
    ...result !== undefined && { result: result as NonNullable<LinkedRun["result"]> },
  };
}

function fileOf(file: unknown): TabFile | undefined {
  if (!isObject(file) || typeof file.name !== "string") return undefined;
  const { name, text, base64 } = file;
  if (typeof text === "string") return { name, bytes: new TextEncoder().encode(text) };
  if (typeof base64 !== "string") return undefined;
  try {
    return { name, bytes: Uint8Array.fromBase64(base64) };
  } catch {
    return undefined;
  }
}

function areTexts(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === "string");
}

function isMove(move: unknown): boolean {
  if (!isObject(move)) return false;
  const { step, system, atom, position } = move;
  const isIndex = (x: unknown) => Number.isSafeInteger(x) && (x as number) >= 0;
  return [step, system, atom].every(isIndex) && Array.isArray(position) && position.length === 3 &&
    position.every((x) => typeof x === "number" && Number.isFinite(x));
}
