/**
 * Scatter of the structures of a screening: energy per atom over steps or atoms.
 *
 * @module
 */

import uPlot from "uplot";
import type { StructureRow } from "../../protocol.ts";
import { energyPerAtom } from "../data/arranged.ts";
import { h, setText } from "../element.ts";
import { numberText } from "../format.ts";
import { onTheme } from "../theme.ts";
import { scatterOptions, themeColor } from "./chart_style.ts";

const HEIGHT = 240;
/** Distance to the pointer within which a point is chosen, in CSS pixels. */
const REACH = 12;

const COLOR_OF: Readonly<Record<StructureRow["status"], string>> = {
  "converged": "good",
  "not converged": "warn",
  "failed": "bad",
};

type Horizontal = "step" | "atoms";

/** Points of structures. A click opens the structure nearest to it. */
export class ScatterChart {
  readonly root: HTMLElement;
  readonly #stage: HTMLElement;
  readonly #reading: HTMLElement = h("p.note", {}, "Click a point to show its structure.");
  readonly #choice: HTMLSelectElement;
  readonly #observers: readonly (() => void)[];
  #plot: uPlot | undefined;
  #points: readonly { readonly row: StructureRow; readonly x: number; readonly y: number }[] = [];
  #rows: readonly StructureRow[] = [];
  #selected: StructureRow | undefined;

  constructor(open: (row: StructureRow) => void) {
    this.#choice = h(
      "select",
      { "aria-label": "Horizontal axis", onchange: () => this.show(this.#rows) },
      h("option", { value: "step" }, "over steps"),
      h("option", { value: "atoms" }, "over atoms"),
    );
    this.#stage = h("div.plot", { role: "img", "aria-label": "Energy per atom of structures" });
    this.root = h(
      "figure.chart",
      { "data-chart": "scatter" },
      h("figcaption", {}, h("h3", {}, "Energy, eV/atom"), this.#choice),
      this.#reading,
      this.#stage,
    );
    this.#stage.addEventListener("click", () => {
      const near = this.#near();
      if (near !== undefined) open(near);
    });
    const sizes = new ResizeObserver(() => this.#draw());
    sizes.observe(this.#stage);
    this.#observers = [
      () => sizes.disconnect(),
      onTheme(() => this.#plot?.redraw(false, true)),
    ];
  }

  /** Shows structures. Those without an energy are left out. */
  show(rows: readonly StructureRow[]): void {
    this.#rows = rows;
    const horizontal = this.#choice.value as Horizontal;
    this.#points = rows.flatMap((row) => {
      const x = row[horizontal], y = energyPerAtom(row);
      return x === undefined || y === undefined || !Number.isFinite(y) ? [] : [{ row, x, y }];
    }).sort((a, b) => a.x - b.x);
    this.#stage.setAttribute("aria-label", this.#spoken(horizontal));
    this.root.hidden = this.#points.length === 0;
    this.#draw();
  }

  /** Marks a structure. */
  select(row: StructureRow): void {
    this.#selected = row;
    this.#plot?.redraw(false, false);
  }

  close(): void {
    for (const end of this.#observers) end();
    this.#plot?.destroy();
  }

  #draw(): void {
    const width = Math.floor(this.#stage.clientWidth);
    if (width < 40 || this.#points.length === 0) return;
    const data: uPlot.AlignedData = [
      this.#points.map(({ x }) => x),
      this.#points.map(({ y }) => y),
    ];
    const label = this.#choice.value === "step" ? "steps" : "atoms";
    if (this.#plot !== undefined && this.#plot.axes[0]!.label !== label) {
      this.#plot.destroy();
      this.#plot = undefined;
    }
    if (this.#plot === undefined) {
      const options = scatterOptions(label, { width, height: HEIGHT }, {
        draw: (plot) => this.#paint(plot),
        move: () => this.#tell(),
      });
      this.#plot = new uPlot(options, data, this.#stage);
    } else {
      if (this.#plot.width !== width) this.#plot.setSize({ width, height: HEIGHT });
      this.#plot.setData(data);
    }
  }

  #paint({ ctx, valToPos }: uPlot): void {
    ctx.save();
    for (const status of ["converged", "not converged", "failed"] as const) {
      ctx.fillStyle = themeColor(COLOR_OF[status]);
      ctx.globalAlpha = 0.75;
      ctx.beginPath();
      for (const { row, x, y } of this.#points) {
        if (row.status !== status) continue;
        const left = valToPos(x, "x", true), top = valToPos(y, "y", true);
        ctx.moveTo(left, top);
        ctx.arc(left, top, 3 * devicePixelRatio, 0, 7);
      }
      ctx.fill();
    }
    const chosen = this.#points.find(({ row }) => row === this.#selected);
    if (chosen !== undefined) {
      ctx.globalAlpha = 1;
      ctx.strokeStyle = themeColor("ink");
      ctx.lineWidth = 2 * devicePixelRatio;
      ctx.beginPath();
      ctx.arc(
        valToPos(chosen.x, "x", true),
        valToPos(chosen.y, "y", true),
        6 * devicePixelRatio,
        0,
        7,
      );
      ctx.stroke();
    }
    ctx.restore();
  }

  /** Returns the structure nearest to the pointer. */
  #near(): StructureRow | undefined {
    const plot = this.#plot, { left = -1, top = -1 } = plot?.cursor ?? {};
    if (plot === undefined || left < 0) return undefined;
    let nearest: StructureRow | undefined, distance = REACH;
    for (const { row, x, y } of this.#points) {
      const own = Math.hypot(plot.valToPos(x, "x") - left, plot.valToPos(y, "y") - top);
      if (own < distance) [nearest, distance] = [row, own];
    }
    return nearest;
  }

  #tell(): void {
    const near = this.#near();
    setText(
      this.#reading,
      near === undefined
        ? "Click a point to show its structure."
        : `${near.name}: ${numberText(energyPerAtom(near))} eV/atom, ${near.status}`,
    );
  }

  #spoken(horizontal: Horizontal): string {
    const values = this.#points.map(({ y }) => y);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    return `Energy per atom over ${
      horizontal === "step" ? "steps" : "atoms"
    } of ${values.length} structures, between ${numberText(low)} and ${
      numberText(high)
    } eV. The table below has all values.`;
  }
}
