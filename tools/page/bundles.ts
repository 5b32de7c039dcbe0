/**
 * Files that the page consists of, and how each is made.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import type { AssetName } from "../../src/page/assets.ts";
import { ORT_SCRIPTS } from "../../src/page/ort_files.ts";
import { ROOT } from "../check/entry_points.ts";

/** Part of the page. Scripts are bundled, other files are copied. */
export interface PageFile {
  readonly name: AssetName;
  /** Path from the root of the project. */
  readonly source: string;
  /** Media type with its character set. */
  readonly type: string;
}

const SCRIPT = "text/javascript; charset=utf-8";

/** All files of the page. */
export const PAGE_FILES: readonly PageFile[] = [
  { name: "page.html", source: "src/page/app/page.html", type: "text/html; charset=utf-8" },
  { name: "app.css", source: "src/page/app/app.css", type: "text/css; charset=utf-8" },
  { name: "app.js", source: "src/page/app/app.ts", type: SCRIPT },
  { name: "viewer.js", source: "src/page/viewer/define.ts", type: SCRIPT },
  { name: "tab_worker.js", source: "src/page/tab/tab_worker.ts", type: SCRIPT },
];

/** Returns the files whose sources exist. */
export function presentFiles(): readonly PageFile[] {
  return PAGE_FILES.filter(({ source }) => {
    try {
      return Deno.statSync(new URL(source, ROOT)).isFile;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}

/** Returns the content of a file of the page: the bundle of a script, minified, or the file itself. */
export async function contentOf(file: PageFile): Promise<Uint8Array<ArrayBuffer>> {
  if (!file.source.endsWith(".ts")) return await Deno.readFile(new URL(file.source, ROOT));
  const { success, errors, outputFiles } = await Deno.bundle({
    entrypoints: [fileURLToPath(new URL(file.source, ROOT))],
    platform: "browser",
    minify: true,
    external: ["onnxruntime-web", "onnxruntime-web/*"],
    write: false,
  });
  if (!success) {
    throw new Error(`Cannot bundle ${file.source}: ${errors.map(({ text }) => text).join("; ")}`);
  }
  const placed = withRuntimes(outputFiles![0]!.text());
  return new TextEncoder().encode(placed.includes("uplot") ? UPLOT_NOTICE + placed : placed);
}

/** Returns a script that loads onnxruntime-web from the folder `ort` beside it, once a model needs it. */
function withRuntimes(script: string): string {
  return ORT_SCRIPTS.reduce(
    (text, { entry, file }) => text.replaceAll(`"onnxruntime-web/${entry}"`, `"./ort/${file}"`),
    script,
  );
}

/** Returns the paths of the files of this project that a file of the page is made of, from the root. */
export async function sourcesOf({ source }: PageFile): Promise<readonly string[]> {
  if (!source.endsWith(".ts")) return [source];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", source],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`deno info failed: ${new TextDecoder().decode(stderr)}`);
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly modules: readonly { readonly specifier: string }[];
  };
  const own = modules.map(({ specifier }) => specifier)
    .filter((specifier) => specifier.startsWith(ROOT.href))
    .map((specifier) => specifier.slice(ROOT.href.length));
  return ["deno.json", ...own].toSorted();
}

/** The license of uPlot asks for this in copies. */
const UPLOT_NOTICE =
  `/*! uPlot 1.6.32: Copyright (c) 2025 Leon Sorokin, MIT License, https://github.com/leeoniya/uPlot/blob/1.6.32/LICENSE
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
`;
