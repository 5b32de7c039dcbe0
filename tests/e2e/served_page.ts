/**
 * A page with the library in it, as a bundler makes it, served on loopback.
 *
 * @module
 */

// For the compiler's sake: without it nothing here says which version the addresses below are of.
import "../../src/onnx/session.ts";

/** onnxruntime-web looks for these beside its script, unless it is told where they are. */
const RUNTIMES = ["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.asyncify.wasm"];

/** Another place for them. */
export const ELSEWHERE = "elsewhere";

const HTML = `<!doctype html>
<meta charset="utf-8">
<title>Hooke in a page</title>
<link rel="icon" href="data:,">
<script type="module" src="/page.js"></script>
`;

/** Without these two a page shares no memory, and onnxruntime-web has one thread in it. */
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
} as const;

const SHARING_NOTHING = "sharing_nothing";

/** A page that is served. */
export interface ServedPage extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** The same in a page that is not isolated, and may share no memory. */
  readonly sharingNothing: string;
  /** The files that were asked for. */
  readonly asked: ReadonlySet<string>;
  /** Forgets what was asked for. */
  forget(): void;
}

/** Bundles page.ts and page_worker.ts and serves it until it is disposed. */
export async function servePage(): Promise<ServedPage> {
  const folder = await Deno.makeTempDir();
  try {
    await bundle(folder);
    const files = new Map<string, URL | string>();
    for (const { name } of Deno.readDirSync(folder)) files.set(name, `${folder}/${name}`);
    for (const name of RUNTIMES) {
      const file = new URL(import.meta.resolve(`onnxruntime-web/${name}`));
      files.set(name, file).set(`${ELSEWHERE}/${name}`, file);
    }
    const asked = new Set<string>();
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
      const name = new URL(url).pathname.slice(1);
      asked.add(name);
      return answer(files, name);
    });
    const url = `http://127.0.0.1:${server.addr.port}/`;
    return {
      url,
      sharingNothing: `${url}${SHARING_NOTHING}`,
      asked,
      forget: () => asked.clear(),
      async [Symbol.asyncDispose]() {
        await server.shutdown();
        await Deno.remove(folder, { recursive: true });
      },
    };
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

/**
 * Bundles page.ts and page_worker.ts into a folder, as page.js and page_worker.js with what they share.
 *
 * With code splitting: onnxruntime-web starts its threads from the script it is in, which must not be the page's own.
 */
export async function bundle(folder: string): Promise<void> {
  const scripts = ["page.ts", "page_worker.ts"].map((name) =>
    new URL(name, import.meta.url).pathname
  );
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--platform=browser", "--code-splitting", `--outdir=${folder}`, ...scripts],
    cwd: new URL("../../", import.meta.url),
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`deno bundle failed: ${new TextDecoder().decode(stderr)}`);
}

async function answer(
  files: ReadonlyMap<string, URL | string>,
  name: string,
): Promise<Response> {
  if (name === SHARING_NOTHING) {
    return new Response(HTML, { headers: { "content-type": "text/html" } });
  }
  if (name === "") return new Response(HTML, { headers: headersOf("text/html") });
  const file = files.get(name);
  if (file === undefined) return new Response("no such file", { status: 404, headers: ISOLATED });
  const type = name.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  return new Response(await Deno.readFile(file), { headers: headersOf(type) });
}

function headersOf(type: string): Record<string, string> {
  return { ...ISOLATED, "content-type": type };
}
