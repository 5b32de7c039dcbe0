/**
 * Messages of the compiler for the most common mistakes, in `hooks.add` and in constructors. `deno check` runs once
 * for all of them.
 */
import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

/** A slip: the hook as it is written, declarations before it, and the line of the message that says what to do. */
interface Slip {
  readonly slip: string;
  readonly hook: string;
  readonly before?: string;
  readonly says: string;
}

const refused = (why: string) => `Refused<"${why}">`;

const SLIPS: readonly Slip[] = [
  {
    slip: "a misspelt stage",
    hook: `{ stage: "dynamics/AFTER_STP", frequency: 1, call() {} }`,
    says: `Type 'string' is not assignable to type '${
      refused("there is no stage dynamics/AFTER_STP; did you mean dynamics/AFTER_STEP?")
    }'.`,
  },
  {
    slip: "a stage without its kind",
    hook: `{ stage: "AFTER_STEP", frequency: 1, call() {} }`,
    says: `Type 'string' is not assignable to type '${
      refused("there is no stage AFTER_STEP; did you mean dynamics/AFTER_STEP?")
    }'.`,
  },
  {
    slip: "a misspelt option",
    hook: `{ onAfterStep() {}, frequncy: 10 }`,
    says: `Type 'number' is not assignable to type '${
      refused("there is no option frequncy; did you mean frequency?")
    }'.`,
  },
  {
    slip: "reads that are no list",
    hook: `{ reads: "energy", onAfterStep() {} }`,
    says: `Type 'string' is not assignable to type '${
      refused(String.raw`reads is a list: write [\"energy\"]`)
    }'.`,
  },
  {
    slip: "a table in place of a hook",
    hook: `{ on: { dynamics: { AFTER_STEP() {} } } }`,
    says:
      `Object literal may only specify known properties, and 'dynamics' does not exist in type '${
        refused("a table becomes a hook by hook({ name, on })")
      }'.`,
  },
  {
    slip: "a misspelt method",
    hook: `{ onAfterSetp() {} }`,
    says: `Type '() => void' is not assignable to type '${
      refused("there is no method onAfterSetp; did you mean onAfterStep?")
    }'.`,
  },
  {
    slip: "a method in snake case",
    hook: `{ on_after_step() {} }`,
    says: `Type '() => void' is not assignable to type '${
      refused("there is no method on_after_step; did you mean onAfterStep?")
    }'.`,
  },
  {
    slip: "reads forgotten in an object",
    hook: `{ onAfterStep: ({ read }) => read.energy }`,
    says: `Property 'energy' does not exist on type 'DeclaredInReads<DynamicsFields, []>'.`,
  },
  {
    slip: "reads forgotten in a class",
    before: `class Undeclared {
      readonly stage = DynamicsStage.AFTER_STEP;
      readonly frequency = 1;
      call(ctx: DynamicsContext<"energy">) { void ctx.read.energy; }
    }`,
    hook: `new Undeclared()`,
    says:
      `Property 'reads' is missing in type 'Undeclared' but required in type '{ readonly reads: ${
        refused(String.raw`ctx.read.energy is not declared: add reads = [\"energy\"] as const`)
      }; }'.`,
  },
  {
    slip: "a misspelt field",
    hook: `{ reads: ["enrgy"], onAfterStep() {} }`,
    says: `Property '"hook refused"' is missing in type 'string[]' but required in type '${
      refused("there is no field enrgy; did you mean energy?")
    }'.`,
  },
  {
    slip: "names without as const",
    before: `class PlainReads {
      readonly stage = DynamicsStage.AFTER_STEP;
      readonly frequency = 1;
      reads = ["energy"];
      call(ctx: DynamicsContext) { void ctx.stepCount; }
    }`,
    hook: `new PlainReads()`,
    says: `Type 'PlainReads' is not assignable to type '{ readonly reads: ${
      refused("the names are plain strings: write \`as const\` behind the list")
    }; }'.`,
  },
  {
    slip: "a stage that is a plain string",
    before: `class Plain { stage = "dynamics/AFTER_STEP"; frequency = 1; call() {} }`,
    hook: `new Plain()`,
    says: `Type 'Plain' is not assignable to type '{ readonly stage: ${
      refused("stage is a plain string: write stage = DynamicsStage.AFTER_STEP")
    }; }'.`,
  },
  {
    slip: "a hook of another engine",
    before:
      `class Trains { readonly stage = TrainingStage.AFTER_LOSS; readonly frequency = 1; call() {} }`,
    hook: `new Trains()`,
    says: `Type 'Trains' is not assignable to type '{ readonly stage: ${
      refused("this hook runs at training/AFTER_LOSS, and the engine has dynamics stages")
    }; }'.`,
  },
  {
    slip: "call beside a method",
    hook: `{ stage: "dynamics/AFTER_STEP", frequency: 1, call() {}, onConverge() {} }`,
    says:
      `Type '{ stage: string; frequency: number; call(): void; onConverge(): void; }' is not assignable to type '{ readonly onConverge: ${
        refused(
          "onConverge would never be called: a hook has either call or methods named after stages",
        )
      }; }'.`,
  },
  {
    slip: "no frequency",
    hook: `{ stage: "dynamics/AFTER_STEP", call() {} }`,
    says: `Property 'frequency' is missing in type '{ stage: string; call(): void; }'`,
  },
  {
    slip: "a field of another stage",
    hook: `{ onAfterStep: (ctx) => ctx.convergedMask }`,
    says:
      `Property 'convergedMask' does not exist on type 'ContextAt<StageKind<"dynamics", DynamicsStageMap, DynamicsFields>, "AFTER_STEP", [], []>'.`,
  },
  {
    slip: "the context of another stage in a class",
    before: `class Early {
      readonly stage = DynamicsStage.AFTER_STEP;
      readonly frequency = 1;
      call(ctx: ContextAt<typeof DynamicsStage, "ON_CONVERGE">) { void ctx.convergedMask; }
    }`,
    hook: `new Early()`,
    says: `Type 'Early' is not assignable to type '{ readonly call: ${
      refused("ctx.convergedMask is not there at dynamics/AFTER_STEP")
    }; }'.`,
  },
  {
    slip: "a function in place of a hook",
    hook: `() => console.log("a step")`,
    says: `Type '() => void' is not assignable to type '${
      refused("a hook is an object, not a function: write { stage, frequency, call }")
    }'.`,
  },
  {
    slip: "a class in place of an instance",
    before: `class Whole { readonly stage = DynamicsStage.AFTER_STEP; frequency = 1; call() {} }`,
    hook: `Whole`,
    says: `Property '"hook refused"' is missing in type 'typeof Whole' but required in type '${
      refused("this is a class: pass an instance, new Name()")
    }'.`,
  },
  {
    slip: "a write to what is read",
    hook: `{ reads: ["energy"], onAfterStep: ({ read }) => void (read.energy[0] = 1) }`,
    says: `Index signature in type 'ReadonlyRows' only permits reading.`,
  },
];

