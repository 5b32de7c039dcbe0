/**
 * The folder of `deno task page:static` in Chromium, as a static host would serve it.
 *
 * @module
 */

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { Buffer } from "node:buffer";
import { staticFiles } from "../../../tools/page/static.ts";
import { chromiumPath } from "../../machine.ts";

/** Longer than any machine needs, ms. */
const PATIENCE = 120_000;

/** WebGPU and WebGL in software; the sandbox needs rights that containers lack. */
const FLAGS = [
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  mjs: "text/javascript",
  wasm: "application/wasm",
};

/** A static host, running. */
export interface StaticHost extends AsyncDisposable {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
}

/** Serves the folder. */
export async function serveStatic(): Promise<StaticHost> {
  const files = await staticFiles(), asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const path = new URL(request.url).pathname.replace(/^\/sub\//, "");
    asked.push(path);
    const name = path === "" ? "index.html" : path, content = files.get(name);
    if (content === undefined) return new Response("no such file", { status: 404 });
    return new Response(content, {
      headers: { "content-type": TYPES[name.split(".").at(-1)!] ?? "application/octet-stream" },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/sub/`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A tab of Chromium. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page and of its policy. */
  readonly complaints: readonly string[];
}

/** Starts Chromium. */
export async function startChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: chromiumPath!, args: FLAGS });
}

/** A viewer that shows nothing. */
const BLIND_VIEWER = `customElements.define("hooke-viewer", class extends HTMLElement {
  async refresh() {}
  async show() {}
  async go() {}
});`;

/** Opens a tab without the viewer of structures, which draws in software; with a service worker if asked for. */
export async function openTab(browser: Browser, url: string, isOffline = false): Promise<Tab> {
  const context = await browser.newContext({
    serviceWorkers: isOffline ? "allow" : "block",
    viewport: { width: 1400, height: 1000 },
    acceptDownloads: true,
    permissions: ["clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage(), complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  if (!isOffline) {
    const viewer = { contentType: "text/javascript", body: BLIND_VIEWER };
    await context.route("**/viewer.js", (route) => route.fulfill(viewer));
  }
  await page.goto(url);
  return { page, context, complaints };
}

/** A file to drop. */
export interface Dropped {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Values of fields by the names of options. */
export type Fields = Readonly<Record<string, string | boolean>>;

/** Fills in the form. */
export async function fillIn(
  { page }: Tab,
  task: string,
  files: readonly Dropped[],
  fields: Fields = {},
): Promise<void> {
  await page.locator("#task").selectOption(task);
  await page.setInputFiles(
    "#files",
    files.map(({ name, bytes }) => ({
      name,
      mimeType: "application/octet-stream",
      buffer: Buffer.from(bytes),
    })),
  );
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`#option-${name}`);
    if (!await field.isVisible()) await page.locator(".more > summary").click();
    if (typeof value === "boolean") await field.setChecked(value);
    else if (await field.evaluate((one) => one.tagName === "SELECT")) {
      await field.selectOption(value);
    } else await field.fill(value);
  }
}

/** Presses Start. */
export async function start({ page }: Tab): Promise<void> {
  await page.getByRole("button", { name: "Start" }).click();
}

/** Waits for the end of the run, and returns its line. Throws an Error if the run fails. */
export async function ended({ page, complaints }: Tab): Promise<string> {
  const line = page.locator("#tab-result").filter({ hasText: /^Done|^(?!Running)/ });
  try {
    await line.waitFor();
  } catch (cause) {
    const banner = await page.locator("#banner").innerText();
    throw new Error(`the run did not end: ${banner}; ${complaints.join("; ")}`, { cause });
  }
  const text = await line.innerText();
  if (!text.startsWith("Done")) throw new Error(text);
  return text;
}

/** Returns the hash that the page shows. */
export async function shownHash({ page }: Tab): Promise<string> {
  const text = await page.locator("#tab-hash").filter({ hasText: "SHA-256" }).innerText();
  return /[0-9a-f]{64}/.exec(text)![0];
}

/** Downloads a file of the run. */
export async function download({ page }: Tab, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const coming = page.waitForEvent("download");
  await page.locator(`button[data-path="${path}"]`).click();
  return await Deno.readFile(await (await coming).path());
}
