/**
 * A stage as a profile sees it.
 *
 * @module
 */

import type { Transition } from "./transition.ts";

/** A stage that was seen, and what has followed it. */
export class ProfiledStage {
  readonly literal: string;
  readonly domain: string;
  /** By the stage that followed. */
  readonly links: Map<ProfiledStage, Transition> = new Map();

  constructor(literal: string) {
    this.literal = literal;
    this.domain = literal.slice(0, literal.indexOf("/"));
  }
}
