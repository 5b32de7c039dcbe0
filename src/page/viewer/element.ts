/**
 * The element `<hooke-viewer>`.
 *
 * @module
 */

import type { FrameSource, ViewerFrame } from "../protocol.ts";
import type { AtomView } from "./atom_view.ts";
import { BY_ELEMENT } from "./color_by.ts";
import { Controls } from "./controls.ts";
import { html } from "./dom.ts";
import { lookAlongAxis } from "./input.ts";
import type { RendererChoice } from "./open_renderer.ts";
import type { PickedAtom } from "./picking.ts";
import { Playback } from "./playback.ts";
import { openFrames } from "./read/open_frames.ts";
import { sourceOfFrames } from "./read/text_frames.ts";
import type { Look } from "./scene.ts";
import { Stage } from "./stage.ts";
import { STYLE } from "./style.ts";
import { summaryOf } from "./summary.ts";
import type { Vector } from "./vector.ts";

/** Parent class. Runtimes without pages have no elements, but the module can be loaded there, too. */
const Base: typeof HTMLElement = globalThis.HTMLElement ??
  (class {} as unknown as typeof HTMLElement);

/** Contents of an element while it is in a page. */
interface Contents {
  readonly stage: Stage;
  readonly controls: Controls;
  readonly view: Promise<AtomView>;
}

/**
 * Shows structures and trajectories. `defineViewer` makes it an element of pages:
 * `<hooke-viewer src="run.zarr" controls></hooke-viewer>`.
 *
 * Attributes: `src` (address of a file or a store), `frame` (index of the first frame on view), `color-by`
 * (`element` or the name of a field), `repeat` (images along a, b and c: `2 2 1`), `bonds`, `wrap` and `axes` (`off`
 * hides them), `controls` (shows a bar), `autoplay`, `speed` (frames per second), `edit` (atoms can be dragged), and
 * `renderer` (`auto`, `webgl2` or `webgpu`).
 *
 * Events: `framechange` after a frame is on view, `atomselect` when atoms are selected, `atomdrag` while an atom is
 * dragged, and `viewererror`. Each has its values in `detail`.
 */
// deno-lint-ignore house/inheritance -- elements of a page inherit from HTMLElement
export class HookeViewer extends Base {
  /** Attributes whose changes the element follows. */
  static readonly observedAttributes: readonly string[] = [
    "src",
    "frame",
    "color-by",
    "repeat",
    "bonds",
    "wrap",
    "axes",
    "controls",
    "speed",
  ];

