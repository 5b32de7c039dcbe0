/**
 * Mouse, touch and keyboard.
 *
 * @module
 */

import type { AtomView } from "../atom_view.ts";
import { orbited, panned, rolled, rowsInModel, zoomed } from "../camera.ts";
import { directionsOf } from "./overlay.ts";
import type { PickedAtom } from "../picking.ts";
import { plus, type Vector } from "../vector.ts";

/** Actions of input besides moving the camera. */
export interface InputActions {
  /** True if atoms can be dragged. */
  canDrag(): boolean;
  /** An atom is moved by a vector, Å; `isDone` is true once it is let go. */
  drag(atom: PickedAtom, by: Vector, isDone: boolean): void;
  /** A place was clicked, with an atom or without one. */
  pick(atom: PickedAtom | undefined): void;
  /** Moves the selection of a single atom, forwards or backwards. */
  selectNext(by: number): void;
  togglePlay(): void;
  /** Goes to another frame: relative to the current one, or to the first or last one. */
  go(to: { readonly by: number } | "first" | "last"): void;
}

/** Movement of the pointer, above which it is a drag and not a click, pixels. */
const CLICK = 4;

/** State of one pointer. */
interface Pointer {
  x: number;
  y: number;
  /** Distance that it moved so far, pixels. */
  moved: number;
  /** Atom that it drags. */
  readonly atom: PickedAtom | undefined;
}

/** Listens to mouse, touch and keyboard until the signal aborts. */
export function attachInput(view: AtomView, actions: InputActions, signal: AbortSignal): void {
  const { canvas } = view, pointers = new Map<number, Pointer>();
  const ratio = () => canvas.width / Math.max(1, canvas.clientWidth);
  const placeOf = (event: PointerEvent | WheelEvent): readonly [number, number] => {
    const { left, top } = canvas.getBoundingClientRect();
    return [(event.clientX - left) * ratio(), (event.clientY - top) * ratio()];
  };
  const listen = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    heard: (event: HTMLElementEventMap[Name]) => void,
  ) => canvas.addEventListener(name, heard, { signal, passive: false });

  listen("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = placeOf(event);
    const isFree = actions.canDrag() && event.button === 0 && pointers.size === 0;
    const atom = isFree ? view.pick([x, y]) : undefined;
    pointers.set(event.pointerId, { x, y, moved: 0, atom });
  });
  listen("pointermove", (event) => {
    const pointer = pointers.get(event.pointerId);
    if (pointer === undefined) return;
    const [x, y] = placeOf(event), dx = x - pointer.x, dy = y - pointer.y;
    pointer.moved += Math.hypot(dx, dy);
    const other = [...pointers.values()].find((each) => each !== pointer);
    if (other !== undefined) pinch(view, pointer, other, [x, y]);
    else if (pointer.atom !== undefined) dragAtom(view, actions, pointer, dx, dy);
    else if (pointer.moved > CLICK) {
      const pans = event.shiftKey || event.ctrlKey || (event.buttons & 6) !== 0;
      view.camera = (pans ? panned : orbited)(view.camera, dx, dy, view.size);
    }
    pointer.x = x;
    pointer.y = y;
  });
  const end = (event: PointerEvent, isClick: boolean) => {
    const pointer = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (pointer === undefined) return;
    if (pointer.moved > CLICK * ratio()) {
      if (pointer.atom !== undefined) actions.drag(pointer.atom, [0, 0, 0], true);
    } else if (isClick && event.button === 0) actions.pick(view.pick([pointer.x, pointer.y]));
  };
  listen("pointerup", (event) => end(event, true));
  listen("pointercancel", (event) => end(event, false));
  listen("contextmenu", (event) => event.preventDefault());
  listen("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    view.camera = zoomed(
      view.camera,
      Math.exp(-event.deltaY * lines / 500),
      placeOf(event),
      view.size,
    );
  });
  listen("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    if (pressed(view, actions, event.key, event.shiftKey)) event.preventDefault();
  });
}

/** Two fingers move, zoom and turn the picture. */
function pinch(
  view: AtomView,
  from: Pick<Pointer, "x" | "y">,
  other: Pick<Pointer, "x" | "y">,
  [x, y]: readonly [number, number],
): void {
  const [ax, ay] = [from.x - other.x, from.y - other.y], [bx, by] = [x - other.x, y - other.y];
  const factor = Math.hypot(bx, by) / Math.max(1, Math.hypot(ax, ay));
  const middle = [(x + other.x) / 2, (y + other.y) / 2] as const;
  const turned = Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  const moved = panned(view.camera, (x - from.x) / 2, (y - from.y) / 2, view.size);
  view.camera = zoomed(rolled(moved, -turned), Math.max(0.2, factor), middle, view.size);
}

function dragAtom(
  view: AtomView,
  actions: InputActions,
  pointer: Pointer,
  dx: number,
  dy: number,
): void {
  const [right, up] = rowsInModel(view.camera, view.size);
  actions.drag(pointer.atom!, plus(plus([0, 0, 0], right, dx), up, -dy), false);
}

/** Carries out a key. Returns whether it has a meaning. */
function pressed(view: AtomView, actions: InputActions, key: string, isShifted: boolean): boolean {
  const { width, height } = view.size, step = Math.min(width, height) / 18;
  const arrows: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [-step, 0],
    ArrowRight: [step, 0],
    ArrowUp: [0, -step],
    ArrowDown: [0, step],
  };
  const arrow = Object.hasOwn(arrows, key) ? arrows[key] : undefined;
  if (arrow !== undefined) {
    view.camera = (isShifted ? panned : orbited)(view.camera, ...arrow, view.size);
    return true;
  }
  const zoom = (factor: number) => {
    view.camera = zoomed(view.camera, factor, [width / 2, height / 2], view.size);
  };
  const keys: Readonly<Record<string, () => void>> = {
    "+": () => zoom(1.2),
    "=": () => zoom(1.2),
    "-": () => zoom(1 / 1.2),
    "_": () => zoom(1 / 1.2),
    "0": () => view.reset(),
    "1": () => lookAlongAxis(view, 0),
    "2": () => lookAlongAxis(view, 1),
    "3": () => lookAlongAxis(view, 2),
    " ": () => actions.togglePlay(),
    ".": () => actions.go({ by: 1 }),
    ",": () => actions.go({ by: -1 }),
    Home: () => actions.go("first"),
    End: () => actions.go("last"),
    "]": () => actions.selectNext(1),
    "[": () => actions.selectNext(-1),
    Escape: () => actions.pick(undefined),
  };
  if (!Object.hasOwn(keys, key)) return false;
  keys[key]!();
  return true;
}

/** Turns the view so that an axis of the cell points towards the reader. */
export function lookAlongAxis(view: AtomView, axis: 0 | 1 | 2): void {
  const directions = directionsOf(view);
  view.lookAlong(directions[axis]![1], directions[axis === 2 ? 1 : 2]![1]);
}
