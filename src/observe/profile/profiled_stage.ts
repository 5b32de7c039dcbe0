/**
 * Stages as a profile records them.
 *
 * @module
 */

import type { Transition } from "./transition.ts";

/** A stage that was reached, and the transitions that begin at it. */
export class ProfiledStage {
  readonly literal: string;
  readonly domain: string;
  /** Map from the stage that followed this one to the transition between the two. */
  readonly links: Map<ProfiledStage, Transition> = new Map();

  constructor(literal: string) {
    this.literal = literal;
    this.domain = literal.slice(0, literal.indexOf("/"));
  }
}