/** Other slips of one line each. */
const OTHERS: readonly (readonly [line: string, says: string])[] = [
  [
    `new NVE({ model, dt: 1, hooks: { stage: "dynamics/AFTER_STEP", frequency: 1, call() {} } });`,
    `Object literal may only specify known properties, and 'stage' does not exist in type '${
      refused("hooks is a list: write [hook]")
    }'.`,
  ],
  [
    `new EarlyStopping({ patiance: 3 });`,
    `Object literal may only specify known properties, but 'patiance' does not exist in type 'EarlyStoppingOptions'. Did you mean to write 'patience'?`,
  ],
  [
    `new ConvergenceHook({ criteria: [{ key: "fmx", threshold: 0.05 }] });`,
    `Type '"fmx"' is not assignable to type 'CustomField<string, unknown> | DynamicsFieldName'. Did you mean '"fmax"'?`,
  ],
  [
    `({ earlyStoppingConfig: { patiance: 3 } }) satisfies HooksConfig;`,
    `Object literal may only specify known properties, but 'patiance' does not exist in type 'ConfigOptions<EarlyStoppingOptions>'. Did you mean to write 'patience'?`,
  ],
  [
    `void ({ stage: "dynamics/AFTER_STP", frequency: 1, call() {} } satisfies HookOf<"dynamics/AFTER_STEP">);`,
    `Type '"dynamics/AFTER_STP"' is not assignable to type '"dynamics/AFTER_STEP"'.`,
  ],
  [
    `hook({ name: "x", on: { dynamics: { AFTER_STP: () => {} } } });`,
    `Object literal may only specify known properties, but 'AFTER_STP' does not exist in type 'Table<StageKind<"dynamics", DynamicsStageMap, DynamicsFields>, [], []>'. Did you mean to write 'AFTER_STEP'?`,
  ],
];

