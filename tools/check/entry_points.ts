/** The package's root. */
export const ROOT: URL = new URL("../../", import.meta.url);

/** The entry points of deno.json: name → address of the file. The one list that every check goes by. */
export async function entryPoints(): Promise<Record<string, string>> {
  const { exports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  return Object.fromEntries(
    Object.entries(exports as Record<string, string>)
      .map(([name, path]) => [name, new URL(path, ROOT).href]),
  );
}
