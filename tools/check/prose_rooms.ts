/**
 * Reads the prose of the project, room by room.
 *
 * @module
 */

import { type Text, textsOf } from "./texts.ts";

/** A text, and the file that contains it. */
export interface Placed extends Text {
  /** Path from the root. */
  readonly file: string;
}

/** Folders whose subfolders are rooms of their own. */
const BY_FOLDER: readonly string[] = ["src", "tests"];
/** Other folders and files. Each is a room. */
const WHOLE: readonly string[] = [
  "bench",
  "docs",
  "examples",
  "python",
  "tools",
  "README.md",
  "CHANGELOG.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
];
/** Pages about the language itself, and files that quote words to avoid. */
const SKIPPED =
  /^tools\/(check\/prose|lint\/)|^tests\/tools\/prose_|^docs\/glossary\.md$|\.gen\.ts$/;

/** Reads the texts of all rooms. A file of `src` itself is in the room `src`. */
export async function readRooms(root: URL): Promise<Map<string, Placed[]>> {
  const paths = await Promise.all([...BY_FOLDER, ...WHOLE].map((path) => pathsIn(root, path)));
  const files = paths.flat().filter((file) => /\.(ts|md)$/.test(file) && !SKIPPED.test(file));
  const read = await Promise.all(files.map((file) => textsIn(root, file)));
  const rooms = new Map<string, Placed[]>();
  for (const [i, file] of files.entries()) {
    const room = roomOf(file);
    const texts = rooms.get(room);
    if (texts === undefined) rooms.set(room, [...read[i]!]);
    else texts.push(...read[i]!);
  }
  return new Map([...rooms].toSorted(([a], [b]) => a < b ? -1 : 1));
}

function roomOf(file: string): string {
  const [first, second, ...rest] = file.split("/");
  if (!BY_FOLDER.includes(first!)) return first!;
  const room = rest.length > 0 ? second! : undefined;
  if (first === "src") return room ?? "src";
  return room === undefined ? "tests" : `tests/${room}`;
}

async function textsIn(root: URL, file: string): Promise<Placed[]> {
  const source = await Deno.readTextFile(new URL(file, root));
  const texts = file.endsWith(".md") ? textsOfPage(source) : textsOf(source);
  return texts.map((text) => ({ ...text, file }));
}

/** Returns the headings and the paragraphs of a Markdown page, without blocks of code. */
export function textsOfPage(source: string): Text[] {
  const page = source.replaceAll(/^ *```[\s\S]*?^ *```/gm, (code) => code.replaceAll(/[^\n]/g, ""));
  return page.split("\n").flatMap((line, i): Text[] => {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    const text = heading ?? line.trim();
    return text === ""
      ? []
      : [{ type: heading === undefined ? "page" : "heading", line: i + 1, text }];
  });
}

async function pathsIn(root: URL, path: string): Promise<string[]> {
  if (path.includes(".")) return [path];
  const found: Promise<string[]>[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(new URL(`${path}/`, root))) {
    const inner = `${path}/${name}`;
    if (isDirectory && name !== "node_modules" && !name.startsWith(".")) {
      found.push(pathsInFolder(root, inner));
    } else if (isFile) found.push(Promise.resolve([inner]));
  }
  return (await Promise.all(found)).flat().sort();
}

/** Returns the files of a folder, whose name may contain a dot. */
async function pathsInFolder(root: URL, path: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(`${path}/`, root)));
  const found = entries.map(({ name, isDirectory }) =>
    isDirectory ? pathsInFolder(root, `${path}/${name}`) : [`${path}/${name}`]
  );
  return (await Promise.all(found)).flat();
}
