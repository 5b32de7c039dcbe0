/**
 * Members that all panels of a run have.
 *
 * @module
 */

import type { RunCommand, RunSource } from "../../protocol.ts";
import type { CursorStore } from "../charts/cursor.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";

/** Part of the view that shows a part of the model. */
export interface RunPanel {
  /** Parts of the model that it shows. */
  readonly parts: readonly ModelPart[];
  /** Shows the model. */
  update(model: RunModel, changed: ReadonlySet<ModelPart>): void;
  close?(): void;
}

/** Actions of panels on a run. */
export interface RunActions {
  readonly source: RunSource;
  readonly cursor: CursorStore;
  /** Sends a command. Errors are shown to the user; the promise tells whether it was sent. */
  send(command: RunCommand): Promise<boolean>;
  /** Shows a frame in the viewer. */
  showFrame(index: number): void;
  /** Shows a message of an error. */
  complain(message: string): void;
}
