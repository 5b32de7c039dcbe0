/**
 * The hook core: stages and kinds, the hook protocol, overload tables, the registry, and the loop for custom engines.
 * It contains no built-in kind, and imports only `src/base` and `src/dispatch`. `src/hook.ts` adds `hook` and
 * `overload`, which know the built-in kinds.
 *
 * @module
 */

export type {
  ArgsAt,
  ArgsOf,
  BaseContext,
  ClassContext,
  ContextAt,
  CustomField,
  DeclaredInReads,
  DeclaredInWrites,
  FieldKey,
  NumberList,
  Numbers,
  ReadonlyNumbers,
  ReadonlyRows,
  ROWS_OF_BATCH,
  View,
  Workflow,
} from "./protocol/context.ts";
export { field } from "./protocol/context.ts";
export type { HookChange, HookControl } from "./protocol/control.ts";
export type { AddOptions, Band, PlacedOptions } from "./registry/add_options.ts";
export type { EngineHooksOptions, HookMarks } from "./registry/engine_hooks_options.ts";
export { EngineHooks } from "./registry/engine_hooks.ts";
export type { Lifecycle, LifecycleName, Method, Pascal } from "./protocol/lifecycle.ts";
export type { HookListing, PlanStep } from "./registry/listing.ts";
export { Plan } from "./registry/listing.ts";
export type { Engine } from "./loop/loop.ts";
export type { ContextOption, LoopHooks, LoopOptions } from "./loop/loop_options.ts";
export { Loop } from "./loop/loop.ts";
export type { StepEngine } from "./loop/steps.ts";
export type { ErrorPolicy, HookWarning, Outcome } from "./protocol/outcome.ts";
export type { RunWarnings } from "./loop/progress.ts";
export type {
  AnyKeyOf,
  ContextsOf,
  EngineField,
  FieldOf,
  LeftOut,
  OwnFields,
  RequiredField,
} from "./protocol/own_fields.ts";
export type {
  KindMatched,
  MaybeRead,
  OverloadOf,
  RowArgs,
  SelectedArgs,
  StageOverload,
} from "./protocol/overload.ts";
export type {
  ContextOnly,
  FieldsAmong,
  InferDeclared,
  InferNames,
  InlineHandlers,
  ItemOf,
  StagesAmong,
} from "./protocol/inline.ts";
export type {
  AtMostTwo,
  Difference,
  Hint,
  IsSmall,
  Near,
  NoSuch,
  Plain,
  Reversed,
  WithoutStart,
} from "./protocol/near.ts";
export { makeOverload } from "./protocol/overload.ts";
export type { Part, Share } from "./protocol/part.ts";
export type { LateOptions, StagePoint } from "./run/point.ts";
export type {
  AcceptAt,
  AcceptCall,
  AcceptClass,
  AcceptDevice,
  AcceptFields,
  AcceptMethods,
  AcceptOptions,
  CallAt,
  DeclaredReads,
  DeclaredStage,
  DeclaredWrites,
  FieldNames,
  FieldsFor,
  FieldsReadBy,
  KnownStage,
  MethodKey,
  NoField,
  NoSuchStage,
  NotOffered,
  OptionName,
  PlacedStage,
  PlainStage,
  Refused,
  RequiredKey,
  ResultAt,
  UndeclaredReads,
  UnknownStage,
} from "./protocol/accept.ts";
export type { HookOptions, ProtocolHook } from "./protocol/protocol.ts";
export type { FetchPlan, FieldValues, LivePlan, ReadPlan, StateSource } from "./run/reads.ts";
export { hostState } from "./run/reads.ts";
export { isHook } from "./registry/record.ts";
export type { DeviceHook, DeviceWorker, StageWork } from "./run/device_work.ts";
export type {
  Accept,
  Addable,
  AllChecked,
  Checked,
  HookHandle,
  HookInput,
  HookSet,
  InitialHooks,
  ListOf,
  Names,
} from "./registry/hook_set.ts";
export type { SavedHook, SavedHookStates, SavedLoop } from "./registry/saved.ts";
export type { ScheduleOptions } from "./protocol/schedule.ts";
export type { SharedSlot } from "./protocol/context.ts";
export { Shared, slot } from "./protocol/context.ts";
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
  StageKind,
  StageOf,
  Uniform,
} from "./protocol/stage.ts";
export { defineKind, stages } from "./protocol/stage.ts";
export type {
  ByName,
  FinishedHook,
  HookResult,
  HookSpec,
  Otherwise,
  Table,
} from "./protocol/table.ts";
export { makeHook } from "./protocol/table.ts";
export { ObserverMutationError } from "./run/verify.ts";
