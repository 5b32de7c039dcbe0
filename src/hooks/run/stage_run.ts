/**
 * What happens when a stage is reached: its places, in order, called one after the other.
 *
 * @module
 */

import type { Place } from "../registry/entry.ts";
import { accessor, type FetchPlan, type FieldValues, type ReadPlan } from "./reads.ts";
import { isThenable } from "../../base/sequence.ts";

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
  /**
   * Deals with an error by the policy of the place: throws it, or counts and reports it. `before`: the count at which the
   * place had last fired before it threw.
   */
  failed(place: Place, error: unknown, step?: number, before?: number): void;
  /** Calls an observer between two fingerprints of what it was handed; absent unless verifying. */
  readonly verify: ((place: Place, call: () => unknown) => unknown) | undefined;
  /** Hands `deliver` the values when they have arrived, in order; nothing, where they were of no step. */
  defer(
    values: PromiseLike<FieldValues | undefined>,
    deliver: (values: FieldValues | undefined) => unknown,
  ): PromiseLike<void> | undefined;
  /** Settled when all that was deferred so far is delivered. */
  readonly soFar: Promise<void>;
  /** Has the run turned out to be over, in a step before this one? */
  readonly isCut: boolean;
  /** Must it be known of each place when it last fired? */
  readonly isTracked: boolean;
  /** What of the context is yet to come at a stage; absent where it never is. */
  readonly coming: ((stage: string) => Coming | undefined) | undefined;
}

