/**
 * View of a run in the tab: that of any run, with its result, a link that repeats it, and moves of atoms.
 *
 * @module
 */

import type { PageView } from "../app/page_view.ts";
import { h, setShown } from "../app/element.ts";
import type { ViewerFrame } from "../protocol.ts";
import { encodeLink } from "./link.ts";
import type { AtomMove, TabResult } from "./messages.ts";
import type { TabSource } from "./tab_source.ts";
import { filesOf, type StartedRun } from "./tab_view.ts";

/** Detail of the event `atomdrag` of `<hooke-viewer>`. */
interface AtomDrag {
  readonly atom: number;
  readonly positions: Float32Array;
  readonly isDone: boolean;
}

/** Members of `<hooke-viewer>` that the view uses. */
interface ViewerElement extends HTMLElement {
  show(frame: ViewerFrame): Promise<void>;
}

/** View of a run in the tab. */
export class TabRunView implements PageView {
  readonly header: HTMLElement;
  readonly root: HTMLElement;
  readonly #view: PageView;
  readonly #source: TabSource;
  readonly #run: StartedRun;
  readonly #complain: (message: string) => void;
  readonly #abort = new AbortController();
  readonly #result: HTMLElement = h(
    "p",
    { role: "status", id: "tab-result" },
    "Running in this tab …",
  );
  readonly #hash: HTMLElement = h("p.note", { id: "tab-hash" });
  readonly #log: HTMLElement = h("ul.note", { id: "tab-moves" });
  readonly #mover: HTMLElement;
  readonly #moves: AtomMove[] = [];
  #ended: TabResult | undefined;
  #isRunning = true;

  /** Shows the run `view`, and starts it. */
  constructor(
    view: PageView,
    source: TabSource,
    run: StartedRun,
    complain: (message: string) => void,
  ) {
    this.#view = view;
    this.#source = source;
    this.#run = run;
    this.#complain = complain;
    this.header = view.header;
    this.#mover = this.#makeMover();
    this.root = h(
      "div.tab-run",
      {},
      h(
        "section.panel.tab-bar",
        { "aria-label": "Result" },
        h("div.tab-result", {}, this.#result, this.#hash, this.#log),
        this.#mover,
        h(
          "div.toolbar",
          {},
          h(
            "button",
            { type: "button", onclick: () => this.#copyLink() },
            "Copy a link to this run",
          ),
          h("a", { href: "#tab" }, "New run"),
        ),
      ),
      view.root,
    );
    this.root.addEventListener("atomdrag", (event) => {
      const { atom, positions, isDone } = (event as CustomEvent<AtomDrag>).detail;
      if (!isDone) return;
      const [x, y, z] = positions.subarray(3 * atom, 3 * atom + 3);
      void this.#move(atom, [x!, y!, z!]);
    });
    // The browser asks before the tab is closed, because the run would be lost.
    addEventListener("beforeunload", (event) => {
      if (this.#isRunning) event.preventDefault();
    }, { signal: this.#abort.signal });
    void this.#follow();
    source.start(run.request, {
      result: (result) => this.#showResult(result),
      failed: (message) => {
        this.#isRunning = false;
        this.#result.textContent = message;
        this.#result.dataset.state = "failed";
      },
      moved: (move, text) => {
        this.#moves.push(move);
        this.#log.append(h("li", {}, text));
      },
    });
  }

  close(): void {
    this.#abort.abort();
    this.#view.close();
    this.#source.close();
  }

  /** Lets atoms be moved while the run is paused. */
  async #follow(): Promise<void> {
    let before: string | undefined;
    for await (const event of this.#source.events(this.#abort.signal)) {
      if (event.type !== "info" || event.run.state === before) continue;
      before = event.run.state;
      const isPaused = before === "paused";
      setShown(this.#mover, isPaused);
      await this.#edit(isPaused);
    }
  }

  /** Shows the structure as it is now in the viewer, with atoms that can be dragged. */
  async #edit(isPaused: boolean): Promise<void> {
    const viewer = this.root.querySelector("hooke-viewer") as ViewerElement | null;
    viewer?.toggleAttribute("edit", isPaused);
    const now = isPaused ? await this.#source.live() : undefined;
    if (now !== undefined) await viewer?.show(now);
  }

  #makeMover(): HTMLElement {
    const field = (id: string, label: string) => {
      const input: HTMLInputElement = h("input", {
        id: `move-${id}`,
        inputmode: "decimal",
        autocomplete: "off",
        size: 6,
      });
      return [h("label", { for: `move-${id}` }, label), input] as const;
    };
    const fields = [field("atom", "Atom"), field("x", "x"), field("y", "y"), field("z", "z")];
    const form = h(
      "form.toolbar",
      {
        hidden: true,
        onsubmit: (event: Event) => {
          event.preventDefault();
          const [atom, x, y, z] = fields.map(([, { value }]) =>
            value.trim() === "" ? NaN : Number(value)
          );
          void this.#move(atom!, [x!, y!, z!]);
        },
      },
      h("span.note", {}, "Paused: drag an atom, or move one to (Å)"),
      ...fields.flat(),
      h("button", { type: "submit" }, "Move"),
    );
    return form;
  }

  async #move(atom: number, position: [number, number, number]): Promise<void> {
    try {
      await this.#source.move({ system: 0, atom, position });
    } catch (error) {
      this.#complain(error instanceof Error ? error.message : String(error));
    }
    await this.#edit(true);
  }

  #showResult(result: TabResult): void {
    this.#ended = result;
    this.#isRunning = false;
    const { expected } = this.#run, { hash, device, text } = result;
    this.#result.textContent = `Done on ${device}: ${text}`;
    if (hash === undefined) return;
    const verdict = expected === undefined
      ? ""
      : expected.hash === hash
      ? " The link promises the same: every bit is equal."
      : ` The link promises ${expected.hash} on ${expected.device}: the results differ.`;
    this.#hash.textContent = `SHA-256 of the final positions: ${hash}.${verdict}`;
  }

  async #copyLink(): Promise<void> {
    try {
      const { request, modelHash } = this.#run, { task, settings, model } = request;
      const ended = this.#ended, hash = ended?.hash;
      const fragment = await encodeLink({
        task,
        files: filesOf(request),
        settings: ended === undefined ? settings : { ...settings, device: ended.device },
        ...this.#moves.length > 0 && { moves: this.#moves },
        ...model !== undefined && { model: { name: model.name, sha256: modelHash! } },
        ...ended !== undefined && hash !== undefined && { result: { hash, device: ended.device } },
      });
      const address = `${location.origin}${location.pathname}#${fragment}`;
      await copy(address, this.#hash);
    } catch (error) {
      this.#complain(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Copies a text, or shows it in a field if the browser does not let the page copy. */
async function copy(text: string, beside: HTMLElement): Promise<void> {
  const field: HTMLInputElement = h("input", {
    id: "tab-link",
    readonly: true,
    value: text,
    "aria-label": "Link to this run",
  });
  document.getElementById("tab-link")?.remove();
  beside.after(field);
  field.select();
  await navigator.clipboard.writeText(text).catch(() => {});
}
