/**
 * The picture with what lies above it: overlay, legend, description and errors.
 *
 * @module
 */

import { show } from "../../../base/show.ts";
import type { ViewerFrame } from "../../protocol.ts";
import { type AtomView, openAtomView } from "../atom_view.ts";
import { html, svg } from "./dom.ts";
import { attachInput, type InputActions } from "./input.ts";
import { legendOf } from "./legend.ts";
import type { RendererChoice } from "../open_renderer.ts";
import { drawOverlay } from "./overlay.ts";
import type { PickedAtom } from "../picking.ts";
import { selectionText } from "./summary.ts";
import { colorsOn, onThemeChange } from "../theme.ts";

/** Largest number of atoms that are selected at once: those of a dihedral angle. */
const MOST_SELECTED = 4;

/** Parts of input that the element decides. */
export type StageActions =
  & Pick<InputActions, "canDrag" | "drag" | "togglePlay" | "go">
  & {
    /** Atoms were selected. */
    selected(): void;
  };

/** The stage: a canvas and the elements above it. */
export class Stage {
  /** Element with everything. */
  readonly element: HTMLElement;
  readonly #canvas: HTMLCanvasElement = html("canvas", {
    role: "img",
    tabindex: "0",
    "aria-label": "Structure, loading",
  });
  readonly #overlay: SVGSVGElement = svg("svg", { class: "overlay", "aria-hidden": "true" });
  readonly #legend: HTMLElement = html("div", { class: "legend" });
  readonly #caption: HTMLElement = html("div", { class: "caption" });
  readonly #selection: HTMLElement = html("div", { class: "selection", role: "status" });
  readonly #error: HTMLElement = html("p", { class: "error", role: "alert" });
  readonly #closing: AbortController = new AbortController();
  /** True if the directions of the axes are drawn. */
  showsAxes = true;
  #view: AtomView | undefined;

  constructor() {
    this.element = html(
      "div",
      { class: "stage" },
      this.#canvas,
      this.#overlay,
      this.#caption,
      this.#legend,
      this.#selection,
      this.#error,
    );
    this.fail(undefined);
  }

  /** The view; undefined before it is open. */
  get view(): AtomView | undefined {
    return this.#view;
  }

  /**
   * Opens the view. The element must be in the page.
   *
   * @throws {Error} if the browser has no way to draw
   */
  async open(renderer: RendererChoice, actions: StageActions): Promise<AtomView> {
    const { signal } = this.#closing;
    const view = await openAtomView(this.#canvas, {
      renderer,
      colors: colorsOn(this.element),
      onDraw: () => this.#view && drawOverlay(this.#overlay, this.#view, this.showsAxes),
      onLost: (error) => this.fail(error),
    });
    if (signal.aborted) view.close();
    this.#view = view;
    attachInput(view, {
      ...actions,
      pick: (atom) => this.#select(view, chain(view.selection, atom), actions),
      selectNext: (by) => this.#select(view, neighbor(view, by), actions),
    }, signal);
    onThemeChange(() => view.setColors(colorsOn(this.element)), signal);
    return view;
  }

  /** Shows a frame with its description. */
  show(frame: ViewerFrame, summary: string): void {
    this.#view!.show(frame);
    this.#canvas.setAttribute("aria-label", summary);
    this.#caption.textContent = summary;
    this.refresh();
  }

  /** Updates the legend and the description of the selected atoms. */
  refresh(): void {
    const view = this.#view, frame = view?.frame;
    if (view === undefined || frame === undefined) return;
    this.#legend.replaceChildren(...legendOf(frame, view.scale));
    const text = selectionText(view);
    if (this.#selection.textContent !== text) this.#selection.textContent = text;
    this.#selection.hidden = text === "";
  }

  /** Shows an error in place of the picture, or removes it. */
  fail(error: unknown): void {
    this.#error.hidden = error === undefined;
    this.#error.textContent = error === undefined
      ? ""
      : error instanceof Error
      ? error.message
      : show(error);
  }

  /** Releases the device, and stops listening. */
  close(): void {
    this.#closing.abort();
    this.#view?.close();
  }

  #select(view: AtomView, selection: readonly PickedAtom[], actions: StageActions): void {
    view.select(selection);
    this.refresh();
    actions.selected();
  }
}

/** Returns the selection after a click on an atom: it grows up to four atoms, and a second click removes an atom. */
function chain(before: readonly PickedAtom[], atom: PickedAtom | undefined): readonly PickedAtom[] {
  if (atom === undefined) return [];
  const isSame = (other: PickedAtom) => other.atom === atom.atom && other.image === atom.image;
  if (before.some(isSame)) return before.filter((other) => !isSame(other));
  return before.length === MOST_SELECTED ? [atom] : [...before, atom];
}

function neighbor(view: AtomView, by: number): readonly PickedAtom[] {
  const count = view.frame?.numbers.length ?? 0, last = view.selection.at(-1);
  if (count === 0) return [];
  const atom = last === undefined ? (by > 0 ? 0 : count - 1) : (last.atom + by + count) % count;
  return [view.atomAt(atom)];
}
