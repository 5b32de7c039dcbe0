/**
 * Structure of a run in three dimensions, tied to the cursor of the charts.
 *
 * @module
 */

import type { FrameSource } from "../../protocol.ts";
import { FrameFinder } from "../data/frame_finder.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import { countText } from "../format.ts";
import type { RunActions, RunPanel } from "./run_panel.ts";

/** Members of `<hooke-viewer>` that the page uses. It follows the newest structure until another one is chosen. */
interface ViewerElement extends HTMLElement {
  frames: FrameSource | undefined;
  go(index: number): Promise<void>;
  refresh(): Promise<void>;
}

/** Value of the event `framechange`. */
interface FrameChange {
  readonly index: number;
  readonly step?: number;
}

/** Structure of a run. The newest one is shown until the user picks another. */
export class ViewerPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["frames", "info"];
  readonly root: HTMLElement;
  readonly #actions: RunActions;
  readonly #note: HTMLElement;
  readonly #stage: HTMLElement = h("div.viewer");
  readonly #empty: HTMLElement = h("p.empty", {}, "The run has not written any structures yet.");
  readonly #follow: HTMLButtonElement;
  readonly #finder: FrameFinder;
  readonly #stopListening: () => void;
  #viewer: ViewerElement | "loading" | undefined;
  /** The newest structure that was shown, and whether the next one is being read. */
  #newest: { readonly key: number; readonly isRead: boolean } = { key: -1, isRead: true };
  #isOneSystem = true;

  constructor(actions: RunActions) {
    this.#actions = actions;
    this.#finder = new FrameFinder(actions.source);
    const { root, body, note } = panel("Structure", "structure");
    this.root = root;
    this.#note = note;
    this.#follow = h("button.quiet", {
      type: "button",
      onclick: () => {
        actions.cursor.set("picked", undefined);
        const viewer = this.#element();
        if (viewer !== undefined) viewer.frames = actions.source;
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
    this.#isOneSystem = run?.kind !== "screen";
    if (!hasFrames) return;
    if (this.#viewer === undefined) void this.#load();
    else void this.#refresh(frames.live ?? frames.count);
  }

  close(): void {
    this.#stopListening();
    const viewer = this.#element();
    if (viewer !== undefined) viewer.frames = undefined;
  }

  /** Shows a frame that the user has picked. */
  showFrame(index: number): void {
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
    viewer.frames = source;
    if (cursor.state.picked !== undefined) await this.#showStep(cursor.state.picked);
  }

  /** Lets the viewer read the newest structure, one at a time. */
  async #refresh(key: number): Promise<void> {
    const { isRead } = this.#newest, isKnown = key === this.#newest.key;
    if (isKnown || !isRead) return;
    this.#newest = { key, isRead: false };
    await this.#element()?.refresh();
    this.#newest = { key, isRead: true };
  }

  /** The viewer shows another structure. Unless it is the newest one, the charts mark its step. */
  #changed({ index, step }: FrameChange): void {
    const { cursor, source } = this.#actions;
    const isPicked = this.#isOneSystem && index < source.length - 1;
    setShown(this.#follow, isPicked);
    cursor.set("pinned", isPicked ? step : undefined);
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
