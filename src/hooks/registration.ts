/**
 * From a hook as the user wrote it to a registered one.
 *
 * @module
 */

import { type AddOptions, type Band, type Entry, Place } from "./entry.ts";
import { ERROR_POLICIES } from "./outcome.ts";
import { accessor, assertFields, type StateSource } from "./reads.ts";
import { type HookRecord, readHook } from "./record.ts";
import type { AnyStages, StageInfo } from "./stage.ts";

/** The engine's side of a registration. */
export interface Registering {
  readonly kinds: readonly AnyStages[];
  readonly infos: ReadonlyMap<string, StageInfo>;
  readonly context: object;
  readonly state: StateSource;
  readonly others: readonly Entry[];
}

const BANDS: readonly Band[] = ["first", "normal", "last"];

/** Makes an entry, with its place at every stage that it handles. Throws when it cannot be registered. */
export function makeEntry(hook: unknown, options: AddOptions, engine: Registering): Entry {
  const record = readHook(hook, engine.kinds);
  const name = nameOf(record, options, engine.others);
  checkOptions(name, options);
  if (engine.others.some((other) => other.record.hook === hook)) {
    throw new TypeError(
      `Cannot register hook ${name} as the same object is registered already: make another one`,
    );
  }
  checkFields(record, engine);
  const entry: Entry = {
    record,
    name,
    order: options.order ?? "normal",
    before: [options.before ?? []].flat(),
    after: [options.after ?? []].flat(),
    onError: options.onError,
    places: [],
    enabled: options.enabled ?? true,
    isOpen: false,
    errors: 0,
  };
  entry.places.push(...makePlaces(entry, engine));
  checkPlaces(entry, engine);
  return entry;
}

function nameOf(record: HookRecord, options: AddOptions, others: readonly Entry[]): string {
  const explicit = options.name ?? record.name;
  const taken = (name: string) => others.some((other) => other.name === name);
  if (explicit !== undefined) {
    if (typeof explicit !== "string" || explicit === "") {
      throw new TypeError(
        `Cannot register hook ${record.label} as its name must be a text: current value is ${
          String(explicit)
        }`,
      );
    }
    if (!taken(explicit)) return explicit;
    throw new RangeError(
      `Cannot register hook ${explicit} as names must differ: there is a hook of that name already`,
    );
  }
  let name = record.label;
  for (let n = 2; taken(name); n++) name = `${record.label}-${n}`;
  return name;
}

function checkOptions(name: string, { order, onError, enabled, before, after }: AddOptions): void {
  const must = (ok: boolean, member: string, what: string, value: unknown) => {
    if (!ok) {
      throw new TypeError(
        `Cannot register hook ${name} as ${member} must be ${what}: current value is ${
          String(value)
        }`,
      );
    }
  };
  must(order === undefined || BANDS.includes(order), "order", BANDS.join(" | "), order);
  must(
    onError === undefined || ERROR_POLICIES.includes(onError),
    "onError",
    ERROR_POLICIES.join(" | "),
    onError,
  );
  must(enabled === undefined || typeof enabled === "boolean", "enabled", "true or false", enabled);
  for (const [member, names] of [["before", before], ["after", after]] as const) {
    must([names ?? []].flat().every((x) => typeof x === "string"), member, "names of hooks", names);
  }
}

function checkFields(record: HookRecord, { state }: Registering): void {
  if (record.isMultiKind) return; // a field may belong to another of its kinds
  assertFields(record.label, "reads", record.reads, state);
  assertFields(record.label, "writes", record.writes, state);
}

function makePlaces(entry: Entry, { infos, context, state }: Registering): Place[] {
  const { record } = entry;
  const reads = record.reads.filter((field) => state.fields.includes(field));
  const plan = reads.length === 0 ? undefined : state.plan(reads);
  const own = reads.length + record.writes.length === 0 ? undefined : Object.create(context, {
    ...(plan?.live &&
      {
        read: {
          value: accessor(record.label, "reads", reads, state.fields, (field) => plan.value(field)),
        },
      }),
    write: {
      value: accessor(
        record.label,
        "writes",
        record.writes,
        state.fields,
        (field) => state.writable(field),
      ),
    },
  });
  const contexts = { shared: context, own };
  return [...infos.values()].flatMap((info) => {
    const bound = record.bind(info, context);
    return bound === undefined
      ? []
      : [new Place(entry, info, bound, contexts, plan?.live === false)];
  });
}

function checkPlaces({ record, name, places }: Entry, { kinds, infos, others }: Registering): void {
  const accepted = kinds.map(({ kind }) => kind).join(", ");
  if (places.length === 0 && record.hook.open === undefined && record.hook.close === undefined) {
    throw new TypeError(
      `Cannot register hook ${name} as it must handle a stage of this engine: the engine accepts ${accepted} stages`,
    );
  }
  for (const { info } of places) {
    if (info.role !== "observe" && record.writes.length > 0) {
      throw new TypeError(
        `Cannot register hook ${name} as only observe stages can be written at: ${info.stage} is a ${info.role} stage`,
      );
    }
    if (infos.get(info.stage)?.role !== "replace") continue;
    const rival = others.find((other) =>
      other.places.some((place) => place.info.stage === info.stage)
    );
    if (rival === undefined) continue;
    throw new TypeError(
      `Cannot register hook ${name} as one hook at most may replace ${info.stage}: ${rival.name} does already`,
    );
  }
}
