/**
 * The bar below the picture: playback, and the settings of the view.
 *
 * @module
 */

import { BY_ELEMENT } from "../color_by.ts";
import { html, iconButton } from "./dom.ts";

/** Paths of the pictures on buttons. */
const ICONS = {
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z",
  back: "M3 2.5h2v11H3zM13 2.5v11L5.8 8z",
  forward: "M11 2.5h2v11h-2zM3 2.5v11L10.2 8z",
  loop:
    "M4 6.2A4.5 4.5 0 0 1 12 5.5V3.2h1.4v4.7H8.8V6.5h2.3A3.1 3.1 0 0 0 5.3 7zM12 9.8a4.5 4.5 0 0 1-8 .7v2.3H2.6V8.1h4.6v1.4H4.9A3.1 3.1 0 0 0 10.7 9z",
  reset:
    "M2 2h4.5v1.5h-3v3H2zM9.5 2H14v4.5h-1.5v-3h-3zM2 9.5h1.5v3h3V14H2zM12.5 9.5H14V14H9.5v-1.5h3z",
  save: "M7.2 2h1.6v6.2l2.3-2.3 1.1 1.1L8 11.2 3.8 7l1.1-1.1 2.3 2.3zM2.5 12h11v1.6h-11z",
} as const;

/** Speeds of playback, frames per second. */
const SPEEDS = [2, 5, 12, 24, 60];

/** Largest number of images along an axis that the bar offers. */
const MOST_IMAGES = 4;

/** State of the bar. */
export interface ControlState {
  readonly length: number;
  readonly index: number;
  readonly isPlaying: boolean;
  readonly loops: boolean;
  readonly speed: number;
  /** Names of the fields that can color the atoms. */
  readonly fields: readonly string[];
  readonly colorBy: string;
  readonly bonds: boolean;
  readonly wraps: boolean;
  readonly repeat: readonly [number, number, number];
  /** Periodic directions; undefined without a cell. */
  readonly pbc: readonly [boolean, boolean, boolean] | undefined;
}

/** Actions of the bar. */
export interface ControlActions {
  togglePlay(): void;
  go(index: number): void;
  setLoops(loops: boolean): void;
  setSpeed(framesPerSecond: number): void;
  setColorBy(field: string): void;
  setBonds(bonds: boolean): void;
  setWraps(wraps: boolean): void;
  setRepeat(repeat: readonly [number, number, number]): void;
  lookAlong(axis: 0 | 1 | 2): void;
  reset(): void;
  save(): void;
}

/** The bar. */
export class Controls {
  /** Element with everything. */
  readonly element: HTMLElement;
  readonly #update: readonly ((state: ControlState) => void)[];

  constructor(actions: ControlActions) {
    const parts = [playback(actions), ...settings(actions)];
    this.element = html("div", { class: "bar" }, ...parts.map(({ element }) => element));
    this.#update = parts.map(({ update }) => update);
  }

