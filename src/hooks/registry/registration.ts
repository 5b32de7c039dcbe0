/**
 * Registration of hooks: checks a hook against the engine and makes its handlers.
 *
 * @module
 */

import type { Band, PlacedOptions } from "./add_options.ts";
import { BANDS, type HookNames } from "./order.ts";
import { type Access, type Entry, StageHandler } from "./stage_handler.ts";
import { tableOf } from "../../dispatch/overload.ts";
import type { DeviceWorker } from "../run/device_work.ts";
import type { Part } from "../protocol/part.ts";
import { ERROR_POLICIES, type HookOptions, labelOf } from "../protocol/protocol.ts";
import {
  accessor,
  assertFields,
  type ReadPlan,
  type StateSource,
  unfetched,
} from "../run/reads.ts";
import { type HookRecord, isDeviceHook, isLastWork, readHook } from "./record.ts";
import { checkKeys } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { isThenable } from "../../base/sequence.ts";
import type { Workflow } from "../protocol/context.ts";
import { complaint, show } from "../../base/show.ts";
import type { AnyStages, StageInfo } from "../protocol/stage.ts";
import { isTableHook } from "../protocol/table.ts";

/** The members of an engine that a registration uses. */
export interface Registering {
  readonly kinds: readonly AnyStages[];
  readonly infos: ReadonlyMap<string, StageInfo>;
  readonly context: object;
  readonly state: StateSource;
  readonly others: readonly Entry[];
  /** The names of the hooks in `others`. */
  readonly names: HookNames;
  readonly worker: DeviceWorker | undefined;
  /** The part of the engine that the hook sees; `undefined` for the whole engine. */
  readonly part?: Part | undefined;
}

const OPTIONS: readonly string[] = Object.keys(
  {
    name: true,
    stage: true,
    order: true,
    before: true,
    after: true,
    onError: true,
    enabled: true,
  } satisfies Readonly<Record<keyof PlacedOptions, true>>,
);

/**
 * Makes an entry for a hook, with a handler for each of its stages. Throws a TypeError or RangeError if the engine
 * cannot accept the hook.
 */
export function makeEntry(hook: unknown, options: PlacedOptions, engine: Registering): Entry {
  checkOptionKeys(labelOf(hook), options);
  const record = readHook(hook, engine.kinds, { worker: engine.worker, stage: options.stage });
  const name = nameOf(record, options, engine.names);
  checkOptions(name, options);
  if (engine.others.some((other) => other.record.hook === hook)) {
    throw new TypeError(
      `Cannot register hook ${name}: the same object is already registered. Create another one`,
    );
  }
  checkFields(record, engine);
  checkEpochs(record, engine);
  const entry: Entry = {
    record,
    name,
    order: options.order ?? "normal",
    before: [options.before ?? []].flat(),
    after: [options.after ?? []].flat(),
    onError: options.onError,
    handlers: [],
    enabled: options.enabled ?? true,
    part: engine.part,
    path: pathOf(name, engine.part),
    isOpen: false,
    errors: 0,
  };
  entry.handlers.push(...makeHandlers(entry, engine));
  checkStageTimes(entry, engine);
  checkHandlers(entry, engine);
  return entry;
}

/**
 * Calls the `onRegister` of a hook, after `entries` has checked that the hook can be ordered among the others.
 * Returns the result of `entries`, called again if `onRegister` was called.
 */
export function registered<T>(
  { name, record: { hook } }: Entry,
  workflow: Workflow,
  entries: () => T,
): T {
  const found = entries();
  if (hook.onRegister === undefined) return found;
  const answer: unknown = hook.onRegister(workflow);
  if (!isThenable(answer)) return entries(); // `onRegister` may have added other hooks
  answer.then(undefined, () => {});
  throw new TypeError(
    `Cannot register hook ${name}: its onRegister must not return a promise. Wait in open() instead`,
  );
}

/** Returns the name of a hook at the root of an engine: `part/name` if it belongs to a part, otherwise `name`. */
export function pathOf(name: string, part: Part | undefined): string {
  return part === undefined ? name : `${part.name}/${name}`;
}

