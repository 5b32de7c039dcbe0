/**
 * Frame of the page: header, banner, and one view at a time, chosen by the fragment of the address.
 *
 * @module
 */

import type { RunInfo, RunSource } from "../protocol.ts";
import { type Api, HttpSource, listRuns, statusOf } from "./data/http_source.ts";
import { Banner } from "./banner.ts";
import { h } from "./element.ts";
import type { PageView } from "./page_view.ts";
import { RunList } from "./run_list.ts";
import { RunView } from "./run_view.ts";
import { TabRunView } from "../tab/tab_run_view.ts";
import type { TabSource } from "../tab/tab_source.ts";
import { type StartedRun, TabView } from "../tab/tab_view.ts";
import { themeButton } from "./theme.ts";

/** False in a folder of files that `deno task page:static` has written: there are no runs to watch. */
const HAS_SERVER = !document.documentElement.hasAttribute("data-static");

/** Returns whether the address asks for a run in this tab. */
function isTab(): boolean {
  return /^#tab([=-]|$)/.test(location.hash);
}

/** Makes the link to the other part of the page: the runs of the server, or those in the tab. */
function otherLink(): HTMLElement {
  return isTab()
    ? h("a.tab-link", { href: "#" }, "Runs of the server")
    : h("a.tab-link", { href: "#tab" }, "Run in this tab");
}

/** Frame of the page. */
export class Shell {
  readonly #api: Api;
  readonly #banner: Banner = new Banner(document.getElementById("banner")!);
  readonly #header: HTMLElement = document.getElementById("header")!;
  readonly #main: HTMLElement = document.getElementById("main")!;
  readonly #theme: HTMLElement = themeButton();
  #runs: readonly RunInfo[] = [];
  #isListed = false;
  #view: PageView | undefined;
  /** Last run in this tab, whose files and options the next form has. */
  #tabRequest: StartedRun["request"] | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Shows what the address names: a run, or the list of runs. A single run is shown at once. */
  async start(): Promise<void> {
    addEventListener("hashchange", () => void this.#open());
    await this.#open();
  }

  /** Shows what the address names. The list of runs is read once it is needed. */
  async #open(): Promise<void> {
    if (isTab() || !HAS_SERVER) return this.#showTab();
    if (this.#isListed) return this.#route();
    this.#main.replaceChildren(h("p.empty", {}, "Loading …"));
    this.#frame(h("h1", {}, "Runs"));
    try {
      this.#runs = await listRuns(this.#api);
    } catch (error) {
      return this.#refused(error);
    }
    this.#isListed = true;
    this.#route();
  }

  /** Shows a run from any source, such as a worker of this tab. */
  showSource(source: RunSource): RunView {
    const view = new RunView(source, this.#banner, false);
    this.#show(view);
    return view;
  }

  #route(): void {
    const id = new URLSearchParams(location.hash.slice(1)).get("run");
    if (id !== null) return this.#showRun(id);
    const [only] = this.#runs;
    if (this.#runs.length === 1 && only !== undefined) return this.#showRun(only.id);
    this.#show(new RunList(this.#api, this.#runs, this.#banner));
  }

  /** Shows the form of a run in this tab, filled in by the link in the address if it holds one. */
  #showTab(): void {
    const complain = (message: string) => this.#banner.show(message);
    const link = /^#tab=./.test(location.hash) ? location.hash : undefined;
    const show = (source: TabSource, run: StartedRun) => {
      this.#tabRequest = run.request;
      history.replaceState(null, "", "#tab-run"); // so that the link to a new run changes the address
      const view = new RunView(source, this.#banner, false);
      this.#show(new TabRunView(view, source, run, complain));
    };
    this.#show(new TabView({ complain, show }, link, this.#tabRequest));
  }

  #showRun(id: string): void {
    const source = new HttpSource(this.#api, id, {
      onConnection: (connection) => this.#banner.connection(connection),
    });
    this.#show(new RunView(source, this.#banner, this.#runs.length > 1));
  }

  #show(view: PageView): void {
    this.#view?.close();
    this.#banner.clear();
    this.#view = view;
    this.#frame(view.header);
    this.#main.replaceChildren(view.root);
    scrollTo(0, 0);
  }

  #frame(content: HTMLElement): void {
    this.#header.replaceChildren(
      h("span.brand", { "aria-hidden": "true" }, "Hooke"),
      content,
      ...HAS_SERVER ? [otherLink()] : [],
      this.#theme,
    );
  }

  #refused(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const status = statusOf(error), isToken = status === 401 || status === 403;
    this.#main.replaceChildren(h(
      "div.empty",
      { role: "alert" },
      h("h2", {}, isToken ? "This address has no valid token" : "The server does not answer"),
      h(
        "p",
        {},
        isToken
          ? "Open the address that hooke serve printed in its terminal, with everything after the question mark."
          : message,
      ),
      h("p", {}, h("button", { type: "button", onclick: () => location.reload() }, "Try again")),
    ));
  }
}
