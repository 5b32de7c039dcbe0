/**
 * Charts of the scalars of a run.
 *
 * @module
 */

import { Chart } from "./chart.ts";
import type { TimeAxis } from "./chart_data.ts";
import { chartGroups, type ChartSpec } from "./chart_groups.ts";
import type { CursorStore } from "./cursor.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, setShown, setText } from "../element.ts";
import { countText, numberText } from "../format.ts";
import type { RunPanel } from "../panels/run_panel.ts";
import { onTheme } from "../theme.ts";

/** Charts of a run, with further ones after them. They share the visible part and the cursor. */
export class ChartsPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["scalars", "info", "curve"];
  readonly root: HTMLElement;
  readonly #grid: HTMLElement = h("div.flat");
  readonly #empty: HTMLElement = h("p.empty", {}, "The run has not written any scalars yet.");
  readonly #where: HTMLElement = h("p.note.where");
  readonly #reset: HTMLButtonElement;
  readonly #stopListening: readonly (() => void)[];
  readonly #cursor: CursorStore;
  #charts: readonly Chart[] = [];
  #key = "";

  constructor(cursor: CursorStore, more: HTMLElement) {
    this.#cursor = cursor;
    this.#reset = h("button.quiet", {
      type: "button",
      onclick: () => cursor.set("view", undefined),
    }, "Show all steps");
    this.root = h(
      "section.charts-panel",
      { "aria-label": "Charts" },
      h("div.toolbar", {}, this.#where, this.#reset),
      this.#empty,
      h("div.charts", {}, this.#grid, more),
    );
    setShown(this.#reset, false);
    this.#stopListening = [
      onTheme(() => this.#charts.forEach((chart) => chart.recolor())),
      cursor.listen((part) => {
        if (part === "view") setShown(this.#reset, cursor.state.view !== undefined);
        this.#tell();
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stopListening) stop();
    for (const chart of this.#charts) chart.close();
  }

  update(model: RunModel, changed: ReadonlySet<ModelPart>): void {
    if (changed.has("reset")) this.#key = "";
    const axis = axisOf(model), specs = chartGroups(model.series);
    const key = JSON.stringify([axis, specs]);
    if (key !== this.#key) this.#rebuild(specs, model, axis);
    else if (changed.has("scalars")) { for (const chart of this.#charts) chart.update(); }
    this.#key = key;
    this.#axis = axis;
    // Screenings have a table instead, and may never write scalars.
    const hasCharts = specs.length > 0 || model.curves.size > 0;
    setShown(this.root, model.run?.kind !== "screen" || hasCharts);
    setText(this.#empty, emptyText(model));
    setShown(this.#empty, specs.length === 0);
    this.#tell();
  }

  #axis: TimeAxis = { label: "step", unit: "steps", perStep: 1 };

  #rebuild(specs: readonly ChartSpec[], model: RunModel, axis: TimeAxis): void {
    for (const chart of this.#charts) chart.close();
    this.#charts = specs.map((spec) => new Chart(spec, model.series, axis, this.#cursor));
    this.#grid.replaceChildren(...this.#charts.map(({ root }) => root));
  }

  /** Says where the cursor is. */
  #tell(): void {
    const { step, pinned } = this.#cursor.state, at = step ?? pinned;
    if (this.#charts.length === 0) return setText(this.#where, "");
    if (at === undefined) {
      return setText(this.#where, "Drag to zoom. Click to show the structure of that step.");
    }
    const { unit, perStep } = this.#axis;
    const time = perStep === 1 ? "" : ` (${numberText(at * perStep, 5)} ${unit})`;
    setText(this.#where, `Step ${countText(at)}${time}`);
  }
}

/** Returns the axis of a run: time in ps for dynamics, steps otherwise. */
export function axisOf({ run }: RunModel): TimeAxis {
  return run?.dt === undefined || run.dt <= 0
    ? { label: "step", unit: "steps", perStep: 1 }
    : { label: "time, ps", unit: "ps", perStep: run.dt / 1000 };
}

function emptyText({ run, series }: RunModel): string {
  if (series.size > 0) return "The charts appear once there are two points.";
  const isOver = run !== undefined && run.state !== "running" && run.state !== "paused";
  return isOver ? "The run has written no scalars." : "The run has not written any scalars yet.";
}
