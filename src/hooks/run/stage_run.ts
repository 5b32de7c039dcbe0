/**
 * A visit of a stage: calls the due handlers in order.
 *
 * @module
 */

import { isThenable } from "../../base/sequence.ts";
import type { StageHandler } from "../registry/stage_handler.ts";
import {
  answered,
  callFetched,
  fetchIfDeferred,
  fetchThenCall,
  withFields,
} from "./fetched_call.ts";
import { callEvent, deferCalls } from "./late_call.ts";
import type { ReadPlan } from "./reads.ts";
import type { Coming, StageHost } from "./stage_host.ts";

/**
 * The handlers of a stage at its last compilation. The object is immutable: adding, removing, enabling or disabling a
 * hook makes a new one, so that a visit in progress finishes with the handlers that it began with.
 */
export class StageRun {
  /** The handlers in the order of execution. */
  readonly handlers: readonly StageHandler[];
  /** The members of the registry that a visit uses. */
  readonly host: StageHost;
  readonly #plan: ReadPlan | undefined;

  /**
   * Creates a run of `handlers`. `plan` reads all fields that the late handlers declare; it is undefined if there are
   * none.
   */
  constructor(handlers: readonly StageHandler[], host: StageHost, plan: ReadPlan | undefined) {
    this.handlers = handlers;
    this.host = host;
    this.#plan = plan;
  }

  /**
   * Calls the handlers that are due at a count, beginning with the handler at index `from`. Returns a promise only if
   * a handler returned one.
   *
   * The loop stays synchronous and makes no closure, because one promise or one object per step would cost more than
   * most handlers. Late handlers are collected and share one copy of their fields.
   */
  observe(from: number, count: number): PromiseLike<void> | undefined {
    let late: StageHandler[] | undefined;
    const { coming: find } = this.host;
    const coming = find === undefined ? undefined : find(this.handlers[0]!.info.stage);
    for (let i = from; i < this.handlers.length; i++) {
      const handler = this.handlers[i]!;
      let result: unknown;
      try {
        if (!handler.fires(count, this.host.step)) continue;
        if (handler.isLate || (coming !== undefined && handler.mayBeLate)) {
          (late ??= []).push(handler);
          continue;
        }
        result = handler.isDeferred || coming !== undefined
          ? this.#callInTurn(handler, coming)
          : this.call(handler);
      } catch (error) {
        this.#fail(handler, error, count, late, coming);
      }
      if (isThenable(result)) return this.#resume(i, result, count, late, coming);
    }
    return late === undefined ? undefined : this.#defer(late, coming);
  }

  /** Waits for the promise of the handler at index `i`, then calls the handlers after it. */
  pause(i: number, promise: PromiseLike<unknown>, count: number): PromiseLike<void> {
    return this.#resume(i, promise, count, undefined, undefined);
  }

  /**
   * Applies the error policy of the handler at index `i`, which threw. If the policy does not throw, calls the
   * handlers after it.
   */
  failed(i: number, error: unknown, count: number): PromiseLike<void> | undefined {
    this.host.failed(this.handlers[i]!, error, undefined, undefined, count);
    return this.observe(i + 1, count);
  }

  async #resume(
    i: number,
    promise: PromiseLike<unknown>,
    count: number,
    late: StageHandler[] | undefined,
    coming: Coming | undefined,
  ): Promise<void> {
    const handler = this.handlers[i]!;
    try {
      // The promise of a call that waits its turn includes that wait. `answered` watches the hook itself.
      await (handler.isDeferred || coming !== undefined
        ? promise
        : this.host.answer(handler, promise));
    } catch (error) {
      this.#fail(handler, error, count, late, coming);
    }
    if (late !== undefined) await this.#defer(late, coming);
    await this.observe(i + 1, count);
  }

  /**
   * Applies the error policy of a handler. If the policy throws, the late handlers collected before are still
   * deferred.
   */
  #fail(
    handler: StageHandler,
    error: unknown,
    count: number,
    late: readonly StageHandler[] | undefined,
    coming: Coming | undefined,
  ): void {
    try {
      this.host.failed(handler, error, undefined, undefined, count);
    } catch (thrown) {
      if (late !== undefined) this.#defer(late, coming);
      throw thrown;
    }
  }

  #defer(
    late: readonly StageHandler[],
    coming: Coming | undefined,
  ): PromiseLike<void> | undefined {
    return deferCalls(this.host, this.#plan, late, coming);
  }

  /** Calls the handlers with `atEnd` at the end of a run, unless they fired at the last count, `last`. */
  async fireEnd(last: number): Promise<void> {
    for (const handler of this.handlers) {
      const { schedule } = handler;
      if (last < 0 || !schedule.owesEnd(last) || !handler.hasShare()) continue;
      const previous = schedule.last;
      try {
        if (!handler.isWanted()) continue;
        schedule.last = last;
        const answer = this.call(handler);
        await (handler.isDeferred ? answer : answered(this.host, handler, answer));
      } catch (error) {
        this.host.failed(handler, error, this.host.step, previous);
      }
    }
  }

  /** Calls the handlers that are due at an event which happened earlier; see {@linkcode callEvent}. */
  async fireLate(count: number, event: object, isOfParts: boolean): Promise<void> {
    const handlers = isOfParts
      ? this.handlers.filter(({ entry }) => entry.part !== undefined)
      : this.handlers;
    await callEvent(this.host, handlers, event, count);
  }

  /** Calls one handler. If its fields must be fetched, fetches them first and returns a promise. */
  call(handler: StageHandler): unknown {
    if (handler.isDeferred) return fetchThenCall(this.host, handler);
    const { verify } = this.host;
    if (verify === undefined || handler.info.role !== "observe" || handler.isModifier) {
      const { target, ctx } = handler.binding;
      return target.call(ctx, handler.info.stage);
    }
    return this.#verify(verify, handler);
  }

  // A separate method, because a closure in `call` would be allocated at each call even without `verify`.
  #verify(verify: NonNullable<StageHost["verify"]>, handler: StageHandler): unknown {
    const { target, ctx } = handler.binding;
    return verify(handler, () => target.call(ctx, handler.info.stage));
  }

  /** Calls a handler after all earlier deferred calls. Does not call it if the run was over at an earlier step. */
  async #callInTurn(handler: StageHandler, coming: Coming | undefined): Promise<void> {
    const { soFar } = this.host;
    const { previous } = handler.schedule;
    const values = await fetchIfDeferred(this.host, handler);
    const fields = coming === undefined ? {} : await coming;
    await soFar;
    if (values === undefined || fields === undefined || this.host.isCut) {
      return handler.unfire(previous);
    }
    const { target, ctx: own } = handler.binding;
    const ctx = coming === undefined ? own : withFields(own, fields, handler.info);
    if (handler.isDeferred) await callFetched(this.host, handler, ctx, values);
    else await answered(this.host, handler, target.call(ctx, handler.info.stage));
  }
}
