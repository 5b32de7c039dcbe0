/**
 * A chart of scalars over steps or time.
 *
 * @module
 */

import uPlot from "uplot";
import type { Series } from "../data/series.ts";
import { h, setText } from "../element.ts";
import { numberText } from "../format.ts";
import { chartData, type TimeAxis } from "./chart_data.ts";
import { type ChartSpec, shortName } from "./chart_groups.ts";
import { keysOf } from "./chart_keys.ts";
import { plotOptions } from "./chart_style.ts";
import type { CursorPart, CursorStore } from "./cursor.ts";
import { valueTable } from "./value_table.ts";

/** Height of the plot in CSS pixels. */
const HEIGHT = 190;

/** Chart of scalars. Its size follows that of its element, and it draws only while it is visible. */
export class Chart {
  readonly root: HTMLElement;
  readonly #spec: ChartSpec;
  readonly #series: readonly Series[];
  readonly #labels: readonly string[];
  readonly #axis: TimeAxis;
  readonly #cursor: CursorStore;
  readonly #stage: HTMLElement;
  readonly #readings: readonly HTMLElement[];
  readonly #table: ReturnType<typeof valueTable>;
  readonly #ends: readonly (() => void)[];
  #plot: uPlot | undefined;
  #isVisible = false;
  #isDirty = true;
  #isFollowing = false;

  constructor(
    spec: ChartSpec,
    series: ReadonlyMap<string, Series>,
    axis: TimeAxis,
    cursor: CursorStore,
  ) {
    [this.#spec, this.#axis, this.#cursor] = [spec, axis, cursor];
    this.#series = spec.names.map((name) => series.get(name)!);
    this.#labels = spec.names.map((name) => shortName(name, spec));
    this.#readings = this.#labels.map(() => h("span.value"));
    this.#stage = h("div.plot", { tabindex: "0", role: "slider", "aria-label": spec.title });
    this.#table = valueTable(spec, this.#labels, this.#series, axis, cursor);
    this.root = h(
      "figure.chart",
      { "data-chart": spec.id },
      h("figcaption", {}, h("h3", {}, spec.title), this.#table.toggle),
      legend(this.#labels, this.#readings),
      this.#stage,
      this.#table.root,
    );
    keysOf(this.#stage, this.#series, cursor);
    this.#ends = [cursor.listen((part) => this.#moved(part)), ...this.#observe()];
    this.#read();
  }

  /** Draws the points again if the chart is visible, otherwise when it becomes so. */
  update(): void {
    this.#isDirty = true;
    if (this.#isVisible) this.#draw();
    else this.#read();
  }

  /** Draws everything in the colors of the current theme. */
  recolor(): void {
    this.#plot?.redraw(false, true);
  }

  close(): void {
    for (const end of this.#ends) end();
    this.#plot?.destroy();
  }

  #observe(): (() => void)[] {
    const sizes = new ResizeObserver(() => {
      if (this.#plot?.width !== Math.floor(this.#stage.clientWidth)) this.update();
    });
    const visibility = new IntersectionObserver((entries) => {
      this.#isVisible = entries.at(-1)!.isIntersecting;
      if (this.#isVisible && this.#isDirty) this.#draw();
    }, { rootMargin: "200px" });
    sizes.observe(this.#stage);
    visibility.observe(this.root);
    return [() => sizes.disconnect(), () => visibility.disconnect()];
  }

  #draw(): void {
    const width = Math.floor(this.#stage.clientWidth);
    if (width < 40) return;
    this.#isDirty = false;
    const { view } = this.#cursor.state, { perStep } = this.#axis;
    const isLog = this.#spec.scale === "log";
    const data = chartData(this.#series, { view, width, perStep, isLog });
    const size = { width, height: HEIGHT };
    if (this.#plot === undefined) {
      const options = plotOptions(
        this.#spec,
        this.#axis,
        this.#cursor,
        size,
        () => this.#isFollowing,
      );
      this.#plot = new uPlot(options, data, this.#stage);
    } else {
      if (this.#plot.width !== width) this.#plot.setSize(size);
      this.#plot.setData(data, false);
    }
    this.#plot.setScale("x", rangeOf(data[0], view, perStep));
    this.#read();
    this.#table.update();
  }

  #moved(part: CursorPart): void {
    if (part === "view") return this.update();
    if (!this.#isVisible) {
      this.#isDirty = true;
      return;
    }
    this.#read();
    if (part === "step") this.#follow();
    else this.#plot?.redraw(false, false);
  }

  /** Moves the cursor of this chart to that of the others. */
  #follow(): void {
    const plot = this.#plot, { step } = this.#cursor.state;
    if (plot === undefined) return;
    const left = step === undefined ? -10 : plot.valToPos(step * this.#axis.perStep, "x");
    if (Math.abs((plot.cursor.left ?? -10) - left) < 0.5) return;
    this.#isFollowing = true;
    plot.setCursor({ left, top: step === undefined ? -10 : 10 }, false);
    this.#isFollowing = false;
  }

  /** Shows the values at the cursor, or the last ones. */
  #read(): void {
    const { step, pinned } = this.#cursor.state, at = step ?? pinned;
    for (const [i, one] of this.#series.entries()) {
      const value = at === undefined ? one.last : one.values[one.nearest(at)];
      setText(this.#readings[i]!, numberText(value));
    }
    describe(this.#stage, this.#spec, this.#axis, this.#labels, this.#series, at);
  }
}

/** Lists the names of the series, each with its color and a value. */
function legend(labels: readonly string[], readings: readonly HTMLElement[]): HTMLElement {
  const items = labels.map((label, i) =>
    h("li", {}, h(`span.swatch.c${i % 6}`), h("span.series-name", {}, label), readings[i])
  );
  return h("ul.legend", {}, ...items);
}

function rangeOf(
  x: readonly number[],
  view: { readonly from: number; readonly to: number } | undefined,
  perStep: number,
): { min: number; max: number } {
  if (view !== undefined) return { min: view.from * perStep, max: view.to * perStep };
  const min = x[0] ?? 0, max = x.at(-1) ?? 1;
  return { min, max: max > min ? max : min + perStep };
}

/** Says where the cursor is, and the values there, to screen readers. */
function describe(
  stage: HTMLElement,
  { title }: ChartSpec,
  { unit, perStep }: TimeAxis,
  labels: readonly string[],
  series: readonly Series[],
  at: number | undefined,
): void {
  const first = Math.min(...series.map(({ steps }) => steps[0] ?? 0));
  const last = Math.max(...series.map(({ steps }) => steps.at(-1) ?? 0)), step = at ?? last;
  const values = series.map((one, i) =>
    `${labels[i]} ${numberText(one.values[one.nearest(step)])}`
  );
  const attributes = {
    "aria-label": `${title}, cursor`,
    "aria-valuemin": String(first),
    "aria-valuemax": String(last),
    "aria-valuenow": String(Math.max(first, Math.min(last, step))),
    "aria-valuetext": `${numberText(step * perStep)} ${unit}: ${values.join(", ")}`,
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (stage.getAttribute(name) !== value) stage.setAttribute(name, value);
  }
}
