/**
 * A page with the library in it, as a bundler makes it, served on loopback.
 *
 * @module
 */

// It says of which version the addresses of onnxruntime-web are.
import "../../src/onnx/session/open_session.ts";

/** onnxruntime-web looks for these beside its script, unless it is given their address. */
const RUNTIMES = ["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.asyncify.wasm"];

/** Another place for them. */
export const ELSEWHERE = "elsewhere";

/** Without these two a page may share no memory, and onnxruntime-web has one thread in it. */
const ISOLATED: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** No script is made of text, and nothing comes from anywhere else. */
const CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:";

/** Address → its script, and whether it is isolated. */
const PAGES: ReadonlyMap<string, readonly [script: string, isIsolated: boolean]> = new Map([
  ["", ["page.js", true]],
  ["sharing_nothing", ["page.js", false]],
  ["single_script", ["single_script.js", true]],
]);

/** A page that is served. */
export interface ServedPage extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** The same page without isolation: it may share no memory. */
  readonly sharingNothing: string;
  /** The same page from a single script, onnxruntime-web and all. */
  readonly singleScript: string;
  /** The files that were asked for since this was last called. */
  asked(): readonly string[];
}

/** Bundles page.ts and the scripts of its workers and serves them until it is disposed. */
export async function servePage(): Promise<ServedPage> {
  const folder = await Deno.makeTempDir();
  const remove = () => Deno.remove(folder, { recursive: true });
  try {
    await bundle(folder);
    await runBundler(`--output=${folder}/single_script.js`, scriptPath("page.ts"));
    return serve(filesOf(folder), remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Bundles page.ts and the scripts of its workers into a folder, with what they share and what is loaded late beside them. */
export async function bundle(folder: string): Promise<void> {
  const scripts = ["page.ts", "page_worker.ts", "page_threads.ts"].map(scriptPath);
  await runBundler("--code-splitting", `--outdir=${folder}`, ...scripts);
}

/** Runs `deno bundle` for a page. */
export async function runBundler(...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--platform=browser", ...args],
    cwd: new URL("../../", import.meta.url),
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`deno bundle failed: ${new TextDecoder().decode(stderr)}`);
}

function scriptPath(name: string): string {
  return decodeURIComponent(new URL(name, import.meta.url).pathname);
}

/** Name → where it is. */
function filesOf(folder: string): ReadonlyMap<string, string | URL> {
  const files = new Map<string, string | URL>();
  for (const { name } of Deno.readDirSync(folder)) files.set(name, `${folder}/${name}`);
  for (const name of RUNTIMES) {
    const file = new URL(import.meta.resolve(`onnxruntime-web/${name}`));
    files.set(name, file).set(`${ELSEWHERE}/${name}`, file);
  }
  return files;
}

function serve(files: ReadonlyMap<string, string | URL>, end: () => Promise<void>): ServedPage {
  let asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const name = new URL(request.url).pathname.slice(1);
    asked.push(name);
    return answer(files, name);
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  return {
    url,
    sharingNothing: `${url}sharing_nothing`,
    singleScript: `${url}single_script`,
    asked() {
      const all = asked;
      asked = [];
      return all;
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await end();
    },
  };
}

async function answer(
  files: ReadonlyMap<string, string | URL>,
  name: string,
): Promise<Response> {
  const page = PAGES.get(name);
  if (page !== undefined) {
    const [script, isIsolated] = page;
    const headers = {
      "content-type": "text/html",
      "content-security-policy": CSP,
      ...(isIsolated ? ISOLATED : {}),
    };
    return new Response(htmlOf(script), { headers });
  }
  const file = files.get(name);
  if (file === undefined) return new Response("no such file", { status: 404, headers: ISOLATED });
  const type = name.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  return new Response(await Deno.readFile(file), {
    headers: { "content-type": type, ...ISOLATED },
  });
}

function htmlOf(script: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<title>Hooke in a page</title>
<link rel="icon" href="data:,">
<script type="module" src="/${script}"></script>
`;
}
