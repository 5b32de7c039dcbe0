/**
 * Scripts of workers in the bundle for npm.
 *
 * @module
 */

import { filesIn } from "./files_in.ts";

/** Scripts that the code starts as `new URL("./NAME.ts", import.meta.url)`, with their paths from the root. */
export const WORKERS: readonly string[] = [
  "src/backend/threads/thread_worker.ts",
  "src/onnx/session/workers/session_worker.ts",
];

const STARTED = /new URL\("\.\/([^"]+\.ts)",\s*import\.meta\.url\)/g;

/**
 * Rewrites the addresses of workers in all files of a bundle. Each names the source beside its own; the bundle has the
 * script elsewhere.
 *
 * @throws {Error} if a file starts a script that the bundle does not have, or a script is never started
 */
export async function withWorkerScripts(dist: string): Promise<void> {
  const started = new Set<string>();
  for (const path of filesIn(dist, ".js")) {
    const text = await Deno.readTextFile(`${dist}/${path}`);
    const up = "../".repeat(path.split("/").length - 1) || "./";
    const changed = text.replace(STARTED, (_, name: string) => {
      const script = WORKERS.find((each) => each.endsWith(`/${name}`));
      if (script === undefined) throw new Error(`${path} starts ${name}, which is not in WORKERS`);
      started.add(script);
      return `new URL("${up}${script.replace(/ts$/, "js")}", import.meta.url)`;
    });
    if (changed !== text) await Deno.writeTextFile(`${dist}/${path}`, changed);
  }
  const idle = WORKERS.filter((script) => !started.has(script));
  if (idle.length > 0) throw new Error(`nothing in the bundle starts ${idle.join(" and ")}`);
}