  /** Shows a state. */
  update(state: ControlState): void {
    for (const update of this.#update) update(state);
  }
}

/** An element, and how it follows the state. */
interface Part {
  readonly element: HTMLElement;
  readonly update: (state: ControlState) => void;
}

function playback(actions: ControlActions): Part {
  let state: ControlState | undefined;
  const play = iconButton("Play", ICONS.play, () => actions.togglePlay());
  const step = (by: number) => () => state && actions.go(clamped(state.index + by, state.length));
  const loop = iconButton(
    "Repeat from the start",
    ICONS.loop,
    () => state && actions.setLoops(!state.loops),
  );
  const range = html("input", { type: "range", min: "0", step: "1", "aria-label": "Frame" });
  range.addEventListener("input", () => actions.go(Number(range.value)));
  const place = html("output", { class: "place" });
  const speed = select(
    "Speed",
    SPEEDS.map((n) => [String(n), `${n}/s`]),
    (value) => actions.setSpeed(Number(value)),
  );
  const element = html(
    "div",
    { class: "playback", role: "group", "aria-label": "Playback" },
    iconButton("Previous frame", ICONS.back, step(-1)),
    play,
    iconButton("Next frame", ICONS.forward, step(1)),
    range,
    place,
    speed,
    loop,
  );
  const update = (now: ControlState) => {
    state = now;
    element.hidden = now.length < 2;
    const name = now.isPlaying ? "Pause" : "Play";
    if (play.title !== name) {
      play.title = name;
      play.setAttribute("aria-label", name);
      play.querySelector("path")!.setAttribute("d", now.isPlaying ? ICONS.pause : ICONS.play);
    }
    range.max = String(now.length - 1);
    range.value = String(now.index);
    range.setAttribute("aria-valuetext", `frame ${now.index + 1} of ${now.length}`);
    place.textContent = `${now.index + 1} / ${now.length}`;
    speed.value = String(now.speed);
    loop.setAttribute("aria-pressed", String(now.loops));
  };
  return { element, update };
}

function settings(actions: ControlActions): Part[] {
  const color = select("Color by", [], (value) => actions.setColorBy(value));
  const bonds = toggle("Bonds", (on) => actions.setBonds(on));
  const wraps = toggle("Wrap", (on) => actions.setWraps(on));
  let repeat: readonly [number, number, number] = [1, 1, 1];
  const counts = [1, 2, 3, 4].slice(0, MOST_IMAGES).map((
    n,
  ): [string, string] => [String(n), String(n)]);
  const images = ([0, 1, 2] as const).map((k) =>
    select(`Images along ${"abc"[k]}`, counts, (value) => {
      actions.setRepeat(
        repeat.map((n, i) => i === k ? Number(value) : n) as [number, number, number],
      );
    })
  );
  const along = ([0, 1, 2] as const).map((k) => textButton("", () => actions.lookAlong(k)));
  const times = html(
    "span",
    { class: "images", role: "group", "aria-label": "Images of the cell" },
    ...images,
  );
  const element = html(
    "div",
    { class: "settings", role: "group", "aria-label": "View" },
    color,
    bonds.element,
    wraps.element,
    times,
    ...along,
    iconButton("Show everything", ICONS.reset, () => actions.reset()),
    iconButton("Save as PNG", ICONS.save, () => actions.save()),
  );
  const update = (state: ControlState) => {
    const names = [BY_ELEMENT, ...state.fields];
    if ([...color.options].map(({ value }) => value).join() !== names.join()) {
      color.replaceChildren(...names.map((name) => html("option", { value: name }, name)));
    }
    color.value = state.colorBy;
    bonds.set(state.bonds);
    wraps.set(state.wraps);
    wraps.element.hidden = times.hidden = state.pbc === undefined;
    ({ repeat } = state);
    images.forEach((image, k) => {
      image.value = String(repeat[k]);
      image.disabled = state.pbc?.[k] !== true;
    });
    along.forEach((button, k) => {
      const name = (state.pbc === undefined ? "xyz" : "abc")[k]!;
      if (button.textContent === name) return;
      button.textContent = name;
      button.setAttribute("aria-label", `Look along ${name}`);
      button.title = `Look along ${name}`;
    });
  };
  return [{ element, update }];
}

function select(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  onChange: (value: string) => void,
): HTMLSelectElement {
  const items = options.map(([value, text]) => html("option", { value }, text));
  const element = html("select", { "aria-label": label, title: label }, ...items);
  element.addEventListener("change", () => onChange(element.value));
  return element;
}

function toggle(
  label: string,
  onChange: (on: boolean) => void,
): { readonly element: HTMLElement; readonly set: (on: boolean) => void } {
  const input = html("input", { type: "checkbox" });
  input.addEventListener("change", () => onChange(input.checked));
  return { element: html("label", {}, input, label), set: (on) => input.checked = on };
}

function textButton(text: string, onClick: () => void): HTMLButtonElement {
  const button = html("button", { type: "button" }, text);
  button.addEventListener("click", onClick);
  return button;
}

function clamped(index: number, length: number): number {
  return Math.max(0, Math.min(length - 1, index));
}
