/**
 * Messages between the page and the worker that runs in the tab.
 *
 * @module
 */

import type { RunCommand, RunEvent, ViewerFrame } from "../protocol.ts";

/** Work of a tab. */
export type TabTask = "md" | "relax" | "fine-tune";

/** A file that the user has dropped. */
export interface TabFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An atom that the user has moved while the run was paused. */
export interface AtomMove {
  /** Number of steps done when it was moved. */
  readonly step: number;
  /** Index of the system in the batch. */
  readonly system: number;
  /** Index of the atom in the system. */
  readonly atom: number;
  /** New position, Å. */
  readonly position: readonly [number, number, number];
}

/** A run to start. */
export interface TabRequest {
  readonly task: TabTask;
  /** Files of structures, or of frames to train with. */
  readonly files: readonly TabFile[];
  /** The .onnx file of a potential; undefined for a built-in potential. */
  readonly model?: TabFile;
  /** Manifest of the model, if it was dropped beside it. */
  readonly manifest?: TabFile;
  /** Options that differ from their defaults, by name, as `hooke md`, `relax` and `fine-tune` have them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Moves that the run repeats, in the order of their steps. */
  readonly moves?: readonly AtomMove[];
  /** True to wait before the first step, so that atoms can be moved. */
  readonly isPaused?: boolean;
}

/** Result of a run, after its last step. */
export interface TabResult {
  /** Steps done. */
  readonly step: number;
  /** Device that the run has used. */
  readonly device: string;
  /** SHA-256 of the final positions (float64, little-endian), in hexadecimal; undefined for trainings. */
  readonly hash?: string;
  /** One line about the result, for people. */
  readonly text: string;
}

/** An option of a task, as a form shows it. */
export interface TabOption {
  readonly name: string;
  /** Description on one line, with the unit. */
  readonly help: string;
  /** Default; undefined for none. */
  readonly initial: string | number | boolean | undefined;
  /** Text about the default, if it is not the value itself. */
  readonly otherwise?: string;
  /** Requirement on a value: "it must be …". */
  readonly requirement: string;
  readonly choices?: readonly string[];
  readonly isNumber?: boolean;
  /** True for an option with members, which the form reads as JSON. */
  readonly isObject?: boolean;
  /** True for a list of texts, separated by spaces. */
  readonly isList?: boolean;
}

/** A message to the worker. */
export type ToTabWorker =
  | { readonly type: "start"; readonly request: TabRequest }
  | { readonly type: "command"; readonly id: number; readonly command: RunCommand }
  | { readonly type: "move"; readonly id: number; readonly move: Omit<AtomMove, "step"> }
  | { readonly type: "frame"; readonly id: number; readonly index: number }
  | { readonly type: "file"; readonly id: number; readonly path: string };

/** A message of the worker. */
export type FromTabWorker =
  | { readonly type: "ready"; readonly tasks: Readonly<Record<TabTask, readonly TabOption[]>> }
  | { readonly type: "event"; readonly event: RunEvent }
  | { readonly type: "live"; readonly frame: ViewerFrame }
  | { readonly type: "moved"; readonly move: AtomMove; readonly text: string }
  | { readonly type: "result"; readonly result: TabResult }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "answer"; readonly id: number; readonly value?: unknown }
  | { readonly type: "refused"; readonly id: number; readonly message: string };

/** Receives what happens in a run. */
export interface TabReceiver {
  event(event: RunEvent): void;
  live(frame: ViewerFrame): void;
  moved(move: AtomMove, text: string): void;
}

/** A run in the worker. */
export interface TabWork {
  /** Runs to the end. */
  run(): Promise<TabResult>;
  command(command: RunCommand): Promise<void>;
  /** Moves an atom of a paused run. */
  move(move: Omit<AtomMove, "step">): Promise<void>;
  /** Returns a frame of the trajectory. */
  frame(index: number): ViewerFrame;
  /** Makes a file for download. */
  file(path: string): Promise<Uint8Array<ArrayBuffer>>;
}
