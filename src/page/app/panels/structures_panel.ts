/**
 * Structures of a screening: a table that can be sorted and filtered, and a scatter of their energies.
 *
 * @module
 */

import type { StructureRow } from "../../protocol.ts";
import { ScatterChart } from "../charts/scatter.ts";
import { arranged, type Column, COLUMNS, type Order } from "../data/arranged.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, setShown, setText } from "../element.ts";
import { countText } from "../format.ts";
import type { RunActions, RunPanel } from "./run_panel.ts";
import { VirtualRows } from "./virtual_rows.ts";

/** Structures of a screening. A click opens one in the viewer. */
export class StructuresPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["structures", "info"];
  readonly root: HTMLElement;
  readonly #actions: RunActions;
  readonly #count: HTMLElement = h("p.note", { role: "status" });
  readonly #empty: HTMLElement = h("p.empty", {}, "No structure has finished yet.");
  readonly #content: HTMLElement;
  readonly #rows: VirtualRows<StructureRow>;
  readonly #scatter: ScatterChart;
  readonly #heads: readonly HTMLElement[];
  readonly #search: HTMLInputElement;
  readonly #status: HTMLSelectElement;
  #all: readonly StructureRow[] = [];
  #order: Order = { column: "name", isDescending: false };
  #selected: StructureRow | undefined;

  constructor(actions: RunActions) {
    this.#actions = actions;
    this.#search = h("input", {
      type: "search",
      placeholder: "Filter by name or reason",
      "aria-label": "Filter the structures",
      oninput: () => this.#arrange(),
    });
    this.#status = h(
      "select",
      { "aria-label": "Status of the structures", onchange: () => this.#arrange() },
      ...["all", "converged", "not converged", "failed"].map((value) =>
        h("option", { value }, value === "all" ? "Any status" : value)
      ),
    );
    this.#heads = COLUMNS.map((column) => this.#head(column));
    this.#rows = new VirtualRows(cellsOf, (row) => this.#open(row));
    const table = h(
      "div.virtual-table",
      { role: "table", "aria-label": "Structures", "aria-colcount": String(COLUMNS.length) },
      h(
        "div.virtual-head",
        { role: "rowgroup" },
        h("div.virtual-row", { role: "row" }, ...this.#heads),
      ),
      this.#rows.root,
    );
    this.#scatter = new ScatterChart((row) => this.#open(row));
    this.#content = h(
      "div",
      {},
      this.#scatter.root,
      h("div.toolbar", {}, this.#search, this.#status, this.#count),
      table,
    );
    this.root = h("section.structures", { "aria-label": "Structures" }, this.#empty, this.#content);
    setShown(this.root, false);
  }

  update({ structures, run }: RunModel): void {
    setShown(this.root, run?.kind === "screen" || structures.size > 0);
    setShown(this.#empty, structures.size === 0);
    setShown(this.#content, structures.size > 0);
    this.#all = [...structures.values()];
    this.#arrange();
    this.#scatter.show(this.#all);
  }

  close(): void {
    this.#scatter.close();
    this.#rows.close();
  }

  #head(column: Column): HTMLElement {
    const { id, label, isNumber } = column;
    const button = h("button.quiet", {
      type: "button",
      onclick: () => {
        const isDescending = this.#order.column === id && !this.#order.isDescending;
        this.#order = { column: id, isDescending };
        this.#arrange();
      },
    }, label);
    return h(`div.cell${isNumber ? ".number" : ""}`, { role: "columnheader" }, button);
  }

  #arrange(): void {
    const shown = arranged(this.#all, this.#order, {
      text: this.#search.value,
      status: this.#status.value,
    });
    for (const [i, { id }] of COLUMNS.entries()) {
      const { column, isDescending } = this.#order;
      const sorted = column !== id ? "none" : isDescending ? "descending" : "ascending";
      this.#heads[i]!.setAttribute("aria-sort", sorted);
    }
    const all = countText(this.#all.length);
    setText(
      this.#count,
      shown.length === this.#all.length
        ? `${all} structures`
        : `${countText(shown.length)} of ${all} structures`,
    );
    this.#rows.show(shown, this.#selected);
  }

  #open(row: StructureRow): void {
    this.#selected = row;
    this.#rows.select(row);
    this.#scatter.select(row);
    if (row.frame === undefined) {
      this.#actions.complain(`There is no structure of ${row.name}: ${row.reason ?? row.status}`);
    } else this.#actions.showFrame(row.frame);
  }
}

function cellsOf(row: StructureRow): HTMLElement[] {
  return COLUMNS.map(({ id, text, isNumber }) => {
    const content = text(row);
    const cell = h(`div.cell${isNumber ? ".number" : ""}`, { role: "cell" }, content);
    if (id === "status") cell.dataset.status = row.status;
    cell.title = id === "name" && row.reason !== undefined ? `${content}: ${row.reason}` : content;
    return cell;
  });
}
