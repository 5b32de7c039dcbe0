/**
 * Files of a run to download, the report first.
 *
 * @module
 */

import type { RunInfo } from "../../protocol.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import { bytesText } from "../format.ts";
import type { RunActions, RunPanel } from "./run_panel.ts";

type FileRow = RunInfo["files"][number];

/** List of files. */
export class FilesPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["info"];
  readonly root: HTMLElement;
  readonly #actions: RunActions;
  readonly #note: HTMLElement;
  readonly #list: HTMLElement = h("ul.files");
  readonly #empty: HTMLElement = h("p.empty", {}, "The run has not written any files yet.");
  #shown = "";

  constructor(actions: RunActions) {
    this.#actions = actions;
    const { root, body, note } = panel("Files", "files");
    this.root = root;
    this.#note = note;
    body.append(this.#empty, this.#list);
  }

  update({ run }: RunModel): void {
    const files = (run?.files ?? []).toSorted((a, b) => rank(a) - rank(b));
    setShown(this.#empty, files.length === 0);
    setText(this.#note, files.length === 0 ? "" : String(files.length));
    const shown = JSON.stringify(files);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const focused = document.activeElement?.getAttribute("data-path");
    this.#list.replaceChildren(...files.map((file) => this.#item(file)));
    if (focused) {
      for (const button of this.#list.querySelectorAll("button")) {
        if (button.dataset.path === focused) button.focus();
      }
    }
  }

  #item({ path, bytes }: FileRow): HTMLElement {
    const button = h("button.link", {
      type: "button",
      "data-path": path,
      onclick: async () => {
        button.disabled = true;
        try {
          save(await this.#actions.source.file(path), path);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          this.#actions.complain(`Cannot download ${path}: ${reason}`);
        } finally {
          button.disabled = false;
        }
      },
    }, path);
    const size = bytes === undefined ? undefined : h("span.note", {}, bytesText(bytes));
    return h("li", {}, button, size);
  }
}

/** The report comes first, then files of the folder itself, then those of its folders. */
function rank({ path }: FileRow): number {
  return path === "report.html" ? 0 : path.split("/").length;
}

/** Lets the browser save a file under the last part of its path. */
export function save(content: Blob, path: string): void {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: path.split("/").at(-1)! }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
