/**
 * Values of a chart as a table.
 *
 * @module
 */

import type { Series } from "../data/series.ts";
import { h } from "../element.ts";
import { countText, numberText } from "../format.ts";
import type { TimeAxis } from "./chart_data.ts";
import type { ChartSpec } from "./chart_groups.ts";
import type { CursorStore } from "./cursor.ts";

/** Rows of a table. They are spread over the visible part. */
const ROWS = 50;

/** Makes the table of a chart, and the button that shows it. */
export function valueTable(
  { title, id }: ChartSpec,
  labels: readonly string[],
  series: readonly Series[],
  axis: TimeAxis,
  cursor: CursorStore,
): { readonly root: HTMLElement; readonly toggle: HTMLElement; update(): void } {
  const body = h("tbody"), name = `values-${id}`;
  const root = h(
    "div.value-table",
    { id: name, hidden: true, tabindex: "0", role: "region", "aria-label": `${title}, values` },
    h(
      "table",
      {},
      h("caption.unseen", {}, title),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...["step", axis.label, ...labels].map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      body,
    ),
  );
  const toggle = h("button.quiet", {
    type: "button",
    "aria-expanded": "false",
    "aria-controls": name,
    "aria-label": `${title} as a table`,
    onclick: () => {
      root.hidden = !root.hidden;
      toggle.setAttribute("aria-expanded", String(!root.hidden));
      update();
    },
  }, "Table");
  const update = () => {
    if (root.hidden) return;
    body.replaceChildren(
      ...spreadSteps(series, cursor).map((step) => {
        const cells = series.map((one) => numberText(one.values[one.nearest(step)]));
        return h(
          "tr",
          {},
          ...[countText(step), numberText(step * axis.perStep), ...cells].map((text) =>
            h("td", {}, text)
          ),
        );
      }),
    );
  };
  return { root, toggle, update };
}

/** Returns steps of the longest series, spread over the visible part. */
function spreadSteps(series: readonly Series[], cursor: CursorStore): number[] {
  const longest = series.reduce((a, b) => b.length > a.length ? b : a), { view } = cursor.state;
  const from = view === undefined ? 0 : longest.indexOf(view.from);
  const to = view === undefined ? longest.length : longest.indexOf(view.to);
  const count = Math.max(0, Math.min(ROWS, to - from));
  return Array.from(
    { length: count },
    (_, i) => longest.steps[from + Math.round(i * (to - from - 1) / Math.max(1, count - 1))]!,
  );
}
