/**
 * Warnings of a run.
 *
 * @module
 */

import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import { countText } from "../format.ts";
import type { RunPanel } from "./run_panel.ts";

/** List of warnings. It is hidden as long as there are none. */
export class WarningsPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["warning"];
  readonly root: HTMLElement;
  readonly #note: HTMLElement;
  readonly #list: HTMLElement = h("ul.warnings");

  constructor() {
    const { root, body, note } = panel("Warnings", "warnings");
    this.root = root;
    this.#note = note;
    root.classList.add("has-warnings");
    body.append(this.#list);
    setShown(root, false);
  }

  update({ warnings }: RunModel): void {
    setShown(this.root, warnings.size > 0);
    setText(this.#note, String(warnings.size));
    this.#list.replaceChildren(...[...warnings.values()].map(({ message, step, count }) => {
      const place = [
        ...(step === undefined ? [] : [`step ${countText(step)}`]),
        ...(count === 1 ? [] : [`${count} times`]),
      ];
      return h(
        "li",
        {},
        message,
        place.length === 0 ? undefined : h("span.note", {}, ` (${place.join(", ")})`),
      );
    }));
  }
}
