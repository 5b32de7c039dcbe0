/**
 * Files that are there whole or not at all.
 *
 * @module
 */

/** The part of a file system that is used here; Deno has it. */
interface FileSystem {
  writeTextFile(path: string | URL, text: string): Promise<void>;
  rename(from: string | URL, to: string | URL): Promise<void>;
  remove(path: string | URL): Promise<void>;
}

function fileSystem(): FileSystem | undefined {
  return (globalThis as { readonly Deno?: unknown }).Deno as FileSystem | undefined;
}

/** Are there files here? In a page there are none. */
export function hasFiles(): boolean {
  return fileSystem() !== undefined;
}

/** Writes beside the file, then renames: whoever reads it sees the old text or the new one. */
export async function writeFile(path: string | URL, text: string): Promise<void> {
  const files = fileSystem();
  if (files === undefined) {
    throw new TypeError(
      `Cannot write a file as there must be a file system: current value is none, to be asked for ${path}`,
    );
  }
  const suffix = `.${crypto.randomUUID()}.tmp`;
  const beside = typeof path === "string" ? path + suffix : new URL(path.href + suffix);
  try {
    await files.writeTextFile(beside, text);
    await files.rename(beside, path);
  } catch (error) {
    await files.remove(beside).catch(() => {}); // it may never have been made; the first error says why
    throw error;
  }
}
