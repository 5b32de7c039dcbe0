/**
 * View in which a run in the tab is put together.
 *
 * @module
 */

import type { PageView } from "../app/page_view.ts";
import { h } from "../app/element.ts";
import { DroppedFiles } from "./dropped_files.ts";
import { sha256 } from "./digest.ts";
import { OptionForm } from "./form.ts";
import { decodeLink, type LinkedRun } from "./link.ts";
import type { TabFile, TabOption, TabRequest, TabTask } from "./messages.ts";
import { TabSource } from "./tab_source.ts";

/** Actions of the view on the page around it. */
export interface TabActions {
  complain(message: string): void;
  /** Shows the run, which `start` begins. */
  show(source: TabSource, run: StartedRun): void;
}

/** A run that begins, and the link that it was read from. */
export interface StartedRun {
  readonly request: TabRequest;
  /** SHA-256 of the dropped potential. */
  readonly modelHash: string | undefined;
  /** Result that the link promises. */
  readonly expected: LinkedRun["result"];
}

const TASKS: Readonly<Record<TabTask, string>> = {
  "relax": "Relax structures",
  "md": "Molecular dynamics",
  "fine-tune": "Fine-tune a potential",
};

/** Starts the worker of this page. */
export function openTabSource(): TabSource {
  const address = new URL("tab_worker.js", document.baseURI);
  return new TabSource(new Worker(address, { type: "module", name: "hooke" }));
}

/** Form of a run in the tab. */
export class TabView implements PageView {
  readonly header: HTMLElement = h("h1", {}, "Run in this tab");
  readonly root: HTMLElement = h("section.tab");
  readonly #actions: TabActions;
  readonly #files: DroppedFiles;
  readonly #note: HTMLElement = h("p.note", { role: "status" }, "Loading …");
  readonly #body: HTMLElement = h("div.tab-options");
  readonly #start: HTMLButtonElement;
  #source: TabSource | undefined = openTabSource();
  #form: { readonly task: TabTask; readonly options: OptionForm } | undefined;
  #link: LinkedRun | undefined;

  /**
   * Makes the form.
   *
   * @param fragment link that fills in the form
   * @param before run whose files and options fill in the form otherwise
   */
  constructor(actions: TabActions, fragment?: string, before?: TabRequest) {
    this.#actions = actions;
    this.#files = new DroppedFiles(() => this.#update(), (text) => actions.complain(text));
    this.#start = h("button.primary", { type: "submit", disabled: true }, "Start");
    const form = h(
      "form",
      {
        onsubmit: async (event: Event) => {
          event.preventDefault();
          await this.#begin();
        },
      },
      this.#files.root,
      this.#body,
      h("div.toolbar", {}, this.#start, this.#note),
    );
    form.noValidate = true;
    this.root.append(
      form,
      h(
        "p.note",
        {},
        "Everything is computed in this browser. No file leaves it.",
      ),
    );
    document.title = "Run in this tab · Hooke";
    void this.#load(fragment, before);
  }

  close(): void {
    this.#source?.close();
  }

  async #load(fragment: string | undefined, before: TabRequest | undefined): Promise<void> {
    try {
      const options = await this.#source!.options;
      if (fragment !== undefined) await this.#read(fragment);
      else if (before !== undefined) {
        const { files, model, manifest } = before;
        this.#files.add([...files, ...[model ?? [], manifest ?? []].flat()]);
      }
      const given = this.#link ?? before;
      this.#choose(options, given?.task ?? "relax", given);
    } catch (error) {
      this.#actions.complain(error instanceof Error ? error.message : String(error));
    }
    this.#update();
  }

  /** Reads a link. A link that cannot be read leaves an empty form. */
  async #read(fragment: string): Promise<void> {
    try {
      const link = await decodeLink(fragment);
      this.#link = link;
      this.#files.add(link.files);
    } catch (error) {
      this.#actions.complain(error instanceof Error ? error.message : String(error));
    }
  }

  #choose(
    options: Readonly<Record<TabTask, readonly TabOption[]>>,
    task: TabTask,
    given: Pick<TabRequest, "task" | "settings"> | undefined,
  ): void {
    const form = new OptionForm(task, options[task], given?.task === task ? given.settings : {});
    this.#form = { task, options: form };
    const items = (Object.keys(TASKS) as TabTask[]).map((name) =>
      h("option", { value: name, selected: name === task }, TASKS[name])
    );
    const select: HTMLSelectElement = h("select", {
      id: "task",
      onchange: () => {
        this.#choose(options, select.value as TabTask, given);
        document.getElementById("task")?.focus();
      },
    }, ...items);
    this.#body.replaceChildren(
      h("div.field", {}, h("label", { for: "task" }, "Task"), select),
      form.root,
    );
    this.#update();
  }

  #update(): void {
    const { structures, model } = this.#files, wanted = this.#link?.model;
    const isTuning = this.#form?.task === "fine-tune";
    const missing = this.#form === undefined
      ? "Loading …"
      : structures.length === 0
      ? "Drop a file of structures first."
      : wanted !== undefined && model === undefined
      ? `The link needs the potential ${wanted.name}, which links do not hold: drop it, too.`
      : isTuning && model === undefined
      ? "Drop the potential (.onnx) to fine-tune, too."
      : undefined;
    this.#start.disabled = missing !== undefined;
    this.#note.textContent = missing ??
      (this.#link === undefined ? "" : "The link has filled in this form. Start repeats its run.");
  }

  async #begin(): Promise<void> {
    try {
      const run = await this.#started(), source = this.#source!;
      this.#source = undefined; // the view of the run closes it
      this.#actions.show(source, run);
    } catch (error) {
      this.#actions.complain(error instanceof Error ? error.message : String(error));
    }
  }

  async #started(): Promise<StartedRun> {
    const { task, options } = this.#form!, settings = options.read();
    const { structures, model, manifest } = this.#files, link = this.#link;
    const modelHash = model === undefined ? undefined : await sha256(model.bytes);
    if (link?.model !== undefined && modelHash !== link.model.sha256) {
      throw new RangeError(
        `Cannot repeat the run: the potential must be ${link.model.name} with the SHA-256 ${link.model.sha256}; ` +
          `got ${modelHash}`,
      );
    }
    const isSame = link !== undefined && isEqual(link.settings, settings) && link.task === task &&
      isEqual(link.files.map(contentOf), filesOf({ files: structures, manifest }).map(contentOf));
    const request: TabRequest = {
      task,
      settings,
      files: structures,
      ...model !== undefined && { model },
      ...manifest !== undefined && { manifest },
      ...isSame && link.moves !== undefined && { moves: link.moves },
    };
    return { request, modelHash, expected: isSame ? link.result : undefined };
  }
}

/** Returns the files of a run that its link holds: all but the potential. A potential means nothing without its manifest. */
export function filesOf(
  { files, manifest }: {
    readonly files: readonly TabFile[];
    readonly manifest?: TabFile | undefined;
  },
): readonly TabFile[] {
  return manifest === undefined ? files : [...files, manifest];
}

function contentOf(
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): unknown {
  return [name, bytes.toBase64()];
}

function isEqual(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown) =>
    JSON.stringify(
      value,
      (_key, one: unknown) =>
        typeof one === "object" && one !== null && !Array.isArray(one)
          ? Object.fromEntries(Object.entries(one).sort(([x], [y]) => x < y ? -1 : 1))
          : one,
    );
  return sorted(a) === sorted(b);
}