const HEAD = `import {
  ConvergenceHook, type DynamicsContext, DynamicsStage, EarlyStopping, hook, type HookOf, lennardJones, NVE, TrainingStage,
} from ${JSON.stringify(new URL("mod.ts", ROOT).href)};
import type { ContextAt } from ${JSON.stringify(new URL("src/hook.ts", ROOT).href)};
import type { HooksConfig } from ${JSON.stringify(new URL("src/config/mod.ts", ROOT).href)};
const model = lennardJones({ epsilon: 1, sigma: 1, cutoff: 3 });
const md = new NVE({ model, dt: 1 });
`;

/** The path of a file of the project. */
function fromFileUrl(file: string): string {
  return decodeURIComponent(new URL(file, ROOT).pathname);
}

/** The messages of `deno check` by line of the file: their lines, without the code that they point at. */
async function messagesOf(text: string): Promise<Map<number, string[]>> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, text);
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--config", fromFileUrl("deno.json"), file],
      cwd: ROOT,
      env: { NO_COLOR: "1" },
    }).output();
    const messages = new Map<number, string[]>();
    for (const block of new TextDecoder().decode(stderr).split(/\n(?=TS\d+ \[ERROR\]: )/)) {
      const at = new RegExp(`${file.split("/").at(-1)}:(\\d+):\\d+`).exec(block);
      if (at === null) continue;
      const lines = block.slice(0, at.index).split("\n").slice(0, -3); // without the code, a mark, the place
      messages.set(Number(at[1]), lines.map((line) => line.replace(/^ *(TS\d+ \[ERROR\]: )?/, "")));
    }
    return messages;
  } finally {
    await Deno.remove(file);
  }
}

const lines: string[] = [], places = new Map<string, number>();
function put(key: string, text: string): void {
  lines.push(text);
  places.set(key, (HEAD + lines.join("\n")).split("\n").length);
}
for (const { slip, hook, before } of SLIPS) {
  if (before !== undefined) lines.push(before);
  put(`add: ${slip}`, `md.hooks.add(${hook});`);
  put(`list: ${slip}`, `new NVE({ model, dt: 1, hooks: [${hook}] });`);
}
for (const [line] of OTHERS) put(line, line);
const messages = await messagesOf(HEAD + lines.join("\n") + "\n");

for (const { slip, says } of SLIPS) {
  Deno.test(`the compiler says at ${slip} what to do, in its first three lines, in add and in a list alike`, () => {
    for (const how of ["add", "list"]) {
      const message = messages.get(places.get(`${how}: ${slip}`)!);
      assert(message !== undefined, `${how}: nothing is said`);
      const useful = message.slice(0, 3).find((line) => line.startsWith(says));
      assert(useful !== undefined, `${how}:\n${message.join("\n")}`);
    }
  });
}

Deno.test("the compiler names what is near a misspelt option and a misspelt stage of a table", () => {
  assertEquals(
    OTHERS.map(([line]) => messages.get(places.get(line)!)?.[0]),
    OTHERS.map(([, says]) => says),
  );
});

Deno.test("nothing is said of other lines", () => {
  const known = new Set(places.values());
  assertEquals([...messages.keys()].filter((line) => !known.has(line)), []);
});
