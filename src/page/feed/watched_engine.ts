/**
 * Engines that the page watches.
 *
 * @module
 */

import type { Workflow } from "../../hooks/protocol/context.ts";
import type { AddOptions } from "../../hooks/registry/add_options.ts";
import type { RunCommand, RunKind } from "../protocol.ts";

/** An engine that the page can watch: any engine of dynamics, a trainer, or a loop. */
export interface WatchedEngine extends Workflow {
  /** Hooks of the engine. */
  readonly hooks: Workflow["hooks"] & { add(hook: never, options?: AddOptions): unknown };
  /** Runs work between two steps. Without it, the run cannot be paused. */
  betweenSteps?<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** Requests a stop after the current step. */
  stop?(reason: string): void;
}

/** Facts about a watched run that its engine does not know. */
export interface WatchedFacts {
  /** Name of the run. */
  readonly name: string;
  readonly kind: RunKind;
  /** Number of steps in all. */
  readonly steps?: number;
  /** Time step, fs. */
  readonly dt?: number;
  readonly config?: unknown;
}

/** Steps between two looks at an engine whose steps are fast: more looks would cost more than what they show. */
const FAST = 16;

/** Returns the number of steps between two looks at an engine of dynamics. Steps with an ONNX model may take seconds. */
export function frequencyOf(engine: WatchedEngine): number {
  const { model } = engine as { readonly model?: { readonly runtime?: unknown } };
  return typeof model?.runtime === "string" ? 1 : FAST;
}

/** Returns a command that was carried out as the begin of a sentence. */
export function commandText(command: RunCommand): string {
  switch (command.action) {
    case "stop":
      return "Stopped";
    case "pause":
      return "Paused";
    case "resume":
      return "Resumed";
    case "hook":
      return `${command.enabled ? "Enabled" : "Disabled"} hook ${command.name}`;
  }
}

/** Returns the function that stops a run. Throws an Error if neither the run nor its engine has one. */
export function stopOf(
  engine: WatchedEngine,
  stop: (() => void) | undefined,
): (reason: string) => void {
  if (stop !== undefined) return stop;
  if (engine.stop === undefined) throw new Error(`Cannot stop ${engine.name}`);
  return (reason) => engine.stop!(reason);
}
