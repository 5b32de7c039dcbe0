// A loop to be logged: one stage, and two hooks that count how often they were called.
import type { RunLogOptions, RunRecord } from "../../src/config/mod.ts";
import { runLog } from "../../src/config/mod.ts";
import { type BaseContext, Loop, type LoopOptions, stages } from "../../src/hooks/mod.ts";

export const WalkStage = stages<BaseContext>()("walk", ["BEFORE_STEP", "AFTER_STEP"]);
export type WalkKind = typeof WalkStage;

/** An observer that does nothing, or what it is told. */
export function observer(name: string, frequency = 1, call: (ctx: BaseContext) => void = () => {}) {
  return { name, stage: WalkStage.AFTER_STEP, frequency, call };
}

/** A loop that fires its one stage. */
export function walk(options: Partial<LoopOptions<WalkKind>> = {}): Loop<WalkKind> {
  return new Loop({
    name: "walk",
    kinds: WalkStage,
    step: (loop) => loop.fire(WalkStage.AFTER_STEP),
    ...options,
  });
}

/** The records of what was written, whatever the pieces it was written in. */
export function parse(text: string): RunRecord[] {
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** A log that keeps its text. */
export function keptLog(options: Omit<RunLogOptions, "write" | "path"> = {}) {
  let text = "";
  const log = runLog({ commit: "c0ffee", ...options, write: (line) => void (text += line) });
  return { log, records: () => parse(text) };
}
