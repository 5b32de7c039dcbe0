/** Each option of the documents' hooks in a configuration has an observable effect. */
import { assert, assertEquals } from "@std/assert";
import { BUILT_IN_SCHEMAS, type BuiltInHookName } from "../../src/config/hooks/built_in_schemas.ts";
import { CONFIG_MEMBERS, SWITCHES } from "../../src/config/hooks/hooks_config.ts";
import { getTrainer, type HooksConfig } from "../../src/config/mod.ts";
import { sgd, type TrainerParts } from "../../src/training/mod.ts";
import { meanSquaredError } from "../../src/training/mod.ts";
import { smallData, smallNetwork } from "../training/small_trainer.ts";

type Options = Readonly<Record<string, unknown>>;

/** A value of an option, and the other options with and without it. */
interface Case {
  readonly value: unknown;
  readonly beside?: Options;
  readonly training?: Partial<TrainerParts>;
  /** A second hook, which does not change an option of this one. */
  readonly more?: object;
}

/** The documented names of the documents' hooks, and the option for their frequency. */
const HOOKS: Readonly<Partial<Record<BuiltInHookName, { every?: Options; thrice?: Options }>>> = {
  logging: { every: { logEveryNBatches: 1 }, thrice: { logEveryNBatches: 3 } },
  console_log: { every: { logEveryNBatches: 1 }, thrice: { logEveryNBatches: 3 } },
  json_log: { every: { logEveryNBatches: 1 }, thrice: { logEveryNBatches: 3 } },
  checkpoint: {},
  gradient_monitor: { every: { logFrequency: 1 }, thrice: { logFrequency: 3 } },
  model_checkpoint: {},
  early_stopping: {
    every: { verbose: true, frequency: 1 },
    thrice: { verbose: true, frequency: 2 },
  },
  lr_monitor: { every: { frequency: "step" }, thrice: { frequency: "step", everyNSteps: 3 } },
  activation_stats: {
    every: { points: "hidden", logInterval: 1 },
    thrice: { points: "hidden", logInterval: 3 },
  },
  identity: {},
};

/** Schedule options, which all hooks share. */
const TIMES: Readonly<
  Record<string, { value: unknown; of: "every" | "thrice"; beside?: Options }>
> = {
  enableAfterEpoch: { value: 1, of: "every" },
  phase: { value: 1, of: "thrice" },
  once: { value: true, of: "every" },
  after: { value: 2, of: "every" },
  until: { value: 2, of: "every" },
  everySeconds: { value: 1000, of: "every" },
  atEnd: { value: true, of: "thrice" },
  sample: { value: 0.5, of: "every" },
  sampleSeed: { value: 3, of: "every", beside: { sample: 0.5 } },
};

const best = { filename: "e{epoch}" };
const OWN: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  logging: { logEveryNBatches: { value: 1 }, level: { value: "error" } },
  console_log: { logEveryNBatches: { value: 1 }, level: { value: "error" } },
  json_log: {
    outputDir: { value: "elsewhere" },
    logEveryNBatches: { value: 1 },
    fileName: { value: "own.jsonl" },
    config: { value: { lr: 0.1 } },
  },
  checkpoint: {
    outputDir: { value: "elsewhere" },
    saveEveryNEpochs: { value: 3 },
    saveBest: { value: false },
  },
  gradient_monitor: {
    logFrequency: { value: 2 },
    histogram: { value: true },
    norm: { value: false },
    paramFilter: { value: ["first"] },
    percentiles: { value: [5] },
    vanishing: { value: 1e9 },
    exploding: { value: 1e-9 },
  },
  model_checkpoint: {
    dir: { value: "elsewhere" },
    saveTopK: { value: 1 },
    monitor: { value: "train/loss", beside: { filename: "{epoch}", autoInsertMetricName: true } },
    mode: { value: "max", beside: { ...best, saveTopK: 1 } },
    saveLast: { value: false },
    saveOnTrainEpochEnd: {
      value: true,
      beside: { filename: "e{epoch}" },
      training: { validateEvery: { epochs: 2 } },
    },
    filename: { value: "e{epoch}" },
    autoInsertMetricName: { value: true, beside: { filename: "{epoch}_{val/loss:.1f}" } },
    everyNEpochs: { value: 2 },
    weights: { value: "onnx" },
  },
  early_stopping: {
    monitor: { value: "train/loss" },
    mode: { value: "max", beside: { patience: 1 } },
    patience: { value: 1, beside: { minDelta: 100 } },
    minDelta: { value: 100, beside: { patience: 1, mode: "max" } },
    checkOnTrainEpochEnd: { value: true, training: { validateEvery: { epochs: 2 } } },
    strict: { value: false, beside: { monitor: "val/nothing" } },
    verbose: { value: true },
    frequency: { value: 2 },
  },
  lr_monitor: {
    logMomentum: { value: true },
    logWeightDecay: { value: true },
    frequency: { value: "step", beside: {} },
    everyNSteps: { value: 2 },
  },
  activation_stats: { points: { value: "y" }, logInterval: { value: 2 } },
  identity: {},
};

/**
 * Returns everything that a run with a configuration shows: lines on the console, files, its outcome. Times and ids
 * are left out.
 */
