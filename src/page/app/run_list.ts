/**
 * List of the runs of a server, with a search.
 *
 * @module
 */

import type { RunInfo } from "../protocol.ts";
import type { Banner } from "./banner.ts";
import { type Api, listRuns } from "./data/http_source.ts";
import { h, setText } from "./element.ts";
import { countText, KIND_WORDS, STATE_WORDS } from "./format.ts";
import type { PageView } from "./page_view.ts";

/** Time between two requests for the list, ms. */
const INTERVAL = 5000;

/** List of runs. It asks for changes while it is visible. */
export class RunList implements PageView {
  readonly header: HTMLElement = h("h1", {}, "Runs");
  readonly root: HTMLElement;
  readonly #body: HTMLElement = h("ul.runs");
  readonly #count: HTMLElement = h("p.note", { role: "status" });
  readonly #search: HTMLInputElement;
  readonly #timer: ReturnType<typeof setInterval>;
  #runs: readonly RunInfo[];

  constructor(api: Api, runs: readonly RunInfo[], banner: Banner) {
    this.#runs = runs;
    this.#search = h("input", {
      type: "search",
      placeholder: "Search by name, kind or state",
      "aria-label": "Search the runs",
      oninput: () => this.#show(),
    });
    this.root = h(
      "section.run-list",
      {},
      h("div.toolbar", {}, this.#search, this.#count),
      this.#body,
    );
    document.title = "Runs · Hooke";
    this.#show();
    this.#timer = setInterval(async () => {
      if (document.hidden) return;
      try {
        this.#runs = await listRuns(api);
        banner.clear();
        this.#show();
      } catch (error) {
        banner.show(
          `Cannot read the list of runs: ${error instanceof Error ? error.message : error}`,
        );
      }
    }, INTERVAL);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #show(): void {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = this.#runs.filter((run) => {
      const text = `${run.name} ${run.id} ${KIND_WORDS[run.kind]} ${STATE_WORDS[run.state]}`
        .toLowerCase();
      return words.every((word) => text.includes(word));
    });
    setText(this.#count, found.length === 1 ? "1 run" : `${found.length} runs`);
    const focused = document.activeElement?.getAttribute("href");
    const items = found.map(itemOf);
    this.#body.replaceChildren(...items);
    if (items.length === 0) {
      const text = this.#runs.length === 0
        ? "There are no runs here yet. Start one, such as hooke md argon.xyz, in the served folder."
        : "No run fits the search.";
      this.#body.append(h("li.empty", {}, text));
    }
    if (focused) {
      items.find((item) => item.firstElementChild?.getAttribute("href") === focused)
        ?.querySelector("a")?.focus();
    }
  }
}

function itemOf(run: RunInfo): HTMLElement {
  const { id, name, kind, state, step, steps, systems } = run;
  const progress = steps === undefined
    ? countText(step)
    : `${countText(step)} of ${countText(steps)}`;
  const details = [
    KIND_WORDS[kind],
    `${progress} ${kind === "screen" ? "structures" : "steps"}`,
    ...(systems > 1 && kind !== "screen" ? [`${countText(systems)} systems`] : []),
  ];
  return h(
    "li",
    {},
    h(
      "a",
      { href: `#run=${encodeURIComponent(id)}` },
      h("span.run-name", {}, name),
      h("span.state", { "data-state": state }, STATE_WORDS[state]),
      h("span.note", {}, details.join(" · ")),
    ),
  );
}
