/**
 * Summaries of the runs of folders.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import type { LoggedOutcome, RunRecord } from "../../config/runs/run_record.ts";
import type { RunInfo, RunKind, RunState } from "../protocol.ts";

/** Facts about a run folder. */
export interface FolderFacts {
  readonly id: string;
  readonly path: string;
  readonly config: unknown;
  readonly records: readonly RunRecord[];
  /** Last known number of steps done; of a screening the number of structures. */
  readonly step: number;
  /** True if a living process writes to the folder. */
  readonly isHeld: boolean;
  /** Text of the outcome of a screening, which has no records. */
  readonly outcome: string | undefined;
  readonly files: RunInfo["files"];
}

const KINDS: Readonly<Record<string, RunKind>> = {
  md: "md",
  relax: "relax",
  screen: "screen",
  train: "train",
  "fine-tune": "train",
};

/** Returns the summary of a run folder. */
export function infoOf(facts: FolderFacts): RunInfo {
  const { id, path, step, files } = facts;
  const config = isObject(facts.config) ? facts.config : {};
  const { structures } = isObject(config.facts) ? config.facts : {};
  const kind = kindOf(config.command, facts.records);
  return {
    id,
    name: path.split(/[/\\]/).findLast((part) => part !== "" && part !== ".") ?? path,
    kind,
    state: stateOf(facts),
    step,
    // A screening has a largest number of steps for each structure, and a training counts epochs.
    ...(kind === "md" && typeof config.steps === "number" && { steps: config.steps }),
    ...(kind === "md" && typeof config.dt === "number" && { dt: config.dt }),
    isControllable: false,
    systems: Array.isArray(structures) ? structures.length : 1,
    config: facts.config,
    files,
  };
}

/** Returns the kind of a run: that of its command, or else that of the stages of its hooks. */
function kindOf(command: unknown, records: readonly RunRecord[]): RunKind {
  const known = typeof command === "string" ? KINDS[command] : undefined;
  if (known !== undefined) return known;
  const stages = records.at(-1)?.hooks.flatMap((hook) => hook.stages) ?? [];
  return stages.some((stage) => stage.startsWith("training/")) ? "train" : "run";
}

/** Returns the state of a run that has ended. */
export function endState(
  { status, warnings = [] }: Pick<LoggedOutcome, "status" | "warnings">,
): RunState {
  if (status === "stopped") return "interrupted";
  return status === "completed" && warnings.length > 0 ? "warned" : status;
}

function stateOf({ records, isHeld, outcome }: FolderFacts): RunState {
  const last = records.at(-1);
  if (last?.type === "end") {
    return endState(last.outcome);
  }
  if (isHeld) return "running";
  if (outcome !== undefined) return outcome.includes('"completed"') ? "completed" : "interrupted";
  return "interrupted";
}
