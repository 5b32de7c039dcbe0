/**
 * The sequence of stages of one engine.
 *
 * @module
 */

import { ProfiledStage } from "./profiled_stage.ts";
import type { Milliseconds, Track, Transition, TransitionOutput } from "./transition.ts";

/** Services of the profiler that a chain uses. */
export interface ChainHost {
  /** Number of steps between two sampled steps. */
  readonly frequency: number;
  /** Outputs that receive each transition. */
  readonly outputs: readonly TransitionOutput[];
  /** Creates a track. */
  track(engine: string, pid: number, domain: string): Track;
  /** Creates a transition. */
  transition(track: Track, from: string, to: string): Transition;
}

/**
 * Follows the stages of one engine, and finds the transitions between them. All kinds share one chain, so a step of
 * training inside a step of dynamics does not interrupt it.
 */
export class StageChain {
  /** Name of the engine in the profile. */
  readonly engine: string;
  /** Number of the engine. */
  readonly pid: number;
  readonly #host: ChainHost;
  readonly #stages = new Map<string, ProfiledStage>();
  readonly #tracks = new Map<string, Track>();
  readonly #since = new Float64Array(1);
  #previous: ProfiledStage | undefined;
  #step = -1;

  constructor(engine: string, pid: number, host: ChainHost) {
    this.engine = engine;
    this.pid = pid;
    this.#host = host;
  }

  /** Forgets the last stage, so that no transition ends at the next stage. */
  restart(): void {
    this.#previous = undefined;
  }

  /**
   * Records that a stage was reached. Ends the transition that began at the previous stage, and passes stage and
   * transition to the outputs. Ignores steps that are not sampled.
   */
  mark(literal: string, step: number, time: Milliseconds): void {
    const { frequency, outputs } = this.#host;
    // Events, and stages of training with other counters, also call the profiler in steps that are not sampled.
    if (frequency > 1 && step % frequency !== 0) return;
    const stage = this.#stages.get(literal) ?? this.#addStage(literal);
    const previous = this.#previous;
    for (let i = 0; i < outputs.length; i++) outputs[i]!.stage(literal, time);
    if (previous !== undefined && (frequency === 1 || step === this.#step)) {
      this.#record(previous, stage, step, time);
    }
    this.#previous = stage;
    this.#step = step;
    this.#since[0] = time;
  }

  #record(from: ProfiledStage, to: ProfiledStage, step: number, time: Milliseconds): void {
    const transition = from.links.get(to) ?? this.#addTransition(from, to);
    const { outputs } = this.#host;
    const since = this.#since[0]!;
    transition.add(time - since);
    for (let i = 0; i < outputs.length; i++) outputs[i]!.transition(transition, since, time, step);
  }

  #addStage(literal: string): ProfiledStage {
    const stage = new ProfiledStage(literal);
    this.#stages.set(literal, stage);
    return stage;
  }

  #addTransition(from: ProfiledStage, to: ProfiledStage): Transition {
    const { literal } = from;
    const transition = this.#host.transition(this.#track(to.domain), literal, to.literal);
    from.links.set(to, transition);
    return transition;
  }

  #track(domain: string): Track {
    let track = this.#tracks.get(domain);
    if (track === undefined) {
      track = this.#host.track(this.engine, this.pid, domain);
      this.#tracks.set(domain, track);
    }
    return track;
  }
}
