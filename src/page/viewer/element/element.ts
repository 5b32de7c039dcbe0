/**
 * The element `<hooke-viewer>`.
 *
 * @module
 */

import type { FrameSource, RunSource, ViewerFrame } from "../../protocol.ts";
import type { AtomView } from "../atom_view.ts";
import { BY_ELEMENT } from "../color_by.ts";
import { isOn, lookOf, OBSERVED, speedOf, textOf } from "./attributes.ts";
import { Controls } from "./controls.ts";
import { html, saveFile } from "./dom.ts";
import { lookAlongAxis } from "./input.ts";
import { fieldNames, neededFields } from "./live_fields.ts";
import type { RendererChoice } from "../open_renderer.ts";
import type { PickedAtom } from "../picking.ts";
import { Playback } from "./playback.ts";
import { Stage } from "./stage.ts";
import { STYLE } from "./style.ts";
import { summaryOf } from "./summary.ts";
import type { Vector } from "../vector.ts";

/** Parent class of the element: `HTMLElement`, or an empty class in runtimes without pages. */
export const ElementBase: typeof HTMLElement = globalThis.HTMLElement ??
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
 * Without `src`, it shows the text between its tags, in the format of the attribute `format` (`xyz`).
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
export class HookeViewer extends ElementBase {
  /** Attributes whose changes the element follows. */
  static readonly observedAttributes: readonly string[] = OBSERVED;

  #contents: Contents | undefined;
  #source: FrameSource | undefined;
  #index = 0;
  /** True while the newest frame of a source that grows is on view. */
  #follows = false;
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

  /**
   * Frames on view. Setting them shows the frame of the attribute `frame`. Without the attribute it shows the newest
   * frame of a source that has one (`live`), else the first frame.
   */
  get frames(): FrameSource | undefined {
    return this.#source;
  }

  set frames(source: FrameSource | undefined) {
    this.#playback.pause();
    this.#asked++;
    this.#source = source;
    this.#index = 0;
    this.#follows = source !== undefined && "live" in source && !this.hasAttribute("frame");
    if (source === undefined) return;
    const first = Number(this.getAttribute("frame") ?? 0), last = Math.max(0, source.length - 1);
    const index = first < 0 ? Math.max(0, last + 1 + first) : Math.min(first, last);
    void (this.#follows ? this.refresh() : this.go(index)).then(() => {
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

  /**
   * Reads the number of frames again, after the source has grown. If the newest frame was on view, shows the newest one
   * again.
   */
  async refresh(): Promise<void> {
    const source = this.#source as (FrameSource & Partial<Pick<RunSource, "live">>) | undefined;
    if (source === undefined || !this.#follows) return this.#updateControls();
    const asked = ++this.#asked;
    try {
      const needed = neededFields(this.#contents?.stage.view, this.getAttribute("color-by"));
      const newest = await source.live?.(undefined, 0, needed);
      if (asked !== this.#asked) return;
      if (newest === undefined && source.length === 0) return this.#updateControls();
      if (newest === undefined) return await this.go(source.length - 1);
      this.#index = Math.max(0, source.length - 1);
      await this.#display(newest, asked, () => summaryOf(newest, 0, 1));
    } catch (error) {
      if (asked !== this.#asked) return;
      if (this.#contents?.stage.view?.frame === undefined) this.#fail(error);
      else this.#emit("viewererror", { error }); // the frame on view stays
    }
  }

  /** Shows the frame with an index. Resolves once it is on view; errors are shown in place. */
  async go(index: number): Promise<void> {
    const source = this.#source, asked = ++this.#asked;
    if (source === undefined) return;
    try {
      const frame = await source.frame(index);
      if (asked !== this.#asked) return;
      this.#index = index;
      this.#follows = "live" in source && index === source.length - 1;
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
      selected: () => {
        this.#emit("atomselect", { atoms: stage.view?.selection ?? [] });
        if (stage.view?.frame?.further !== undefined) void this.refresh(); // to describe the atoms
      },
    });
    this.#contents = { stage, controls, view };
    view.then((opened) => {
      opened.setLook(lookOf(this));
      opened.setColorBy(this.getAttribute("color-by") ?? BY_ELEMENT);
    }, (error) => this.#fail(error));
    stage.showsAxes = isOn(this, "axes");
    this.#updateControls();
    const address = this.getAttribute("src");
    if (this.#source !== undefined) void this.go(this.#index);
    else if (address !== null) void this.#load(address);
    else void this.#readText();
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
        if (["repeat", "bonds", "wrap"].includes(name)) opened.setLook(lookOf(this));
        if (name === "color-by") opened.setColorBy(value ?? BY_ELEMENT);
        opened.redraw();
        stage.refresh();
        this.#updateControls();
        if (opened.frame?.further !== undefined) void this.refresh();
      } catch (error) {
        this.#fail(error);
      }
    }, () => {}); // an error of opening is on view already
  }

  /** Shows the text between the tags, once the browser has read it. */
  async #readText(): Promise<void> {
    const asked = ++this.#asked;
    const text = await textOf(this);
    if (asked !== this.#asked || text === "") return;
    try {
      const { framesOfFile } = await import("../read/text_frames.ts");
      const name = `the text.${this.getAttribute("format") ?? "xyz"}`;
      this.frames = framesOfFile(name, new TextEncoder().encode(`${text}\n`));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #load(address: string): Promise<void> {
    const asked = ++this.#asked;
    try {
      const { openFrames } = await import("../read/open_frames.ts");
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
    void (this.isPlaying ? this.pause() : this.play());
  }

  #step(to: { readonly by: number } | "first" | "last"): void {
    const last = (this.#source?.length ?? 1) - 1;
    const index = to === "first" ? 0 : to === "last" ? last : this.#index + to.by;
    this.pause();
    void this.go(Math.max(0, Math.min(last, index)));
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
      fields: frame === undefined ? [] : fieldNames(frame),
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
      save: () => {
        const save = (blob: Blob) => saveFile(blob, `frame_${this.#index}.png`);
        this.toBlob().then(save).catch((error) => this.#fail(error));
      },
    };
  }
}
