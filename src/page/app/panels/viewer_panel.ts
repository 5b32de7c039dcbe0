/**
 * Structure of a run in three dimensions, tied to the cursor of the charts.
 *
 * @module
 */

import type { FrameSource, ViewerFrame } from "../../protocol.ts";
import { FrameFinder } from "../data/frame_finder.ts";
import { NewestFrame } from "../data/newest_frame.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import { countText } from "../format.ts";
import type { RunActions, RunPanel } from "./run_panel.ts";

/** What the page uses of `<hooke-viewer>`. */
interface ViewerElement extends HTMLElement {
  frames: FrameSource | undefined;
  go(index: number): Promise<void>;
  show(frame: ViewerFrame): Promise<void>;
}

/** Value of the event `framechange`. */
interface FrameChange {
  readonly index: number;
  readonly step?: number;
  readonly frame: ViewerFrame;
}

/** Structure of a run. The newest frame is shown until the user picks one. */
export class ViewerPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["frames", "info"];
  readonly root: HTMLElement;
  readonly #actions: RunActions;
  readonly #note: HTMLElement;
  readonly #stage: HTMLElement = h("div.viewer");
  readonly #empty: HTMLElement = h("p.empty", {}, "The run has not written any structures yet.");
  readonly #follow: HTMLButtonElement;
  readonly #finder: FrameFinder;
  readonly #newest: NewestFrame;
  readonly #stopListening: () => void;
  #viewer: ViewerElement | "loading" | undefined;
  #isFirst = false;
  #isOneSystem = true;

  constructor(actions: RunActions) {
    this.#actions = actions;
    this.#finder = new FrameFinder(actions.source);
    this.#newest = new NewestFrame(actions.source, (frame) => this.#element()?.show(frame));
    const { root, body, note } = panel("Structure", "structure");
    this.root = root;
    this.#note = note;
    this.#follow = h("button.quiet", {
      type: "button",
      onclick: () => {
        this.#newest.isFollowed = true;
        actions.cursor.set("picked", undefined);
        actions.cursor.set("pinned", undefined);
        setShown(this.#follow, false);
        void this.#newest.show();
      },
    }, "Show the newest structure");
    setShown(this.#follow, false);
    body.append(this.#empty, this.#stage, this.#follow);
    this.#stopListening = actions.cursor.listen((part) => {
      const { picked } = actions.cursor.state;
      if (part === "picked" && picked !== undefined) void this.#showStep(picked);
    });
  }

  update({ frames, run }: RunModel): void {
    const hasFrames = frames.count > 0 || frames.live !== undefined;
    setShown(this.#empty, !hasFrames);
    setShown(this.#stage, hasFrames);
    setText(this.#note, frames.count === 0 ? "" : `${countText(frames.count)} frames`);
    this.#finder.expect(frames.count, run?.step ?? 0);
    if (!hasFrames) return;
    const viewer = this.#element();
    if (this.#viewer === undefined) void this.#load();
    if (viewer === undefined) return;
    if (frames.count > 0 && viewer.frames === undefined) this.#setFrames(viewer);
    this.#isOneSystem = run?.kind !== "screen";
    if (this.#isOneSystem) void this.#newest.show(frames.live ?? frames.count);
  }

  close(): void {
    this.#stopListening();
    const viewer = this.#element();
    if (viewer !== undefined) viewer.frames = undefined;
  }

  /** Shows a frame that the user has picked. */
  showFrame(index: number): void {
    this.#isFirst = false;
    this.#pick();
    void this.#element()?.go(index);
  }

  #element(): ViewerElement | undefined {
    return typeof this.#viewer === "object" ? this.#viewer : undefined;
  }

  /** Loads the element once there is something to show. */
  async #load(): Promise<void> {
    this.#viewer = "loading";
    try {
      await import(new URL("viewer.js", document.baseURI).href);
    } catch {
      setText(this.#empty, "The viewer of structures could not be loaded.");
      setShown(this.#stage, false);
      return setShown(this.#empty, true);
    }
    const viewer = document.createElement("hooke-viewer") as ViewerElement;
    viewer.setAttribute("controls", "");
    this.#stage.append(viewer);
    this.#viewer = viewer;
    viewer.addEventListener("framechange", (event) => {
      this.#changed((event as CustomEvent<FrameChange>).detail);
    });
    const { source, cursor } = this.#actions;
    if (source.length > 0) this.#setFrames(viewer);
    if (cursor.state.picked !== undefined) await this.#showStep(cursor.state.picked);
    else if (source.length === 0) void this.#newest.show();
  }

  /** Gives the viewer the trajectory. It shows the last frame, which is not a choice of the user. */
  #setFrames(viewer: ViewerElement): void {
    this.#isFirst = true;
    viewer.setAttribute("frame", "-1");
    viewer.frames = this.#actions.source;
  }

  /** The viewer shows another frame. Unless it is the newest one, the user has picked it, and the charts mark its step. */
  #changed({ step, frame }: FrameChange): void {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst || frame === this.#newest.frame) return;
    this.#pick();
    if (step !== undefined) this.#actions.cursor.set("pinned", step);
  }

  #pick(): void {
    this.#newest.isFollowed = false;
    setShown(this.#follow, this.#isOneSystem);
  }

  /** Shows the frame nearest to a step. */
  async #showStep(step: number): Promise<void> {
    try {
      const index = await this.#finder.indexOf(step);
      if (index !== undefined) this.showFrame(index);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#actions.complain(`Cannot show the structure of step ${Math.round(step)}: ${reason}`);
    }
  }
}
