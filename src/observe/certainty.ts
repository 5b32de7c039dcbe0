/**
 * Whether two stages that were seen one after the other also followed one another.
 *
 * With `frequency` n the core calls a hook at every n-th count *of each stage's counter*. In a kind whose stages all
 * count steps, a sampled step is seen whole. Training also counts batches and epochs: in the step that is sampled
 * some batches may not be, so that a pair of seen stages may have unseen ones between them.
 *
 * @module
 */

import type { StageInfo } from "../hooks/stage.ts";
import type { Transition } from "./transition.ts";

/**
 * - "always": nothing can have come between;
 * - "once": unless the second was seen in this step before, because then another batch began unseen;
 * - "never": something may have come between.
 */
export type Certainty = "always" | "once" | "never";

/** A kind that is known by name. */
export interface ProfiledKind {
  /** Its name. */
  readonly domain: string;
  /** Its stages, by literal. */
  readonly stages: ReadonlyMap<string, StageInfo>;
  /** Do its stages count different things? */
  readonly isMixed: boolean;
}

/** A kind with what its stages count. */
export function profiledKind(
  domain: string,
  stages: ReadonlyMap<string, StageInfo>,
): ProfiledKind {
  const isMixed = [...stages.values()].some(({ counter }) => counter !== "step");
  return { domain, stages, isMixed };
}

/** What has followed a stage, and how it is to be counted. */
export interface ProfiledLink {
  /** Where it is counted. */
  readonly transition: Transition;
  /** Whether. */
  readonly certainty: Certainty;
}

/** A stage that was seen, and what has followed it. */
export class ProfiledStage {
  readonly literal: string;
  readonly domain: string;
  /** The kind, when it is known by name; any other is taken to count steps. */
  readonly kind: ProfiledKind | undefined;
  /** By the stage that followed. */
  readonly links: Map<ProfiledStage, ProfiledLink> = new Map();
  /** The step in which it was last seen. */
  step = -1;

  constructor(literal: string, kind: ProfiledKind | undefined) {
    this.literal = literal;
    this.kind = kind;
    this.domain = kind?.domain ?? literal.slice(0, literal.indexOf("/"));
  }
}

/**
 * How sure it is that `to` follows `from` when both were seen, in this order, in one sampled step. A pair BEFORE_X, AFTER_X
 * that counts the same is sure however often it comes: an update by several optimizers, one after the other.
 */
export function certaintyOf(from: ProfiledStage, to: ProfiledStage): Certainty {
  if (from.kind?.isMixed !== true && to.kind?.isMixed !== true) return "always";
  const before = from.kind?.stages.get(from.literal);
  const after = to.kind?.stages.get(to.literal);
  if (before === undefined || after === undefined || before.kind !== after.kind) return "never";
  if (before.isEvent || after.isEvent) return "never";
  if (before.counter !== after.counter) return "never";
  return before.name.replace(/^BEFORE_/, "AFTER_") === after.name && before !== after
    ? "always"
    : "once";
}
