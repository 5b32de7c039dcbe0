/**
 * The engines of a profiler, each with a separate chain of stages.
 *
 * @module
 */

import type { Workflow } from "../../hooks/protocol/context.ts";
import { type ChainHost, StageChain } from "./stage_chain.ts";
import { type Track, Transition, type TransitionOutput } from "./transition.ts";

/** One chain of stages per engine, and the tracks and transitions of all of them. */
export class ProfiledEngines {
  /** Tracks in the order of their first use. */
  readonly tracks: Track[] = [];
  /** Transitions in the order of their first occurrence. */
  readonly transitions: Transition[] = [];
  readonly #chains = new WeakMap<Workflow, StageChain>();
  readonly #names = new Set<string>();
  readonly #host: ChainHost;
  // Engines and tracks share these numbers, because some viewers treat a track with the number of its engine as its
  // main thread.
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

  /** Returns the chain of an engine. Creates it on the first call for that engine. */
  chainOf(engine: Workflow): StageChain {
    const known = this.#chains.get(engine);
    if (known !== undefined) return known;
    const chain = new StageChain(this.#freeName(engine.name), this.#nextId++, this.#host);
    this.#chains.set(engine, chain);
    // A disabled profiler misses stages, so its chain must restart. The event does not say which hook was enabled, so
    // the chain restarts for any of them.
    engine.hooks.subscribe(({ type }) => {
      if (type === "enable") chain.restart();
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
