/** docs/stages.md against the kinds and types that it describes. */
import { assert, assertEquals } from "@std/assert";
import type {
  BaseContext,
  ContextOption,
  DynamicsFields,
  DynamicsStages,
  LoopOptions,
  TrainingFields,
  TrainingStages,
} from "../../mod.ts";
import { DynamicsStage, Loop, TrainingStage } from "../../mod.ts";
import { type AnyStages, stageInfos } from "../../src/hooks/stage.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/stages.md", import.meta.url));

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
  stress: 0,
  time: 0,
  positions: 0,
  velocities: 0,
  forces: 0,
  masses: 0,
  charges: 0,
  cell: 0,
  numbers: 0,
  images: 0,
  status: 0,
  systemId: 0,
  stepsDone: 0,
  frame: 0,
} satisfies Record<keyof DynamicsFields, 0>;
const TRAINING_FIELDS = { gradNorm: 0, lr: 0 } satisfies Record<keyof TrainingFields, 0>;
const CONTEXT = {
  stepCount: 0,
  stop: 0,
  shared: 0,
  workflow: 0,
  globalRank: 0,
} satisfies Record<keyof BaseContext, 0>;
type Dynamics = typeof DynamicsStage;
const OPTIONS = {
  kinds: 0,
  step: 0,
  leap: 0,
  begin: 0,
  end: 0,
  settled: 0,
  recover: 0,
  workflow: 0,
  worker: 0,
  context: 0,
  state: 0,
  hooks: 0,
  nSteps: 0,
  name: 0,
  signal: 0,
  onWarning: 0,
  isFatal: 0,
  verify: 0,
} satisfies Record<keyof (LoopOptions<Dynamics> & ContextOption<Dynamics>), 0>;

/** Stage → the context fields that not every context has. */
type ContextFields<M extends { [N in keyof M]: { readonly ctx: unknown } }> = {
  [N in keyof M]: Record<Exclude<keyof M[N]["ctx"], keyof BaseContext>, 0>;
};
const ATOMS = { batch: 0, model: 0 } as const;
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
  ON_ADMIT: ATOMS,
} satisfies ContextFields<DynamicsStages>;
const EPOCH = { epoch: 0 } as const, LOSS = { epoch: 0, loss: 0 } as const;
const GRADIENTS = { ...LOSS, gradients: 0 } as const;
const TRAINING_CONTEXT = {
  TRAIN_BEGIN: EPOCH,
  EPOCH_BEGIN: EPOCH,
  BATCH_BEGIN: EPOCH,
  BEFORE_FORWARD: EPOCH,
  AFTER_FORWARD: EPOCH,
  LOSS: { epoch: 0, value: 0 },
  AFTER_LOSS: LOSS,
  BEFORE_BACKWARD: LOSS,
  AFTER_BACKWARD: GRADIENTS,
  GRADIENTS: { ...LOSS, value: 0 },
  GRADIENT_CLIP: GRADIENTS,
  MAY_UPDATE: { ...GRADIENTS, skipping: 0 },
  BEFORE_OPTIMIZER_STEP: GRADIENTS,
  OPTIMIZER_STEP: GRADIENTS,
  AFTER_OPTIMIZER_STEP: LOSS,
  STEP_END: LOSS,
  BATCH_END: LOSS,
  VALIDATION_BEGIN: EPOCH,
  VALIDATION_END: { epoch: 0, metrics: 0 },
  EPOCH_END: EPOCH,
  CHECKPOINT_SAVE: { epoch: 0, path: 0 },
  CHECKPOINT_LOAD: { epoch: 0, path: 0 },
  EXCEPTION: { epoch: 0, error: 0 },
  TRAIN_END: EPOCH,
} satisfies ContextFields<TrainingStages>;

/** Stage → its context fields, as the page has them. */
function documentedFields(heading: string): Record<string, string[]> {
  return Object.fromEntries(
    rows(heading).filter(({ length }) => length === 5)
      .map(([stage, , , fields]) => [stage!, fields === "–" ? [] : fields!.split(", ")]),
  );
}

/** The same of an object whose keys the compiler has compared. */
function keysOf(fields: Record<string, object>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([name, own]) => [name, Object.keys(own)]));
}

/** The first cells of the rows with so many cells. */
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
  assertEquals(names("`TrainingStage`", 3), Object.keys(TRAINING_FIELDS));
  assertEquals(names("What every context has", 2), Object.keys(CONTEXT));
  assertEquals(names("What a `Loop` takes", 3), Object.keys(OPTIONS));
});

Deno.test("a context at run time has what docs/stages.md lists", () => {
  const { context } = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step: () => {} });
  for (const name of names("What every context has", 2)) assert(name in context, name);
});
