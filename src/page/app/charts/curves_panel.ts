/**
 * Curves that form during a run, such as radial distribution functions.
 *
 * @module
 */

import uPlot from "uplot";
import type { Curve, ModelPart, RunModel } from "../data/run_model.ts";
import { h, setText } from "../element.ts";
import { numberText } from "../format.ts";
import type { RunPanel } from "../panels/run_panel.ts";
import { onTheme } from "../theme.ts";
import { curveOptions } from "./chart_style.ts";

interface CurveChart {
  readonly root: HTMLElement;
  show(curve: Curve): void;
  redraw(): void;
  close(): void;
}

/** Curves of a run, one chart each. */
export class CurvesPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["curve"];
  readonly root: HTMLElement = h("div.flat");
  readonly #charts = new Map<string, CurveChart>();
  readonly #stopListening: () => void;

  constructor() {
    this.#stopListening = onTheme(() => this.#charts.forEach((chart) => chart.redraw()));
  }

  update({ curves }: RunModel): void {
    for (const [name, chart] of this.#charts) {
      if (curves.has(name)) continue;
      chart.close();
      chart.root.remove();
      this.#charts.delete(name);
    }
    for (const [name, curve] of curves) {
      let chart = this.#charts.get(name);
      if (chart === undefined) {
        this.#charts.set(name, chart = makeCurveChart(curve));
        this.root.append(chart.root);
      }
      chart.show(curve);
    }
  }

  close(): void {
    this.#stopListening();
    for (const chart of this.#charts.values()) chart.close();
  }
}

function makeCurveChart(first: Curve): CurveChart {
  const reading = h("p.note"), stage = h("div.plot", { role: "img" });
  const root = h(
    "figure.chart",
    { "data-chart": first.name },
    h("figcaption", {}, h("h3", {}, first.name), reading),
    stage,
  );
  let plot: uPlot | undefined, last = first;
  const read = () => {
    const index = plot?.cursor.idx, { x, y } = last;
    setText(
      reading,
      typeof index === "number"
        ? `${x.label} ${numberText(x.values[index], 4)}: ${numberText(y.values[index], 4)}`
        : y.label,
    );
  };
  const draw = () => {
    const width = Math.floor(stage.clientWidth);
    if (width < 40) return;
    const data: uPlot.AlignedData = [[...last.x.values], [...last.y.values]];
    if (plot === undefined) {
      plot = new uPlot(curveOptions(last.x.label, { width, height: 190 }, read), data, stage);
    } else {
      if (plot.width !== width) plot.setSize({ width, height: 190 });
      plot.setData(data);
    }
    read();
    stage.setAttribute("aria-label", spoken(last));
  };
  const sizes = new ResizeObserver(() => plot?.width === Math.floor(stage.clientWidth) || draw());
  sizes.observe(stage);
  return {
    root,
    show(curve) {
      last = curve;
      draw();
    },
    redraw: () => plot?.redraw(false, true),
    close() {
      sizes.disconnect();
      plot?.destroy();
    },
  };
}

/** Describes a curve for screen readers: its largest value, and where it is. */
function spoken({ name, x, y }: Curve): string {
  let top = -1;
  for (const [i, value] of y.values.entries()) {
    if (value !== null && (top < 0 || value > y.values[top]!)) top = i;
  }
  if (top < 0) return `${name} without values`;
  return `${name}: ${y.label} over ${x.label}, largest ${numberText(y.values[top], 4)} at ${
    numberText(x.values[top], 4)
  }`;
}