function checkOptionKeys(label: string, options: unknown): void {
  const action = `register hook ${label}`;
  if (isObject(options)) return checkKeys(action, "its options", options, OPTIONS);
  const instead = typeof options === "string" ? `; pass { name: ${show(options)} }` : "";
  throw new TypeError(complaint(action, "its options must be an object", options) + instead);
}

function nameOf(record: HookRecord, options: PlacedOptions, names: HookNames): string {
  const explicit: unknown = options.name === undefined ? record.name : options.name;
  if (explicit !== undefined) {
    if (typeof explicit !== "string" || explicit === "") {
      throw new TypeError(
        complaint(`register hook ${record.label}`, "its name must be a non-empty string", explicit),
      );
    }
    if (!names.has(explicit)) return explicit;
    throw new RangeError(
      `Cannot register hook ${explicit}: a hook of that name is already registered. Pass another { name }`,
    );
  }
  return names.free(record.label);
}

function checkOptions(name: string, options: PlacedOptions): void {
  const action = `register hook ${name}`;
  const must = (member: keyof PlacedOptions, what: string, ok: (x: unknown) => boolean) => {
    const value: unknown = options[member];
    if (value === undefined || ok(value)) return;
    throw new TypeError(complaint(action, `${member} must be ${what}`, value));
  };
  must("order", BANDS.join(" | "), (x) => BANDS.includes(x as Band));
  must(
    "onError",
    ERROR_POLICIES.join(" | "),
    (x) => (ERROR_POLICIES as readonly unknown[]).includes(x),
  );
  must("enabled", "true or false", (x) => typeof x === "boolean");
  for (const member of ["before", "after"] as const) {
    must(member, "names of hooks", (x) => [x].flat().every((name) => typeof name === "string"));
    if (![options[member]].flat().includes(name)) continue;
    throw new RangeError(complaint(action, `${member} must name other hooks`, name));
  }
}

function checkFields(record: HookRecord, { state, kinds }: Registering): void {
  const here = kinds.map(({ kind }) => kind);
  const isElsewhere = record.isMultiKind &&
    kindsOf(record.hook)?.every((kind) => here.includes(kind)) !== true;
  if (isElsewhere) return; // a field may belong to a kind that this engine does not have
  assertFields(record.label, "reads", record.reads, state);
  assertFields(record.label, "writes", record.writes, state);
}

function checkEpochs({ hook, label }: HookRecord, { infos }: Registering): void {
  const { enableAfterEpoch = 0 } = hook;
  if (enableAfterEpoch === 0 || [...infos.values()].some(({ counter }) => counter === "epoch")) {
    return;
  }
  throw new TypeError(
    complaint(
      `register hook ${label}`,
      "enableAfterEpoch must be left out, because the engine does not count epochs",
      enableAfterEpoch,
    ),
  );
}

function checkStageTimes({ name, record, handlers }: Entry, { kinds }: Registering): void {
  const stages = handlers.map(({ info }) => info.name);
  const known = (record.hook as { readonly kinds?: readonly AnyStages[] }).kinds ?? [];
  const elsewhere = known.filter((kind) => !kinds.includes(kind));
  for (const stage of record.stageTimes.keys()) {
    if (stages.includes(stage)) continue;
    // A hook for engines of several kinds may name a stage that only another engine has.
    if (elsewhere.some(({ roles }) => Object.hasOwn(roles, stage))) continue;
    const requirement = `its stageTimes must name stages at which it runs (${stages.join(", ")})`;
    throw new TypeError(complaint(`register hook ${name}`, requirement, stage, stages));
  }
}

/** Returns the names of the kinds that a hook handles; `undefined` if it may handle others. */
function kindsOf(hook: HookOptions): readonly string[] | undefined {
  if (isTableHook(hook)) {
    const isOpen = tableOf(hook.on) !== undefined || hook.otherwise !== undefined;
    return isOpen ? undefined : Object.keys(hook.on);
  }
  const { runsOnStage, stages } = hook as { runsOnStage?: unknown; stages?: readonly string[] };
  return runsOnStage === undefined ? stages?.map((stage) => stage.split("/")[0]!) : undefined;
}

