/**
 * What happens when a stage is reached: its places, in order, called one after the other.
 *
 * @module
 */

import type { Place } from "./entry.ts";
import { accessor, type FieldValues, type ReadPlan } from "./reads.ts";
import { isThenable } from "./thenable.ts";

/** What a stage needs of the registry. */
export interface StageHost {
  /** The engine's one context. */
  readonly context: object;
  /** Steps done so far. */
  readonly step: number;
  /** How far a counter has come. */
  count(counter: string): number;
  /** The names of all fields of the engine's state. */
  readonly fields: readonly string[];
  /** Deals with an error by the policy of the place: throws it, or counts and reports it. */
  failed(place: Place, error: unknown, step?: number): void;
  /** Calls an observer between two fingerprints of what it was handed; absent unless verifying. */
  readonly verify: ((place: Place, call: () => unknown) => unknown) | undefined;
  /** Hands `deliver` the values when they have arrived, in order. */
  defer(
    values: PromiseLike<FieldValues>,
    deliver: (values: FieldValues) => unknown,
  ): PromiseLike<void> | undefined;
}

/**
 * The places of a stage as they were when it was last compiled. Never changed: adding, removing and toggling
 * make a new one, so that a dispatch under way finishes with the hooks it began with.
 */
export class StageRun {
  /** In the order in which they are called. */
  readonly places: readonly Place[];
  /** What it needs of the registry. */
  readonly host: StageHost;
  readonly #plan: ReadPlan | undefined;

  /** `plan` reads the union of the fields that the deferred places declared. */
  constructor(places: readonly Place[], host: StageHost, plan: ReadPlan | undefined) {
    this.places = places;
    this.host = host;
    this.#plan = plan;
  }

  /** Calls what is due at a count, from place `from` on. Returns a promise only if a handler did. */
  observe(from: number, count: number): PromiseLike<void> | undefined {
    let late: Place[] | undefined;
    for (let i = from; i < this.places.length; i++) {
      const place = this.places[i]!;
      let result: unknown;
      try {
        if (!place.fires(count, this.host.step)) continue;
        if (place.isDeferred && !place.isModifier && !place.entry.record.hook.sync) {
          (late ??= []).push(place);
          continue;
        }
        result = this.call(place);
      } catch (error) {
        this.host.failed(place, error);
      }
      if (isThenable(result)) return this.#resume(i, result, count, late);
    }
    return late === undefined ? undefined : this.#defer(late);
  }

  /** Goes on after place `i` answered with a promise. */
  pause(i: number, promise: PromiseLike<unknown>, count: number): PromiseLike<void> {
    return this.#resume(i, promise, count, undefined);
  }

  /** Goes on after place `i` threw, if its policy lets it. */
  failed(i: number, error: unknown, count: number): PromiseLike<void> | undefined {
    this.host.failed(this.places[i]!, error);
    return this.observe(i + 1, count);
  }

  /** Calls the places that ask for it at the end of a run, unless they fired at its last count. */
  async fireEnd(last: number): Promise<void> {
    for (const place of this.places) {
      if (last < 0 || !place.schedule.owesEnd(last)) continue;
      try {
        if (!place.isWanted) continue;
        place.schedule.last = last;
        await this.call(place);
      } catch (error) {
        this.host.failed(place, error);
      }
    }
  }

  async #resume(
    i: number,
    promise: PromiseLike<unknown>,
    count: number,
    late: Place[] | undefined,
  ): Promise<void> {
    try {
      await promise;
    } catch (error) {
      this.host.failed(this.places[i]!, error);
    }
    if (late !== undefined) await this.#defer(late);
    await this.observe(i + 1, count);
  }

  /** Calls one place; waits for its reads first if they must be fetched. */
  call(place: Place): unknown {
    if (place.isDeferred) return this.#readThenCall(place);
    const { verify } = this.host;
    if (verify === undefined || place.info.role !== "observe" || place.isModifier) {
      return place.target.call(place.ctx, place.info.stage);
    }
    return this.#verify(verify, place);
  }

  // Apart, because a closure in `call` would cost memory at each call, verifying or not.
  #verify(verify: NonNullable<StageHost["verify"]>, place: Place): unknown {
    return verify(place, () => place.target.call(place.ctx, place.info.stage));
  }

  async #readThenCall(place: Place): Promise<unknown> {
    const values = await this.#take([place]);
    return await place.target.call(this.#withRead(place, place.ctx, values), place.info.stage);
  }

  /** Begins to fetch what the places declared; what goes wrong names the stage and the step. */
  async #take(places: readonly Place[]): Promise<FieldValues> {
    const { step } = this.host;
    try {
      if (this.#plan === undefined || this.#plan.live) return {};
      return await this.#plan.take();
    } catch (cause) {
      const names = places.map((place) => place.entry.name).join(", ");
      throw new Error(
        `Cannot fetch what ${names} reads at ${
          places[0]!.info.stage
        } of step ${step} as the state's source failed`,
        { cause },
      );
    }
  }

  /** One fused copy for all of them; each is called with a context of this step when it has arrived. */
  #defer(places: readonly Place[]): PromiseLike<void> | undefined {
    const contexts = places.map((place) => snapshot(place.ctx, this.host.context));
    return this.host.defer(this.#take(places), (values) => this.#deliver(places, contexts, values));
  }

  async #deliver(
    places: readonly Place[],
    contexts: readonly object[],
    values: FieldValues,
  ): Promise<void> {
    for (const [i, place] of places.entries()) {
      const { stepCount } = contexts[i] as { readonly stepCount: number };
      if (hasGivenUp(place)) continue;
      try {
        await place.target.call(this.#withRead(place, contexts[i]!, values), place.info.stage);
      } catch (error) {
        const { entry: { name }, info: { stage } } = place;
        const late = new Error(
          `Cannot go on as hook ${name} threw at ${stage} of step ${stepCount}`,
          { cause: error },
        );
        this.host.failed(place, late, stepCount);
      }
    }
  }

  #withRead({ entry: { record } }: Place, ctx: object, values: FieldValues): object {
    const read = accessor(
      record.label,
      "reads",
      record.reads,
      this.host.fields,
      (field) => values[field],
    );
    return Object.create(ctx, { read: { value: read, enumerable: true } });
  }
}

/** Did it fail before, and was it told to be switched off then? */
function hasGivenUp({ onError, entry }: Place): boolean {
  return onError === "disable" && entry.errors > 0 && !entry.enabled;
}

/** A copy of a context as it is now: a step later the engine's own has moved on. */
function snapshot(ctx: object, engineContext: object): object {
  const copy = Object.create(
    Object.getPrototypeOf(engineContext),
    Object.getOwnPropertyDescriptors(engineContext),
  );
  // Bound, as handlers may take it out of the context: it must name this step.
  if (typeof copy.stop === "function") copy.stop = copy.stop.bind(copy);
  return ctx === engineContext ? copy : Object.create(copy, Object.getOwnPropertyDescriptors(ctx));
}
