/**
 * Chromium, for tests of pages, which are left out if it is not installed.
 *
 * @module
 */

import { chromium, type Page } from "playwright-core";
import { chromiumPath, lacks } from "../machine.ts";

/** WebGPU on an adapter in software; its sandbox needs rights that containers lack. */
const FLAGS = ["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** Shaders in software, on a busy machine. Milliseconds. */
const SLOWEST = 120_000;

/** Registers a test that needs it. */
export function testInChromium(name: string, test: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, fn: test, ignore: lacks("chromium") });
}

/** Chromium, running. */
export interface RunningBrowser extends AsyncDisposable {
  /** Opens a page of its own, and waits for its script. */
  open(url: string): Promise<OpenPage>;
}

/** A page that is open. */
export interface OpenPage extends AsyncDisposable {
  /** Calls one of the page's global functions, with what JSON can say; rejects with what it throws. */
  call<T>(name: string, ...args: readonly unknown[]): Promise<T>;
  /** Waits until the text of an element matches a pattern, and returns the text. */
  text(selector: string, pattern: RegExp): Promise<string>;
  /** Uncaught errors and other complaints of the page. */
  readonly complaints: readonly string[];
}

/** Starts it; disposing ends it with all its pages. */
export async function openChromium(): Promise<RunningBrowser> {
  if (chromiumPath === undefined) {
    throw new Error("Cannot open a page: there must be chromium on PATH: none found");
  }
  const browser = await chromium.launch({ executablePath: chromiumPath, args: FLAGS });
  return {
    async open(url) {
      const page = await browser.newPage();
      const complaints = complaintsOf(page);
      await page.goto(url, { waitUntil: "load" });
      return {
        complaints,
        call: (name, ...args) => inTime(page.evaluate(expression(name, args)), complaints),
        async text(selector, pattern) {
          const element = page.locator(selector).filter({ hasText: pattern });
          await inTime(element.waitFor(), complaints);
          return await element.innerText();
        },
        [Symbol.asyncDispose]: () => page.close(),
      };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function expression(name: string, args: readonly unknown[]): string {
  const given = args.map((each) => JSON.stringify(each)).join(", ");
  return `globalThis[${JSON.stringify(name)}](${given})`;
}

function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return complaints;
}

/** A page that hangs would say nothing, ever. */
async function inTime<T>(work: Promise<T>, complaints: readonly string[]): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`the page did not answer in time: ${complaints.join("; ")}`));
  }, SLOWEST);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