  #contents: Contents | undefined;
  #source: FrameSource | undefined;
  #index = 0;
  /** Counts what was asked for, so that a slow answer does not replace a later one. */
  #asked = 0;
  readonly #playback: Playback = new Playback(
    () => ({
      length: this.#source?.length ?? 0,
      index: this.#index,
      go: (index) => this.go(index),
    }),
    () => this.#updateControls(),
  );

  /** Frames on view. Setting them shows the frame of the attribute `frame`, or the first one. */
  get frames(): FrameSource | undefined {
    return this.#source;
  }

  set frames(source: FrameSource | undefined) {
    this.#playback.pause();
    this.#asked++;
    this.#source = source;
    this.#index = 0;
    if (source === undefined) return;
    const first = Number(this.getAttribute("frame") ?? 0);
    const last = Math.max(0, source.length - 1);
    void this.go(first < 0 ? Math.max(0, last + 1 + first) : Math.min(first, last)).then(() => {
      const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (this.hasAttribute("autoplay") && !isCalm) this.play();
    });
  }

  /** Index of the frame on view. */
  get frame(): number {
    return this.#index;
  }

  set frame(index: number) {
    void this.go(index);
  }

  /** True while frames are playing. */
  get isPlaying(): boolean {
    return this.#playback.isPlaying;
  }

  /** The view; undefined while the element is not in a page. */
  get view(): Promise<AtomView> | undefined {
    return this.#contents?.view;
  }

  /** Begins to play. */
  play(): void {
    this.#playback.play();
  }

  /** Stops playing. */
  pause(): void {
    this.#playback.pause();
  }

  /** Shows a frame that belongs to no source, such as the newest one of a run. Frames of a source stay. */
  async show(frame: ViewerFrame): Promise<void> {
    const asked = ++this.#asked;
    await this.#display(frame, asked, () => summaryOf(frame, 0, 1));
  }

  /** Shows the frame with an index. Resolves once it is on view; errors are shown in place. */
  async go(index: number): Promise<void> {
    const source = this.#source, asked = ++this.#asked;
    if (source === undefined) return;
    try {
      const frame = await source.frame(index);
      if (asked !== this.#asked) return;
      this.#index = index;
      await this.#display(frame, asked, () => summaryOf(frame, index, source.length));
    } catch (error) {
      if (asked === this.#asked) this.#fail(error);
    }
  }

  /** Returns the picture as a PNG file. Rejects with an Error if the element is not in a page. */
  async toBlob(): Promise<Blob> {
    if (this.#contents === undefined) {
      throw new Error("Cannot save the picture: the element is not in a page");
    }
    return (await this.#contents.view).toBlob();
  }

  /** Called by the browser when the element comes into a page. */
  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const stage = new Stage(), controls = new Controls(this.#controlActions());
    root.replaceChildren(html("div", { class: "frame" }, stage.element, controls.element));
    const renderer = (this.getAttribute("renderer") ?? "auto") as RendererChoice;
    const view = stage.open(renderer, {
      canDrag: () => this.hasAttribute("edit"),
      drag: (atom, by, isDone) => this.#drag(atom, by, isDone),
      togglePlay: () => this.#togglePlay(),
      go: (to) => this.#step(to),
      selected: () => this.#emit("atomselect", { atoms: stage.view?.selection ?? [] }),
    });
    this.#contents = { stage, controls, view };
    view.then((opened) => {
      opened.setLook(this.#look());
      opened.setColorBy(this.getAttribute("color-by") ?? BY_ELEMENT);
    }, (error) => this.#fail(error));
    stage.showsAxes = isOn(this, "axes");
    this.#updateControls();
    const address = this.getAttribute("src");
    if (this.#source !== undefined) void this.go(this.#index);
    else if (address !== null) void this.#load(address);
  }

  /** Called by the browser when the element leaves a page. */
  disconnectedCallback(): void {
    this.#playback.pause();
    this.#asked++;
    this.#contents?.stage.close();
    this.#contents = undefined;
  }

  /** Called by the browser when an attribute changes. */
  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (this.#contents === undefined || before === value) return;
    const { stage, view } = this.#contents;
    if (name === "src" && value !== null) void this.#load(value);
    if (name === "frame" && value !== null) void this.go(Number(value));
    if (name === "speed" && value !== null) this.#playback.speed = speedOf(value);
    stage.showsAxes = isOn(this, "axes");
    void view.then((opened) => {
      try {
        if (["repeat", "bonds", "wrap"].includes(name)) opened.setLook(this.#look());
        if (name === "color-by") opened.setColorBy(value ?? BY_ELEMENT);
        opened.redraw();
        stage.refresh();
        this.#updateControls();
      } catch (error) {
        this.#fail(error);
      }
    }, () => {}); // an error of opening is on view already
  }

  async #load(address: string): Promise<void> {
    const asked = ++this.#asked;
    try {
      const source = await openFrames(address);
      if (asked !== this.#asked) return;
      if (source.length === 0) throw new Error(`${address} has no frames yet`);
      this.frames = source;
    } catch (error) {
      if (asked === this.#asked) this.#fail(error);
    }
  }

  async #display(frame: ViewerFrame, asked: number, summary: () => string): Promise<void> {
    const contents = this.#contents;
    if (contents === undefined) return;
    await contents.view;
    if (asked !== this.#asked) return;
    contents.stage.fail(undefined);
    contents.stage.show(frame, summary());
    this.#updateControls();
    this.#emit("framechange", { index: this.#index, step: frame.step, frame });
  }

  #fail(error: unknown): void {
    this.#playback.pause();
    this.#contents?.stage.fail(error);
    this.#emit("viewererror", { error });
  }

  #emit(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #drag({ atom }: PickedAtom, by: Vector, isDone: boolean): void {
    const view = this.#contents?.stage.view, frame = view?.frame;
    if (view === undefined || frame === undefined) return;
    this.#playback.pause();
    const positions = frame.positions.slice();
    for (let k = 0; k < 3; k++) positions[3 * atom + k]! += by[k]!;
    view.show({ ...frame, positions });
    this.#emit("atomdrag", { atom, positions, isDone });
  }

  #togglePlay(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  #step(to: { readonly by: number } | "first" | "last"): void {
    const last = (this.#source?.length ?? 1) - 1;
    const index = to === "first" ? 0 : to === "last" ? last : this.#index + to.by;
    this.pause();
    void this.go(Math.max(0, Math.min(last, index)));
  }

  #look(): Partial<Look> {
    const repeat = (this.getAttribute("repeat") ?? "1").trim().split(/[\s,x×]+/).map(Number);
    const [a, b = a, c = b] = repeat.map((n) => Number.isInteger(n) && n > 0 ? n : 1);
    return { repeat: [a!, b!, c!], bonds: isOn(this, "bonds"), wraps: isOn(this, "wrap") };
  }

  #updateControls(): void {
    const contents = this.#contents;
    if (contents === undefined) return;
    const { controls, stage: { view } } = contents, frame = view?.frame;
    controls.element.hidden = !this.hasAttribute("controls");
    controls.update({
      length: this.#source?.length ?? 0,
      index: this.#index,
      isPlaying: this.isPlaying,
      loops: this.#playback.loops,
      speed: this.#playback.speed,
      fields: Object.keys(frame?.fields ?? {}),
      colorBy: view?.colorBy ?? BY_ELEMENT,
      bonds: isOn(this, "bonds"),
      wraps: isOn(this, "wrap"),
      repeat: view?.look.repeat ?? [1, 1, 1],
      pbc: frame?.cell === undefined ? undefined : frame.pbc ?? [true, true, true],
    });
  }

  #controlActions(): ConstructorParameters<typeof Controls>[0] {
    const set = (name: string, value: string) => this.setAttribute(name, value);
    const withView = (act: (view: AtomView) => void) => void this.#contents?.view.then(act);
    return {
      togglePlay: () => this.#togglePlay(),
      go: (index) => {
        this.pause();
        void this.go(index);
      },
      setLoops: (loops) => {
        this.#playback.loops = loops;
        this.#updateControls();
      },
      setSpeed: (speed) => set("speed", String(speed)),
      setColorBy: (field) => set("color-by", field),
      setBonds: (on) => set("bonds", on ? "on" : "off"),
      setWraps: (on) => set("wrap", on ? "on" : "off"),
      setRepeat: (repeat) => set("repeat", repeat.join(" ")),
      lookAlong: (axis) => withView((view) => lookAlongAxis(view, axis)),
      reset: () => withView((view) => view.reset()),
      save: () => void this.#save(),
    };
  }

  async #save(): Promise<void> {
    try {
      const address = URL.createObjectURL(await this.toBlob());
      const link = document.createElement("a");
      link.href = address;
      link.download = `frame_${this.#index}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (error) {
      this.#fail(error);
    }
  }
}

/** Returns whether an attribute is absent or does not say `off`. */
function isOn(element: HTMLElement, name: string): boolean {
  return !["off", "false", "none"].includes(element.getAttribute(name) ?? "on");
}

function speedOf(text: string): number {
  const speed = Number(text);
  return speed > 0 && speed <= 240 ? speed : 12;
}

/** Returns frames that are already read as a source for the element. */
export function framesOf(frames: readonly ViewerFrame[]): FrameSource {
  return sourceOfFrames("the frames", frames);
}
