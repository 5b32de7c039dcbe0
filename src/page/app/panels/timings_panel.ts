/**
 * Times of the parts of a step.
 *
 * @module
 */

import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import { countText, numberText } from "../format.ts";
import type { RunPanel } from "./run_panel.ts";

/** Table of the times from stage to stage, with bars. It is hidden unless the run is profiled. */
export class TimingsPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["timings"];
  readonly root: HTMLElement;
  readonly #note: HTMLElement;
  readonly #body: HTMLElement = h("tbody");

  constructor() {
    const { root, body, note } = panel("Step time by stage", "timings");
    this.root = root;
    this.#note = note;
    const heads = ["Stages", "ms", "Share"];
    body.append(h(
      "table.timings",
      {},
      h("caption.unseen", {}, "Mean time of the parts of a step"),
      h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))),
      this.#body,
    ));
    setShown(root, false);
  }

  update({ timings }: RunModel): void {
    setShown(this.root, timings.length > 0);
    // A part that runs in few steps counts by its share of all the time, not by its mean.
    const total = timings.reduce((sum, row) => sum + row.count * row.milliseconds, 0);
    const steps = Math.max(...timings.map(({ count }) => count));
    setText(this.#note, `${numberText(total / steps, 3)} ms per step`);
    this.#body.replaceChildren(...timings.map(({ from, to, count, milliseconds }) => {
      const share = total === 0 ? 0 : count * milliseconds / total, bar = h("span.bar");
      bar.style.width = `${100 * share}%`;
      const name = `${stageName(from)} → ${stageName(to)}`;
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, h("span.stages", {}, name), bar),
        h("td.number", { title: `${countText(count)} measurements` }, numberText(milliseconds, 3)),
        h("td.number", {}, `${(100 * share).toFixed(1)} %`),
      );
    }));
  }
}

/** Returns the name of a stage without its kind. */
function stageName(name: string): string {
  return name.replace(/^.*\//, "").toLowerCase().replaceAll("_", " ");
}
