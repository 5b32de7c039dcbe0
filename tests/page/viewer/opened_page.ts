/**
 * A page with `<hooke-viewer>` in Chromium, served with the policy of the page.
 *
 * @module
 */

import { type Browser, chromium, type Page } from "playwright-core";
import { contentOf, PAGE_FILES } from "../../../tools/page/bundles.ts";
import { chromiumPath } from "../../machine.ts";

/**
 * Shaders in software, for both ways to draw. Canvases of WebGPU and the rest of the page must use the same driver,
 * otherwise the process of the graphics ends when a canvas is shown.
 */
const FLAGS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
];

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
  "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'";

/** Slowest answer of a busy machine, milliseconds. */
const SLOWEST = 120_000;

/** Chromium with pages that show structures. */
export interface ViewerBrowser extends AsyncDisposable {
  /** Files of the server by their paths. Tests add theirs. */
  readonly files: Map<string, Uint8Array<ArrayBuffer> | string>;
  /** Paths and ranges of all requests so far. */
  readonly requests: string[];
  /** Opens a page with a body, and waits until its viewer, if any, has shown a frame or an error. */
  open(body: string, options?: OpenOptions): Promise<Page>;
  /** Errors of pages, which a test expects to be empty. */
  readonly complaints: string[];
}

/** Options of a page. */
export interface OpenOptions {
  readonly dark?: boolean;
  readonly reducedMotion?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** Script of the viewer, which is bundled once for all tests of a file. */
let script: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** Starts Chromium and a server. */
export async function openViewerBrowser(): Promise<ViewerBrowser> {
  const files = new Map<string, Uint8Array<ArrayBuffer> | string>();
  script ??= contentOf(PAGE_FILES.find(({ name }) => name === "viewer.js")!);
  files.set("/viewer.js", await script);
  const requests: string[] = [], complaints: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname);
    requests.push(`${path} ${request.headers.get("range") ?? ""}`.trim());
    return answer(request, files.get(path));
  });
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: chromiumPath!, args: FLAGS });
  } catch (error) {
    await server.shutdown();
    throw error;
  }
  let pages = 0;
  return {
    files,
    requests,
    complaints,
    async open(body, { dark, reducedMotion, width = 400, height = 300 } = {}) {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme: dark ? "dark" : "light",
        reducedMotion: reducedMotion ? "reduce" : "no-preference",
      });
      page.setDefaultTimeout(SLOWEST);
      page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !/status of 404/.test(message.text())) {
          complaints.push(message.text());
        }
      });
      const path = `/page${++pages}.html`;
      files.set(path, htmlOf(body));
      await page.goto(`http://127.0.0.1:${server.addr.port}${path}`);
      await page.locator("html[data-shown]").waitFor({ state: "attached" });
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.shutdown();
    },
  };
}

/** The page waits for its viewer, and keeps its view for tests. */
function htmlOf(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="color-scheme" content="light dark"><title>Viewer</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css"><script type="module" src="/viewer.js"></script>
<script type="module" src="/page.js"></script></head><body>${body}</body></html>`;
}

/** Style and script that all pages have, because their policy allows none in the page. */
export const PAGE_CSS = "body{margin:0}hooke-viewer{height:100vh}";
export const PAGE_JS = `
const viewer = document.querySelector("hooke-viewer");
const shown = async () => {
  window.view = await viewer.view;
  window.view?.drawNow();
  await window.view?.settled();
  document.documentElement.dataset.shown = "";
};
viewer.addEventListener("framechange", shown, { once: true });
viewer.addEventListener("viewererror", () => {
  document.documentElement.dataset.shown = "";
}, { once: true });
if (viewer.shadowRoot.querySelector('canvas:not([aria-label$="loading"])')) shown();
/** Colors of the picture: from the left and the top, as shares of its size. */
window.pixels = async (...places) => {
  const bitmap = await createImageBitmap(await viewer.toBlob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), two = canvas.getContext("2d");
  two.drawImage(bitmap, 0, 0);
  return places.map(([x, y]) => [...two.getImageData(x * bitmap.width, y * bitmap.height, 1, 1).data.slice(0, 3)]);
};
/** All bytes of the picture, a character each, because lists of numbers are slow to send. */
window.picture = async () => {
  const bitmap = await createImageBitmap(await viewer.toBlob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), two = canvas.getContext("2d");
  two.drawImage(bitmap, 0, 0);
  const { data } = two.getImageData(0, 0, bitmap.width, bitmap.height);
  return Array.from(data, (byte) => String.fromCharCode(byte)).join("");
};
`;

function answer(request: Request, file: Uint8Array<ArrayBuffer> | string | undefined): Response {
  const { pathname } = new URL(request.url);
  const content = file ??
    (pathname === "/page.css" ? PAGE_CSS : pathname === "/page.js" ? PAGE_JS : undefined);
  if (content === undefined) return new Response("no such file", { status: 404 });
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const type = /\.html$/.test(pathname)
    ? "text/html"
    : /\.js$/.test(pathname)
    ? "text/javascript"
    : /\.css$/.test(pathname)
    ? "text/css"
    : "application/octet-stream";
  const headers = { "content-type": type, "content-security-policy": POLICY };
  const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "");
  if (range === null) return new Response(bytes, { headers });
  const [, first, last] = range;
  const from = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
  return new Response(bytes.slice(from, to), {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${from}-${to - 1}/${bytes.length}` },
  });
}