function makeHandlers(entry: Entry, engine: Registering): StageHandler[] {
  const { record } = entry;
  const access = accessOf(record, engine);
  return [...engine.infos.values()].flatMap((info) => {
    const bound = record.bind(info, engine.context);
    return bound === undefined ? [] : [new StageHandler(entry, info, bound, access)];
  });
}

/** Plans the reads and writes of all hooks again, after the state of the engine has moved to or from a device. */
export function rebind(entries: readonly Entry[], context: object, state: StateSource): void {
  for (const { record, handlers, part } of entries) {
    const access = accessOf(record, { context, state, part });
    for (const handler of handlers) handler.rebind(access);
  }
}

/** Returns the access of a hook to the engine's state, either in host memory or by a plan to fetch it. */
function accessOf(
  record: HookRecord,
  engine: Pick<Registering, "context" | "state" | "part">,
): Access {
  const { label, reads, writes } = record, { context, part, state: { fields } } = engine;
  if (reads.length + writes.length === 0 && part === undefined) {
    return { shared: context, own: undefined, plan: undefined };
  }
  const plan = planOf(record, engine);
  const { value, writable } = accessIn(engine, plan);
  const isFetched = plan?.live === false;
  const read = isFetched
    ? unfetched(label, [...fields, ...reads])
    : accessor(label, "reads", reads, fields, value);
  const write = isFetched
    ? unfetched(label, [...fields, ...writes], "write")
    : accessor(label, "writes", writes, fields, writable);
  const own = { ...part?.context, read: { value: read }, write: { value: write } };
  return { shared: context, own, plan };
}

/**
 * Returns the plan for reading the fields that a hook declares, with the fields that determine its part; `undefined`
 * if there are no fields to read.
 */
function planOf(
  { hook, reads, writes }: HookRecord,
  { state, part }: Pick<Registering, "state" | "part">,
): ReadPlan | undefined {
  const isDevice = isDeviceHook(hook); // kernels access the buffers directly
  const wanted = isDevice ? reads : [...reads, ...writes];
  const fields = wanted.filter((field) => state.fields.includes(field) || state.has?.(field));
  const all = new Set([...fields, ...(isDevice ? [] : part?.keys ?? [])]);
  return all.size === 0 ? undefined : state.plan([...all]);
}

/**
 * Returns functions that get a field in host memory to read or to change. For a hook of a part, they return the
 * part's share.
 */
function accessIn(
  { state, part }: Pick<Registering, "state" | "part">,
  plan: ReadPlan | undefined,
): { readonly value: (field: string) => unknown; readonly writable: (field: string) => unknown } {
  const value = (field: string) => plan?.live === true ? plan.value(field) : undefined;
  const writable = (field: string) => state.writable(field);
  if (part === undefined) return { value, writable };
  return {
    value: (field) => part.read(field, value(field)),
    writable: (field) => part.lend(field, writable(field)),
  };
}

function checkHandlers(entry: Entry, { kinds, infos, others }: Registering): void {
  const { name, handlers, record: { hook } } = entry;
  if (handlers.length === 0 && (hook.open ?? hook.close ?? hook.settings) === undefined) {
    const accepted = kinds.map(({ kind }) => kind).join(", ");
    throw new TypeError(
      `Cannot register hook ${name}: it handles no stage of this engine, which has ${accepted} stages`,
    );
  }
  for (const handler of handlers) {
    checkHandler(handler);
    const { stage } = handler.info;
    if (infos.get(stage)?.role !== "replace") continue;
    const rival = others.find(({ handlers }) => handlers.some(({ info }) => info.stage === stage));
    if (rival === undefined) continue;
    throw new TypeError(
      `Cannot register hook ${name}: only one hook can replace ${stage}, and ${rival.name} does`,
    );
  }
}

function checkHandler({ info, schedule, entry: { name, record } }: StageHandler): void {
  if (isLastWork(record.hook) && !(schedule.isPlain && record.when === undefined)) {
    throw new TypeError(
      `Cannot register hook ${name}: its schedule can have only frequency and phase, because the engine does its work ` +
        `after all other hooks of ${info.stage}`,
    );
  }
  if (info.role === "observe" || record.writes.length === 0) return;
  throw new TypeError(
    `Cannot register hook ${name}: it declares writes, and ${info.stage} is a ${info.role} stage. Only hooks at observe stages can write`,
  );
}
