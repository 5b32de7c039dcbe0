// A loop to be logged: one stage, and two hooks that count their calls. It imports files directly: a run log needs no
// package, so this runs without an import map.
import { runLog, type RunLogHook } from "../../src/config/runs/run_log.ts";
import type { RunLogOptions } from "../../src/config/runs/run_log_options.ts";
import type { RunRecord } from "../../src/config/runs/run_record.ts";
import {
  type BaseContext,
  defineKind,
  type Engine,
  Loop,
  type LoopOptions,
  type Observe,
  type StageKind,
} from "../../src/hooks/mod.ts";

export interface WalkStages {
  readonly BEFORE_STEP: Observe<BaseContext>;
  readonly AFTER_STEP: Observe<BaseContext>;
}

export const WalkStage: StageKind<"walk", WalkStages> = defineKind("walk", {
  BEFORE_STEP: "observe",
  AFTER_STEP: "observe",
});
export type WalkKind = typeof WalkStage;

/** A hook with a name. */
export interface Observer {
  readonly name: string;
  readonly stage: "walk/AFTER_STEP";
  readonly frequency: number;
  readonly call: (ctx: BaseContext) => void;
}

/** An observer that calls a function, by default an empty one. */
export function observer(
  name: string,
  frequency: number = 1,
  call: (ctx: BaseContext) => void = () => {},
): Observer {
  return { name, stage: WalkStage.AFTER_STEP, frequency, call };
}

/** Options of the loop, and its step unless it only fires the stage. */
type WalkOptions = LoopOptions<WalkKind> & Partial<Pick<Engine<WalkKind>, "step">>;

/** A loop that fires its only stage. */
export function walk(
  { step = (loop) => loop.fire(WalkStage.AFTER_STEP), ...options }: WalkOptions = {},
): Loop<WalkKind> {
  return new Loop({ kinds: WalkStage, step }, { name: "walk", ...options });
}

/** Parses the written records, however they were split. */
export function parse(text: string): RunRecord[] {
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** A log that keeps its text. */
export function keptLog(
  options: Omit<RunLogOptions, "write" | "path"> = {},
): { log: RunLogHook; records: () => RunRecord[] } {
  let text = "";
  const log = runLog({ commit: "c0ffee", ...options, write: (line) => void (text += line) });
  return { log, records: () => parse(text) };
}
