/**
 * Writes the page as a folder of files that any static host can serve: runs in the tab, without a server.
 *
 * Run: `deno task page:static [FOLDER]`
 *
 * @module
 */

import { createHash } from "node:crypto";
import { ORT_FILES, ortFile } from "../../src/page/ort_files.ts";
import { ROOT } from "../check/entry_points.ts";
import { contentOf, presentFiles } from "./bundles.ts";

/** Files that a static host cannot send as headers. The page works under them. */
const CSP =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self' blob: data:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'";

const encoder = new TextEncoder();

/** Returns the files of the folder by their names. */
export async function staticFiles(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  await Promise.all(
    presentFiles().map(async (file) => {
      const content = await contentOf(file);
      if (file.name === "page.html") files.set("index.html", staticHtml(content));
      else files.set(file.name, content);
    }),
  );
  const hash = createHash("sha256");
  for (const name of [...files.keys()].toSorted()) hash.update(name).update(files.get(name)!);
  const version = {
    hash: hash.digest("hex").slice(0, 16),
    files: ["./", ...[...files.keys()].filter((name) => name !== "index.html")],
  };
  const worker = await contentOf({
    name: "tab_worker.js",
    source: "src/page/tab/service_worker.ts",
    type: "",
  });
  const head = encoder.encode(`globalThis.HOOKE_PAGE=${JSON.stringify(version)};\n`);
  files.set("service_worker.js", new Uint8Array([...head, ...worker]));
  for (const name of ORT_FILES) files.set(`ort/${name}`, (await ortFile(`/ort/${name}`))!.body);
  return files;
}

/** Returns the page with its policy, and a mark that there is no server of runs. */
function staticHtml(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const html = new TextDecoder().decode(content);
  return encoder.encode(
    html.replace("<html ", "<html data-static ").replace(
      '<meta charset="utf-8">',
      `<meta charset="utf-8">\n    <meta http-equiv="content-security-policy" content="${CSP}">`,
    ),
  );
}

/** Writes the folder, and returns a line for each of its files. */
export async function writeStatic(folder: URL): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [name, content] of await staticFiles()) {
    const path = new URL(name, folder);
    await Deno.mkdir(new URL("./", path), { recursive: true });
    await Deno.writeFile(path, content);
    lines.push(`${name}: ${(content.length / 1000).toFixed(1)} kB`);
  }
  return lines;
}

if (import.meta.main) {
  const [folder = "dist"] = Deno.args;
  for (const line of await writeStatic(new URL(`${folder}/`, ROOT))) console.log(line);
}