/** Fields of the context that are yet to come; nothing, where the step has turned out to be none. */
export type Coming = PromiseLike<object | undefined>;

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

  /** `plan` reads the union of the fields that the late places declared. */
  constructor(places: readonly Place[], host: StageHost, plan: ReadPlan | undefined) {
    this.places = places;
    this.host = host;
    this.#plan = plan;
  }

  /** Calls what is due at a count, from place `from` on. Returns a promise only if a handler did. */
  observe(from: number, count: number): PromiseLike<void> | undefined {
    let late: Place[] | undefined;
    const { coming: find } = this.host;
    const coming = find === undefined ? undefined : find(this.places[0]!.info.stage);
    for (let i = from; i < this.places.length; i++) {
      const place = this.places[i]!;
      let result: unknown;
      try {
        if (!place.fires(count, this.host.step)) continue;
        if (place.isLate || (coming !== undefined && place.mayBeLate)) {
          (late ??= []).push(place);
          continue;
        }
        result = place.isDeferred || coming !== undefined
          ? this.#inTurn(place, coming)
          : this.call(place);
      } catch (error) {
        this.#fail(place, error, late, coming);
      }
      if (isThenable(result)) return this.#resume(i, result, count, late, coming);
    }
    return late === undefined ? undefined : this.#defer(late, coming);
  }

  /** Goes on after place `i` answered with a promise. */
  pause(i: number, promise: PromiseLike<unknown>, count: number): PromiseLike<void> {
    return this.#resume(i, promise, count, undefined, undefined);
  }

  /** Goes on after place `i` threw, if its policy lets it. */
  failed(i: number, error: unknown, count: number): PromiseLike<void> | undefined {
    this.host.failed(this.places[i]!, error);
    return this.observe(i + 1, count);
  }

  /** Deals with an error; where it is thrown, those whose turn was before still get what they read. */
  #fail(
    place: Place,
    error: unknown,
    late: readonly Place[] | undefined,
    coming: Coming | undefined,
  ): void {
    try {
      this.host.failed(place, error);
    } catch (thrown) {
      if (late !== undefined) this.#defer(late, coming);
      throw thrown;
    }
  }

  /** Calls the places that ask for it at the end of a run, unless they fired at its last count. */
  async fireEnd(last: number): Promise<void> {
    for (const place of this.places) {
      if (last < 0 || !place.schedule.owesEnd(last) || !place.hasShare()) continue;
      const before = place.schedule.last;
      try {
        if (!place.isWanted()) continue;
        place.schedule.last = last;
        await this.call(place);
      } catch (error) {
        this.host.failed(place, error, this.host.step, before);
      }
    }
  }

  async #resume(
    i: number,
    promise: PromiseLike<unknown>,
    count: number,
    late: Place[] | undefined,
    coming: Coming | undefined,
  ): Promise<void> {
    try {
      await promise;
    } catch (error) {
      this.#fail(this.places[i]!, error, late, coming);
    }
    if (late !== undefined) await this.#defer(late, coming);
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

  /** The same, after all that was deferred before has been delivered; not at all, if the run was over before that. */
  async #inTurn(place: Place, coming: Coming | undefined): Promise<void> {
    const { soFar } = this.host;
    const { before } = place;
    const values = await this.#takeIfAny(place);
    const fields = coming === undefined ? {} : await coming;
    await soFar;
    if (values === undefined || fields === undefined || this.host.isCut) {
      return place.unfire(before);
    }
    const ctx = coming === undefined ? place.ctx : withFields(place.ctx, fields);
    if (place.isDeferred) await this.#callWith(place, ctx, values);
    else await place.target.call(ctx, place.info.stage);
  }

  /**
   * Calls what is due at an event of long ago, with a context of its own, one after the other. What observers read is
   * there before the first of them is called.
   */
  async fireLate(count: number, event: object, isOfParts: boolean): Promise<void> {
    const places = isOfParts
      ? this.places.filter(({ entry }) => entry.part !== undefined)
      : this.places;
    const calls = places.map((place) => ({
      place,
      ctx: snapshot(place.ctx, this.host.context, event),
    }));
    const observers = calls.filter(({ place }) => place.isObserver);
    for (const one of calls) {
      if (one.place.isObserver || !this.#isDue(one, count)) continue;
      await this.#callLate(one, count);
    }
    const due = observers.filter((one) => this.#isDue(one, count));
    const taken = await Promise.allSettled(due.map(({ place }) => this.#takeIfAny(place)));
    try {
      for (const [i, read] of taken.entries()) {
        if (read.status === "rejected") this.host.failed(due[i]!.place, read.reason, count);
      }
    } catch (error) {
      for (const { place } of observers) place.unask(); // where it goes on in another way they are asked again
      throw error;
    }
    for (const [i, read] of taken.entries()) {
      if (read.status === "fulfilled") await this.#callLate(due[i]!, count, read);
    }
  }

  #isDue({ place, ctx }: LateCall, count: number): boolean {
    try {
      return place.fires(count, this.host.step, ctx);
    } catch (error) {
      this.host.failed(place, error, count);
      return false;
    }
  }

  /** Calls one place, with what it reads if that is there already. */
  async #callLate(
    { place, ctx }: LateCall,
    count: number,
    read?: { readonly value: FieldValues | undefined },
  ): Promise<void> {
    try {
      if (!place.isDeferred) return void await place.target.call(ctx, place.info.stage);
      const values = read === undefined ? await this.#takeFor(place) : read.value;
      if (values !== undefined) await this.#callWith(place, ctx, values);
    } catch (error) {
      this.host.failed(place, error, count);
    }
  }

  /** What a place reads, as far as it must be fetched. */
  async #takeIfAny(place: Place): Promise<FieldValues | undefined> {
    return place.isDeferred ? await this.#takeFor(place) : {};
  }

  async #readThenCall(place: Place): Promise<unknown> {
    const values = await this.#takeFor(place);
    if (values !== undefined) return await this.#callWith(place, place.ctx, values);
  }

  #takeFor(place: Place): Promise<FieldValues | undefined> {
    return this.#fetch([place], () => place.plan!.fetch(true));
  }

  /** Calls a place with values that were fetched, and hands back what it has changed of them; gives its answer. */
  async #callWith(place: Place, ctx: object, all: FieldValues): Promise<unknown> {
    const { plan, info: { stage }, entry: { part, record: { label } } } = place;
    const share = part?.share(all, stage, ctx);
    const values = share?.values ?? all;
    const changed = new Set<string>();
    const own = this.#withValues(place, withFields(ctx, share?.context ?? {}), values, changed);
    if (part !== undefined && (share === undefined || !place.isWanted(own))) {
      return place.skip(place.schedule.last, place.before);
    }
    const answer: unknown = await place.target.call(own, stage);
    if (changed.size === 0) return answer;
    if (plan?.writeBack === undefined) {
      throw new TypeError(
        `Cannot write ${
          [...changed].join(", ")
        } in hook ${label} as the state's source must take it back: it can ` +
          `only be read`,
      );
    }
    plan.writeBack(
      share?.whole(changed) ??
        Object.fromEntries([...changed].map((field) => [field, values[field]])),
    );
    return answer;
  }

  /** Begins to fetch what the places declared; what goes wrong names the stage and the step. */
  async #fetch(
    places: readonly Place[],
    fetch: () => PromiseLike<FieldValues | undefined>,
  ): Promise<FieldValues | undefined> {
    const { step } = this.host;
    try {
      return await fetch();
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
  #defer(
    places: readonly Place[],
    coming: Coming | undefined,
  ): PromiseLike<void> | undefined {
    const late = places.map((place) => ({
      place,
      ctx: snapshot(place.ctx, this.host.context),
      at: place.schedule.last,
      before: place.before,
    }));
    const values = this.#takeLate(places);
    if (coming === undefined) {
      return this.host.defer(values, (values) => this.#deliver(late, values));
    }
    const fields: Promise<FieldValues | undefined> = Promise.resolve(coming) as Promise<never>;
    let own: FieldValues | undefined;
    const both = Promise.all([values, fields]).then(([values, fields]) => {
      own = fields;
      return fields === undefined ? undefined : values;
    });
    return this.host.defer(both, (values) => this.#deliver(late, values, own));
  }

  /** What places read, fetched as it is now: nothing, where none of them does. */
  #takeLate(places: readonly Place[]): Promise<FieldValues | undefined> {
    const reading = places.filter(({ isDeferred }) => isDeferred);
    if (reading.length === 0) return Promise.resolve({});
    return this.#fetch(reading, () => (this.#plan as FetchPlan).fetch(false));
  }

  async #deliver(
    late: readonly Late[],
    values: FieldValues | undefined,
    fields: object = {},
  ): Promise<void> {
    if (values === undefined) {
      for (const { place, before } of late) place.unfire(before);
      return;
    }
    for (const [i, { place, ctx, at, before }] of late.entries()) {
      const { stepCount } = ctx as { readonly stepCount: number };
      if (hasGivenUp(place)) continue;
      try {
        const known = withFields(ctx, fields);
        const own = place.isDeferred ? this.#withShare(place, known, values) : known;
        if (own === undefined) place.skip(at, before);
        else await place.target.call(own, place.info.stage);
      } catch (error) {
        try {
          this.host.failed(place, ofStep(place, error, stepCount), stepCount, before);
        } catch (thrown) {
          for (const { place, before } of late.slice(i + 1)) place.unfire(before);
          throw thrown;
        }
      }
    }
  }

  /** A context with what of values that were fetched is for a place; nothing, where there is nothing for it. */
  #withShare(place: Place, ctx: object, values: FieldValues): object | undefined {
    const { part } = place.entry;
    if (part === undefined) return this.#withValues(place, ctx, values);
    const share = part.share(values, place.info.stage, ctx);
    if (share === undefined) return undefined;
    const own = this.#withValues(place, withFields(ctx, share.context), share.values);
    return place.isWanted(own) ? own : undefined;
  }

  /** A context with values that were fetched; `changed` takes note of those that are asked for to be written. */
  #withValues(
    { entry: { record } }: Place,
    ctx: object,
    values: FieldValues,
    changed?: Set<string>,
  ): object {
    const { label, reads, writes } = record;
    const { fields } = this.host;
    const read = accessor(label, "reads", reads, fields, (field) => values[field]);
    if (changed === undefined || writes.length === 0) {
      return Object.create(ctx, { read: { value: read, enumerable: true } });
    }
    const write = accessor(label, "writes", writes, fields, (field) => {
      changed.add(field);
      return values[field];
    });
    return Object.create(ctx, {
      read: { value: read, enumerable: true },
      write: { value: write, enumerable: true },
    });
  }
}

