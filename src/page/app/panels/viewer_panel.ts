/**
 * Structure of a run in three dimensions, tied to the cursor of the charts.
 *
 * @module
 */

import type { FrameSource, ViewerFrame } from "../../protocol.ts";
import { FrameFinder } from "../data/frame_finder.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import { countText } from "../format.ts";
import type { RunActions, RunPanel } from "./run_panel.ts";

/** What the page uses of `<hooke-viewer>`. */
interface ViewerElement extends HTMLElement {
  frames: FrameSource | undefined;
  refresh(): Promise<void>;
}

/** Structure of a run. The newest frame is shown until the user picks one. */
export class ViewerPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["frames", "info"];
  readonly root: HTMLElement;
  readonly #actions: RunActions;
  readonly #note: HTMLElement;
  readonly #stage: HTMLElement = h("div.viewer");
  readonly #empty: HTMLElement = h("p.empty", {}, "The run has not written any structures yet.");
  readonly #finder: FrameFinder;
  readonly #stopListening: () => void;
  #viewer: ViewerElement | "loading" | undefined;

  constructor(actions: RunActions) {
    this.#actions = actions;
    this.#finder = new FrameFinder(actions.source);
    const { root, body, note } = panel("Structure", "structure");
    this.root = root;
    this.#note = note;
    body.append(this.#empty, this.#stage);
    this.#stopListening = actions.cursor.listen((part) => {
      const { pinned } = actions.cursor.state;
      if (part === "pinned" && pinned !== undefined) void this.#showStep(pinned);
    });
  }

  update({ frames, run }: RunModel): void {
    const hasFrames = frames.count > 0 || frames.live !== undefined;
    setShown(this.#empty, !hasFrames);
    setShown(this.#stage, hasFrames);
    setText(this.#note, frames.count === 0 ? "" : `${countText(frames.count)} frames`);
    this.#finder.expect(frames.count, run?.step ?? 0);
    if (typeof this.#viewer === "object") void this.#viewer.refresh();
    else if (hasFrames) void this.#load();
  }

  close(): void {
    this.#stopListening();
    if (typeof this.#viewer === "object") this.#viewer.frames = undefined;
  }

  /** Loads the element once there is something to show. */
  async #load(): Promise<void> {
    if (this.#viewer !== undefined) return;
    this.#viewer = "loading";
    try {
      await import(new URL("viewer.js", document.baseURI).href);
    } catch {
      setText(this.#empty, "The viewer of structures could not be loaded.");
      return setShown(this.#empty, true);
    }
    const viewer = h("hooke-viewer" as "div", {}) as unknown as ViewerElement;
    this.#stage.append(viewer);
    this.#viewer = viewer;
    viewer.frames = this.#actions.source;
    viewer.addEventListener("framechange", (event) => {
      const { step } = (event as CustomEvent<ViewerFrame>).detail ?? {};
      if (step !== undefined) this.#actions.cursor.set("step", step);
    });
    const { pinned } = this.#actions.cursor.state;
    if (pinned !== undefined) await this.#showStep(pinned);
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

  /** Shows a frame. */
  showFrame(index: number): void {
    if (typeof this.#viewer === "object") this.#viewer.setAttribute("frame", String(index));
  }
}
