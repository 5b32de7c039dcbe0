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

try {
  await new Shell(api).start();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  document.getElementById("main")!.replaceChildren(
    h("p.empty", { role: "alert" }, `The page cannot start: ${message}`),
  );
  throw error;
}