/** An error that comes late must say of which step it is; some do. */
function ofStep(
  { entry: { name }, info: { stage } }: Place,
  error: unknown,
  step: number,
): unknown {
  if (error instanceof Error && (error as { readonly step?: unknown }).step === step) return error;
  return new Error(`Cannot go on as hook ${name} threw at ${stage} of step ${step}`, {
    cause: error,
  });
}

/** A place to be called for an event of long ago. */
interface LateCall {
  readonly place: Place;
  /** The context as it was then. */
  readonly ctx: object;
}

/** A place that is to be called when its values are there. */
interface Late {
  readonly place: Place;
  /** The context as it was in its step. */
  readonly ctx: object;
  /** The count at which it fired. */
  readonly at: number;
  /** The count at which it had fired before. */
  readonly before: number;
}

/** Did it fail before, and was it told to be switched off then? */
function hasGivenUp({ onError, entry }: Place): boolean {
  return onError === "disable" && entry.errors > 0 && !entry.enabled;
}

/** A copy of a context as it is now, or as `event` says: a step later the engine's own has moved on. */
function snapshot(ctx: object, engineContext: object, event: object = {}): object {
  const copy = Object.create(
    Object.getPrototypeOf(engineContext),
    Object.getOwnPropertyDescriptors(engineContext),
  );
  Object.assign(copy, event);
  // Bound, as handlers may take it out of the context: it must name this step.
  if (typeof copy.stop === "function") copy.stop = copy.stop.bind(copy);
  return ctx === engineContext ? copy : Object.create(copy, Object.getOwnPropertyDescriptors(ctx));
}

/** A context with fields that were yet to come. */
function withFields(ctx: object, fields: object): object {
  const entries = Object.entries(fields);
  if (entries.length === 0) return ctx;
  const own = entries.map(([name, value]) => [name, { value, enumerable: true }] as const);
  return Object.create(ctx, Object.fromEntries(own));
}
