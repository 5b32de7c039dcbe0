/**
 * The hook core: stages and kinds, the hook protocol, overload tables, the registry, and a loop of one's own to
 * use them in. Knows no kind; imports nothing but the overload sets.
 *
 * @example A loop of one's own with a hook that asks to stop
 * ```ts
 * import { type BaseContext, Loop, makeHook, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * interface Walk extends BaseContext { readonly x: number }
 * const WalkStage = stages<Walk>()("walk", ["AFTER_STEP"]);
 * const loop = new Loop({
 *   kinds: WalkStage,
 *   context: { x: 0 },
 *   step(loop) {
 *     loop.context.x += 1;
 *     return loop.fire(WalkStage.AFTER_STEP);
 *   },
 * });
 * class Fence {
 *   readonly stage = WalkStage.AFTER_STEP;
 *   readonly frequency = 1;
 *   call(ctx: Walk): void { if (ctx.x >= 3) ctx.stop("at the fence"); }
 * }
 * loop.hooks.add(new Fence());
 * assertEquals(await loop.run(10), { status: "stopped", reason: "at the fence", step: 2 });
 * ```
 *
 * @module
 */

export type {
  ArgsAt,
  ArgsOf,
  BaseContext,
  ClassContext,
  ContextAt,
  Field,
  FieldKey,
  Numbers,
  Reading,
  ReadonlyNumbers,
  View,
  Workflow,
  Writing,
} from "./context.ts";
export { field } from "./context.ts";
export type { HookChange, HookControl } from "./control.ts";
export type { AddOptions, Band } from "./entry.ts";
export type { EngineHooksOptions, HookMarks } from "./hooks.ts";
export { EngineHooks } from "./hooks.ts";
export type { Lifecycle, LifecycleName, Method, Pascal } from "./lifecycle.ts";
export type { HookListing, PlanStep } from "./listing.ts";
export { Plan } from "./listing.ts";
export type { ContextOption, LoopOptions } from "./loop.ts";
export { Loop } from "./loop.ts";
export type { ErrorPolicy, HookWarning, Outcome } from "./outcome.ts";
export type {
  AnyKeyOf,
  BuiltInField,
  ContextsOf,
  FieldOf,
  LeftOut,
  OwnFields,
  RequiredField,
} from "./own_fields.ts";
export type {
  KindMatched,
  MaybeRead,
  OverloadOf,
  RowArgs,
  SelectedArgs,
  StageOverload,
} from "./overload.ts";
export { makeOverload } from "./overload.ts";
export type { Part, Share } from "./part.ts";
export type { LateOptions, StagePoint } from "./point.ts";
export type {
  AcceptAt,
  AcceptClass,
  AcceptDevice,
  CallAt,
  DeclaredReads,
  DeclaredStage,
  DeclaredWrites,
  FieldsFor,
  HookOptions,
  ProtocolHook,
  Refused,
  ResultAt,
} from "./protocol.ts";
export type { FetchPlan, FieldValues, LivePlan, ReadPlan, StateSource } from "./reads.ts";
export { hostState } from "./reads.ts";
export { isHook } from "./record.ts";
export type { DeviceHook, DeviceWorker, StageWork } from "./device_work.ts";
export type { Accept, AcceptAll, HookHandle, HookInput, HookOf, HookSet } from "./registry.ts";
export type { SavedHook, SavedHooks, SavedLoop } from "./saved.ts";
export type { ScheduleOptions } from "./schedule.ts";
export type { Slot } from "./shared.ts";
export { Shared, slot } from "./shared.ts";
export type {
  AliasesOf,
  AliasOption,
  AnyRole,
  AnyStages,
  At,
  FieldsOf,
  Gate,
  KindInfo,
  KindOptions,
  MapOf,
  NameIn,
  Observe,
  Observed,
  ObservedStage,
  OptionalOf,
  Pipe,
  Replace,
  Role,
  StageInfo,
  StageOf,
  Stages,
  Uniform,
} from "./stage.ts";
export { stages, stagesOf } from "./stage.ts";
export type { ByName, Hook, HookResult, HookSpec, Otherwise, Table } from "./table.ts";
export { makeHook } from "./table.ts";
export { ObserverMutationError } from "./verify.ts";
