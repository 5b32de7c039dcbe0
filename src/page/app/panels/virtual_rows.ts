/**
 * Rows of a long table, of which only the visible ones are in the page.
 *
 * @module
 */

import { h } from "../element.ts";

/** Height of a row in CSS pixels, as in the style sheet. */
const HEIGHT = 30;
/** Rows above and below the visible ones. */
const MARGIN = 8;

/** Rows of a table that scrolls. Arrow keys move between rows, and Enter opens one. */
export class VirtualRows<Row extends object> {
  readonly root: HTMLElement;
  readonly #space: HTMLElement = h("div.virtual-space");
  readonly #cells: (row: Row) => HTMLElement[];
  readonly #open: (row: Row) => void;
  readonly #sizes: ResizeObserver;
  #rows: readonly Row[] = [];
  #selected: Row | undefined;

  constructor(cells: (row: Row) => HTMLElement[], open: (row: Row) => void) {
    this.#cells = cells;
    this.#open = open;
    this.root = h(
      "div.virtual-body",
      { role: "rowgroup", tabindex: "0", "aria-label": "Structures: arrow keys select one" },
      this.#space,
    );
    this.root.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.#space.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-index]");
      const found = row === null ? undefined : this.#rows[Number(row.dataset.index)];
      if (found !== undefined) this.#open(found);
    });
    this.#sizes = new ResizeObserver(() => this.#draw());
    this.#sizes.observe(this.root);
  }

  /** Shows other rows. */
  show(rows: readonly Row[], selected: Row | undefined): void {
    this.#rows = rows;
    this.#selected = selected;
    this.root.parentElement?.setAttribute("aria-rowcount", String(rows.length + 1));
    this.#space.style.height = `${rows.length * HEIGHT}px`;
    this.#draw();
  }

  /** Marks a row, and scrolls to it. */
  select(row: Row): void {
    this.#selected = row;
    const index = this.#rows.indexOf(row);
    if (index >= 0) {
      const top = index * HEIGHT, { scrollTop, clientHeight } = this.root;
      if (top < scrollTop) this.root.scrollTop = top;
      else if (top + HEIGHT > scrollTop + clientHeight) {
        this.root.scrollTop = top + HEIGHT - clientHeight;
      }
    }
    this.#draw();
  }

  close(): void {
    this.#sizes.disconnect();
  }

  #key(event: KeyboardEvent): void {
    const index = this.#selected === undefined ? -1 : this.#rows.indexOf(this.#selected);
    const page = Math.max(1, Math.floor(this.root.clientHeight / HEIGHT) - 1);
    const last = this.#rows.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined || last < 0) return;
    event.preventDefault();
    this.#open(this.#rows[Math.max(0, Math.min(last, target))]!);
  }

  #draw(): void {
    const first = Math.max(0, Math.floor(this.root.scrollTop / HEIGHT) - MARGIN);
    const count = Math.ceil(this.root.clientHeight / HEIGHT) + 2 * MARGIN;
    const shown = this.#rows.slice(first, first + count);
    this.#space.replaceChildren(...shown.map((row, i) => {
      const element = h("div.virtual-row", {
        role: "row",
        "data-index": String(first + i),
        "aria-rowindex": String(first + i + 2),
        "aria-selected": row === this.#selected ? "true" : undefined,
      }, ...this.#cells(row));
      element.style.transform = `translateY(${(first + i) * HEIGHT}px)`;
      return element;
    }));
  }
}
