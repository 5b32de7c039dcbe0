// The page in Chromium, with a server of its own.
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Shelf } from "../../src/page/feed/run_shelf.ts";
import { type PageAsset, pageHandler } from "../../src/page/server/page_handler.ts";
import { contentOf, presentFiles } from "../../tools/page/bundles.ts";
import { chromiumPath } from "../machine.ts";

/** WebGL in software, on a busy machine. Milliseconds. */
export const PATIENCE = 60_000;

const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const TOKEN = "token-of-the-test";

type Assets = ReadonlyMap<string, PageAsset & { readonly body: Uint8Array<ArrayBuffer> }>;

let assets: Promise<Assets> | undefined;

/** Bundles the page, once for all tests of a file. */
export function pageAssets(): Promise<Assets> {
  return assets ??= (async () => {
    const files = [];
    for (const file of presentFiles()) {
      const path = file.name === "page.html" ? "/" : `/${file.name}`;
      files.push([path, { type: file.type, body: await contentOf(file) }] as const);
    }
    return new Map(files);
  })();
}

/** A server of the page. */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
  /** Ends all streams, and refuses every request until it is called with false. */
  interrupt(isInterrupted: boolean): void;
}

/** Serves the page of some runs. */
export async function serveRuns(shelf: Shelf): Promise<PageServer> {
  const files = await pageAssets();
  let streams = new AbortController(), isInterrupted = false;
  const cut: Shelf = {
    ...shelf,
    async find(id) {
      const run = await shelf.find(id);
      if (run === undefined) return undefined;
      return new Proxy(run, {
        get(_, name) {
          if (name !== "events") {
            const value = Reflect.get(run, name);
            return typeof value === "function" ? value.bind(run) : value;
          }
          return (signal: AbortSignal) => run.events(AbortSignal.any([signal, streams.signal]));
        },
      });
    },
  };
  const handle = pageHandler({
    shelf: cut,
    token: TOKEN,
    host: "127.0.0.1",
    assets: (path) => files.get(path),
  });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => isInterrupted ? new Response(null, { status: 503 }) : handle(request),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/?token=${TOKEN}`,
    interrupt(now) {
      isInterrupted = now;
      streams.abort();
      streams = new AbortController();
    },
    async [Symbol.asyncDispose]() {
      streams.abort();
      await server.shutdown();
    },
  };
}

/** An open page, and what it complained about. */
export interface AppPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Starts Chromium, and closes it after the work. */
export async function inChromium(work: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({ executablePath: chromiumPath!, args: FLAGS });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a run, or the list of runs, in a browser profile of its own. */
export async function openApp(
  browser: Browser,
  { url }: PageServer,
  run?: string,
  options: BrowserContextOptions = {},
): Promise<AppPage> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage(), complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(run === undefined ? url : `${url}#run=${encodeURIComponent(run)}`);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
