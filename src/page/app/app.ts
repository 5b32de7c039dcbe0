/**
 * The page: shows the runs of a server.
 *
 * The files of this folder, of `viewer` and of `tab` run in browsers. The types of pages come from `lib` in deno.json:
 * JSR accepts no `/// <reference lib="dom" />`. `deno task check` also checks these files without the types of Deno.
 *
 * @module
 */

import { h } from "./element.ts";
import { Shell } from "./shell.ts";
import type { Api } from "./data/http_source.ts";

const { search, origin, pathname } = location;
const token = new URLSearchParams(search).get("token") ?? "";
const api: Api = { base: `${origin}${pathname.replace(/[^/]*$/, "")}`, token };

// Only a folder of files without a server has a service worker, which keeps the page for use without a network.
if (document.documentElement.hasAttribute("data-static") && "serviceWorker" in navigator) {
  navigator.serviceWorker.register("service_worker.js").catch(() => {}); // the page works without it
}

try {
  await new Shell(api).start();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  document.getElementById("main")!.replaceChildren(
    h("p.empty", { role: "alert" }, `The page cannot start: ${message}`),
  );
  throw error;
}
