/** docs/stages.md against the kinds and types that it describes. */
import { assert, assertEquals } from "@std/assert";
import { type BaseContext, DynamicsStage, Loop, TrainingStage } from "../../mod.ts";
import type { DynamicsFieldName, DynamicsStageMap } from "../../src/dynamics/mod.ts";
import type { ContextOption, Engine, LoopOptions } from "../../src/hook.ts";
import type { TrainingFields } from "../../src/training/mod.ts";
import { type AnyStages, stageInfos } from "../../src/hooks/protocol/stage.ts";
import { tablesOf } from "./tables.ts";
import {
  AT_EVERY_STAGE,
  BATCH,
  type ContextFields,
  OF_TRAINER,
  STATE,
  TRAINING_CONTEXT,
} from "./training_context.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/stages.md", import.meta.url));
const tables = tablesOf(PAGE);

/** The rows of the tables between one heading and the next, as texts without quotes. */
function rows(heading: string): string[][] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(heading));
  assert(section !== undefined, `there is a section ${heading}`);
  return section.split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", "")));
}

/** Stage, role and counter of each row that has a role. */
function documented(heading: string): (readonly [string, string, string])[] {
  return rows(heading).filter((cells) => cells.length === 5)
    .map(([stage, role, , , counter]) => [stage!, role!, counter!] as const);
}

/** The same of the kind itself. */
function defined(kind: AnyStages): (readonly [string, string, string])[] {
  return [...stageInfos([kind]).values()].map((info) =>
    [info.name, info.role, info.isEvent ? "event" : info.counter] as const
  );
}

// Objects whose keys the compiler compares with the types: a field that comes or goes breaks the check.
const DYNAMICS_FIELDS = {
  energy: 0,
  fmax: 0,
  temperature: 0,
  energyChange: 0,
  kineticEnergy: 0,
  conservedEnergy: 0,
  stress: 0,
  time: 0,
  positions: 0,
  velocities: 0,
  forces: 0,
  masses: 0,
  charges: 0,
  cell: 0,
  pbc: 0,
  numbers: 0,
  images: 0,
  status: 0,
  systemId: 0,
  stepsDone: 0,
  frame: 0,
} satisfies Record<DynamicsFieldName, 0>;
/** `"gradients:…"` for any pattern. */
type Spelt<Name> = Name extends `${infer Kind}:${string}` ? `${Kind}:…` : Name;
const TRAINING_FIELDS = {
  loss: 0,
  gradNorm: 0,
  lr: 0,
  optimizers: 0,
  parameters: 0,
  "parameters:…": 0,
  gradients: 0,
  "gradients:…": 0,
  optimizerState: 0,
  "optimizerState:…": 0,
  "activations:…": 0,
  "statistics:…": 0,
} satisfies Record<Spelt<keyof TrainingFields>, 0>;
const CONTEXT = {
  stepCount: 0,
  stop: 0,
  shared: 0,
  workflow: 0,
  globalRank: 0,
} satisfies Record<keyof BaseContext, 0>;
type Dynamics = typeof DynamicsStage;
const ENGINE = {
  kinds: 0,
  step: 0,
  multiStep: 0,
  begin: 0,
  end: 0,
  settled: 0,
  recover: 0,
  workflow: 0,
  worker: 0,
  context: 0,
  state: 0,
  isFatal: 0,
  coming: 0,
} satisfies Record<keyof (Engine<Dynamics> & ContextOption<Dynamics>), 0>;
const OPTIONS = {
  hooks: 0,
  nSteps: 0,
  name: 0,
  signal: 0,
  onWarning: 0,
  verify: 0,
} satisfies Record<keyof LoopOptions<Dynamics>, 0>;

const ATOMS = { batch: 0, model: 0, stream: 0 } as const;
const DYNAMICS_CONTEXT = {
  BEFORE_STEP: ATOMS,
  BEFORE_PRE_UPDATE: ATOMS,
  AFTER_PRE_UPDATE: ATOMS,
  BEFORE_COMPUTE: ATOMS,
  AFTER_COMPUTE: ATOMS,
  BEFORE_POST_UPDATE: ATOMS,
  AFTER_POST_UPDATE: ATOMS,
  AFTER_STEP: ATOMS,
  ON_CONVERGE: { ...ATOMS, convergedMask: 0 },
  ON_ADMIT: { ...ATOMS, admittedMask: 0 },
} satisfies ContextFields<DynamicsStageMap, BaseContext>;
/** A list of fields; four of them go by one name. */
function fieldsOf(list: string): string[] {
  if (list === "–") return [];
  return list.split(", ").flatMap((name) => name === "of a batch" ? Object.keys(BATCH) : name);
}

/** Stage → its context fields, as the page has them. */
function documentedFields(heading: string): Record<string, string[]> {
  return Object.fromEntries(
    rows(heading).filter(({ length }) => length === 5)
      .map(([stage, , , fields]) => [stage!, fieldsOf(fields!)]),
  );
}

/** The same of an object whose keys the compiler has compared. */
function keysOf(fields: Record<string, object>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([name, own]) => [name, Object.keys(own)]));
}

/** The first cells of a table. */
function firsts(title: string): string[] {
  return tables(title).map(([name]) => name!);
}

/** Returns the first cells of the rows with the given number of cells. */
function names(heading: string, nCells: number): string[] {
  return rows(heading).filter(({ length }) => length === nCells).map(([name]) => name!);
}

Deno.test("docs/stages.md has the stages, roles, counters and events of the built-in kinds, in order", () => {
  assertEquals(documented("`DynamicsStage`"), defined(DynamicsStage));
  assertEquals(documented("`TrainingStage`"), defined(TrainingStage));
});

Deno.test("docs/stages.md has the context fields of each built-in stage", () => {
  assertEquals(documentedFields("`DynamicsStage`"), keysOf(DYNAMICS_CONTEXT));
  assertEquals(documentedFields("`TrainingStage`"), keysOf(TRAINING_CONTEXT));
});

Deno.test("docs/stages.md has every field, every context member and every option of a loop", () => {
  assertEquals(names("`DynamicsStage`", 3), Object.keys(DYNAMICS_FIELDS));
  assertEquals(firsts("field to read"), Object.keys(TRAINING_FIELDS));
  assertEquals(names("Fields of every context", 2), Object.keys(CONTEXT));
  assertEquals(names("Members of an `Engine`", 3), Object.keys(ENGINE));
  assertEquals(names("Options of a `Loop`", 3), Object.keys(OPTIONS));
});

Deno.test("docs/stages.md has what every training stage, some of them, and the state have", () => {
  assertEquals(firsts("at every stage"), Object.keys(AT_EVERY_STAGE));
  const some = new Set(Object.values(TRAINING_CONTEXT).flatMap((fields) => Object.keys(fields)));
  assertEquals(firsts("at some stages").toSorted(), [...some].toSorted());
  assertEquals(firsts("member of the state"), Object.keys(STATE));
  const leftOut = /may omit ([^.]+), which/.exec(PAGE)![1]!;
  assertEquals(leftOut.match(/\w+(?=`)/g), Object.keys(OF_TRAINER));
});

Deno.test("a context at run time has what docs/stages.md lists", () => {
  const { context } = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step: () => {} });
  for (const name of names("Fields of every context", 2)) assert(name in context, name);
});
