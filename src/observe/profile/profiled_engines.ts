/**
 * The engines of a profiler, kept apart.
 *
 * @module
 */

import type { Workflow } from "../../hooks/protocol/context.ts";
import { type ChainHost, StageChain } from "./stage_chain.ts";
import { type Track, Transition, type TransitionOutput } from "./transition.ts";

/** A chain of stages per engine, and what all of them have seen. */
export class ProfiledEngines {
  /** In the order in which they were first needed. */
  readonly tracks: Track[] = [];
  /** In the order in which they were first seen. */
  readonly transitions: Transition[] = [];
  readonly #chains = new WeakMap<Workflow, StageChain>();
  readonly #names = new Set<string>();
  readonly #host: ChainHost;
  // Shared by engines and tracks: some viewers take a track numbered as its engine for something special.
  #nextId = 1;

  constructor(options: { frequency: number; outputs: readonly TransitionOutput[] }) {
    this.#host = {
      ...options,
      track: (engine, pid, domain) => {
        const track = { engine, pid, domain, tid: this.#nextId++ };
        this.tracks.push(track);
        return track;
      },
      transition: (track, from, to) => {
        const transition = new Transition(track, from, to, this.transitions.length);
        this.transitions.push(transition);
        return transition;
      },
    };
  }

  /** The chain of an engine. */
  chainOf(engine: Workflow): StageChain {
    const known = this.#chains.get(engine);
    if (known !== undefined) return known;
    const chain = new StageChain(this.#freeName(engine.name), this.#nextId++, this.#host);
    this.#chains.set(engine, chain);
    // While the profiler was disabled it saw nothing. Which of the hooks it is, it cannot tell.
    engine.hooks.subscribe(({ type }) => {
      if (type === "enable") chain.rest();
    });
    return chain;
  }

  #freeName(name: string): string {
    let free = name;
    for (let n = 2; this.#names.has(free); n++) free = `${name}-${n}`;
    this.#names.add(free);
    return free;
  }
}