async function shownBy(
  config: HooksConfig,
  training: Partial<TrainerParts> = {},
): Promise<unknown> {
  const folder = await Deno.makeTempDir(), before = Deno.cwd();
  const lines: string[] = [], { log, warn } = console;
  console.log = (...words: unknown[]) => void lines.push(words.join(" "));
  console.warn = (...words: unknown[]) => void lines.push(words.join(" "));
  Deno.chdir(folder);
  try {
    await using trainer = getTrainer("simple", {
      model: smallNetwork(),
      loss: meanSquaredError({ output: "y", target: "wanted" }),
      data: smallData(),
      validation: smallData(5),
      optimizers: sgd({ lr: 0.1, momentum: 0.5, weightDecay: 0.01 }),
      epochs: 4,
      runInfo: false, // the id of a run is random
      ...training,
    });
    await trainer.addHooks(config);
    if (!JSON.stringify(config).includes("json_log")) {
      trainer.addJsonLogging({ outputDir: "json", fileName: "log.jsonl", logEveryNBatches: 1 });
    }
    const outcome = await trainer.train().catch(String);
    return { lines: lines.map(plain), outcome, files: await filesIn(folder) };
  } finally {
    Deno.chdir(before);
    Object.assign(console, { log, warn });
    await Deno.remove(folder, { recursive: true });
  }
}

/** Removes from a line what differs from run to run. */
function plain(line: string): string {
  return line.replaceAll(/\d+\.\d+ s\b/g, "s").replaceAll(/\/tmp\/\w+/g, "")
    .replaceAll(/"hooks":\[.*?\],"parameters"/g, '"parameters"') // listed changes need not occur
    .replaceAll(/"(time|runId|\w+_time|\w*(duration|seconds)\w*)":("[^"]*"|[\d.e-]+),?/gi, "");
}

async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...(await filesIn(path)).map((each) => `${name}/${each}`));
    else {
      const text = name.endsWith(".jsonl") ? plain(await Deno.readTextFile(path)) : "";
      found.push(`${plainName(name)} ${text}`);
    }
  }
  return found.sort();
}

function plainName(name: string): string {
  return name.replace(/^[^_]*_.*\d.*(?=\.jsonl$)/, "named by time and id");
}

function caseOf(hook: string, option: string): Case | undefined {
  const own = OWN[hook]![option], { every = {}, thrice = {} } = HOOKS[hook as BuiltInHookName]!;
  if (own !== undefined) return { ...own, beside: own.beside ?? without(every, option) };
  const time = TIMES[option];
  return time && { value: time.value, beside: { ...{ every, thrice }[time.of], ...time.beside } };
}

function without(options: Options, option: string): Options {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name !== option));
}

function configOf(name: string, options: Options): HooksConfig {
  const { list = "other" } = BUILT_IN_SCHEMAS[name as BuiltInHookName];
  return { hooks: { [list]: [{ name, ...options }] } };
}

for (const name of Object.keys(HOOKS) as BuiltInHookName[]) {
  Deno.test(`each option of ${name} in a configuration has an observable effect`, async (t) => {
    const known = new Map<string, Promise<unknown>>();
    const shown = (options: Options, training: Partial<TrainerParts> | undefined) => {
      const key = JSON.stringify([options, Object.keys(training ?? {})]);
      const found = known.get(key) ?? shownBy(configOf(name, options), training);
      known.set(key, found);
      return found;
    };
    await t.step("and the same options have the same effect", async () => {
      const { every = {} } = HOOKS[name]!;
      assertEquals(await shownBy(configOf(name, every)), await shown(every, undefined));
    });
    for (const option of Object.keys(BUILT_IN_SCHEMAS[name].options ?? {})) {
      await t.step(option, async () => {
        const tried = caseOf(name, option);
        assert(tried !== undefined, `no case shows what ${option} of ${name} does`);
        const { value, beside = {}, training } = tried;
        const unset = await shown(beside, training);
        const set = await shown({ ...beside, [option]: value }, training);
        assert(JSON.stringify(set) !== JSON.stringify(unset), `${option} of ${name} does nothing`);
      });
    }
  });
}

/** For each member of a configuration: a configuration with it, and one without. */
const MEMBERS: Readonly<Record<string, readonly [HooksConfig, HooksConfig]>> = {
  ...Object.fromEntries(SWITCHES.flatMap(([enable, config]) => {
    const options = {
      loggingConfig: { logEveryNBatches: 1 },
      gradientMonitorConfig: { logFrequency: 1, histogram: true },
      modelCheckpointConfig: { saveLast: false },
      earlyStoppingConfig: { verbose: true },
      lrMonitorConfig: { logMomentum: true },
    }[config]!;
    return [
      [enable, [{ [enable]: true, [config]: options }, { [config]: options }]],
      [config, [{ [enable]: true, [config]: options }, { [enable]: true }]],
    ] as const;
  })),
};

Deno.test("each switch of a configuration has an effect, and so do its options", async () => {
  // create_hooks_test.ts tests the others one by one.
  const others = ["hookClasses", "hookConfigs", "continueOnHookError", "logHookErrors", "hooks"];
  assertEquals([...Object.keys(MEMBERS), ...others].sort(), [...CONFIG_MEMBERS].sort());
  for (const [member, [set, unset]] of Object.entries(MEMBERS)) {
    const [a, b] = [await shownBy(set), await shownBy(unset)];
    assert(JSON.stringify(a) !== JSON.stringify(b), `${member} does nothing`);
  }
});
