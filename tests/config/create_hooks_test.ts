// Hooks from configurations: forms, order, switches, and messages for mistakes.
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type CreatedHook,
  createHooks,
  getTrainer,
  HookRegistry,
  type HooksConfig,
} from "@hooke/hooke/config";
import type { HookWarning } from "@hooke/hooke/hooks";
import { scriptedTrainer } from "@hooke/hooke/testing";
import { MyCustomHook } from "./own_hooks.ts";
import { tinyParts } from "./tiny_training.ts";

const base = import.meta.url;
const MINE = "./own_hooks.ts#MyCustomHook";

/** Returns the name and options of each hook. */
function inShort(created: readonly CreatedHook[]): string[] {
  return created.map(({ hook, options: { name, order = "normal", enabled = true } }) =>
    `${name ?? hook.constructor.name} ${order}${enabled ? "" : " off"}`
  );
}

/** Returns the error message of a configuration. */
async function refusal(config: unknown, registry?: HookRegistry): Promise<string> {
  const error = await assertRejects(
    () => createHooks(config as HooksConfig, { base, ...(registry && { registry }) }),
    Error,
  );
  return error.message;
}

/** Returns the threshold of a hook, which must be of the given class. */
function thresholdOf(created: CreatedHook | undefined): number {
  const hook: unknown = created?.hook;
  assert(hook instanceof MyCustomHook);
  return hook.threshold;
}

Deno.test("document 001's switches and options make its hooks, in either spelling", async () => {
  const camel = await createHooks({
    enableLoggingHook: true,
    enableGradientMonitor: true,
    gradientMonitorConfig: {
      logFrequency: 100,
      logHistogram: true,
      logNorm: true,
      paramFilter: ["encoder", "decoder"],
      percentiles: [10, 50, 90],
    },
    enableModelCheckpointHook: true,
    modelCheckpointConfig: {
      saveTopK: 3,
      monitor: "val/loss",
      mode: "min",
      saveLast: true,
      saveOnTrainEpochEnd: false,
      filename: "epoch_{epoch}_loss_{val/loss:.2f}",
      autoInsertMetricName: false,
    },
    enableEarlyStoppingHook: true,
    earlyStoppingConfig: { patience: 10, minDelta: 0.0001, strict: true, verbose: true },
    enableLrMonitor: true,
    lrMonitorConfig: { logMomentum: true, logWeightDecay: true, frequency: "epoch" },
  });
  const snake = await createHooks({
    enable_logging_hook: true,
    enable_gradient_monitor: true,
    gradient_monitor_config: {
      log_frequency: 100,
      log_histogram: true,
      log_norm: true,
      param_filter: ["encoder", "decoder"],
      percentiles: [10, 50, 90],
    },
    enable_model_checkpoint_hook: true,
    model_checkpoint_config: {
      save_top_k: 3,
      monitor: "val/loss",
      mode: "min",
      save_last: true,
      save_on_train_epoch_end: false,
      filename: "epoch_{epoch}_loss_{val/loss:.2f}",
      auto_insert_metric_name: false,
    },
    enable_early_stopping_hook: true,
    early_stopping_config: { patience: 10, min_delta: 0.0001, strict: true, verbose: true },
    enable_lr_monitor: true,
    lr_monitor_config: { log_momentum: true, log_weight_decay: true, frequency: "epoch" },
  });
  const names = ["logging", "gradient_monitor", "model_checkpoint", "early_stopping", "lr_monitor"];
  const wanted = names.map((name) => `${name} last`);
  assertEquals([inShort(camel), inShort(snake)], [wanted, wanted]);
});

Deno.test("options of a configuration reach the hook: patience from a switch ends the run", async () => {
  const epochs = [1, 1, 1, 1, 1].map((loss) => ({ losses: [1], validation: { "val/loss": loss } }));
  const trainer = scriptedTrainer({ epochs });
  const config = { enable_early_stopping_hook: true, early_stopping_config: { patience: 2 } };
  for (const { hook, options } of await createHooks(config)) {
    trainer.hooks.add(hook as never, options);
  }
  assertEquals((await trainer.train()).status, "stopped");
  assertEquals(trainer.state.currentEpoch, 3); // the first sets the best, two do not improve
});

Deno.test("the options of a switch that is off are checked, and its hook is not created", async () => {
  assertEquals(
    await createHooks({ enableEarlyStoppingHook: false, earlyStoppingConfig: { patience: 3 } }),
    [],
  );
  assertEquals(await createHooks({ earlyStoppingConfig: { patience: 3 } }), []);
  assertEquals(await createHooks({ hooks: null }), []);
  assert(
    (await refusal({ earlyStoppingConfig: { patients: 3 } })).includes("did you mean patience?"),
  );
});

Deno.test("hookClasses load classes; hookConfigs refer to the whole path or to the bare name", async () => {
  for (const key of [MINE, "MyCustomHook"]) {
    const [created] = await createHooks({
      hookClasses: [MINE],
      hookConfigs: { [key]: { threshold: 5 } },
    }, { base });
    assertEquals(thresholdOf(created), 5);
  }
  const [plain] = await createHooks({ hook_classes: [MINE] }, { base });
  assertEquals(thresholdOf(plain), 10); // default of the hook
});

Deno.test("options for no hook, and for two hooks of one name, are errors", async () => {
  assertEquals(
    await refusal({ hookClasses: [MINE], hookConfigs: { MyCustomHok: { threshold: 5 } } }),
    "Cannot configure hooks: unknown option hookConfigs.MyCustomHok; known options are " +
      `${MINE}, MyCustomHook; did you mean MyCustomHook?`,
  );
  const twice = await refusal({
    hookClasses: [MINE, `./../config/own_hooks.ts#MyCustomHook`],
    hookConfigs: { MyCustomHook: {} },
  });
  assert(
    twice.includes(
      "hookConfigs.MyCustomHook must match one entry of hookClasses; it matches 2. " +
        `Use the full entry as the key, such as "${MINE}"`,
    ),
    twice,
  );
});

Deno.test("a module may export classes, functions, hooks, and a default", async () => {
  const created = await createHooks({
    hooks: {
      other: [
        { module: MINE, threshold: 2, name: "mine" },
        { module: "./own_hooks.ts#scaled", by: 3 },
        { module: "./own_hooks.ts#quiet", enabled: false },
        { module: new URL("./own_hooks.ts", base).href },
      ],
    },
  }, { base });
  assertEquals(inShort(created).slice(0, 1), ["mine last"]);
  const hooks = created.map(({ hook }) =>
    hook as { name?: string; by?: number; threshold?: number }
  );
  assertEquals(hooks.map(({ name, by, threshold }) => name ?? by ?? threshold), [
    2,
    "scaled",
    "quiet",
    "by default",
  ]);
  assertEquals([hooks[1]!.by, created[2]!.options.enabled], [3, false]);
});

Deno.test("errors name modules, exports and classes that do not exist or are not hooks", async () => {
  const of = (module: string, options = {}) =>
    refusal({ hooks: { other: [{ module, ...options }] } });
  assert((await of("./own_hooks.ts#MyCustomHok")).includes(
    "hooks.other[0] must be one of the exports of ./own_hooks.ts (Broken, MyCustomHook, Watch, default, quiet, " +
      'scaled, seven); got "MyCustomHok"; did you mean MyCustomHook?',
  ));
  assert((await of("./no_hooks.ts#A")).startsWith(
    'Cannot configure hooks: the module of hooks.other[0], "./no_hooks.ts#A", did not load',
  ));
  assert((await of("./own_hooks.ts#seven")).includes("must be a class, function or hook"));
  assert(
    (await of("./own_hooks.ts#quiet", { loud: true })).includes(
      "a class or function if it has options",
    ),
  );
  assertEquals(
    await of("./own_hooks.ts#Broken"),
    'Cannot configure hooks: "./own_hooks.ts#Broken" (hooks.other[0]) failed: it is broken: it is',
  );
  assert((await refusal({ hookClasses: ["mypackage.hooks.MyCustomHook"] })).endsWith(
    'got "mypackage.hooks.MyCustomHook"; write a custom hook as "./module.ts#Name"',
  ));
});

Deno.test("document 001's order: hooks of users first, built-in hooks last, otherwise in the order of registration", async () => {
  const registry = new HookRegistry();
  registry.register("second", () => ({ onEpochEnd() {} }));
  await using trainer = getTrainer("simple", tinyParts());
  await trainer.addHooks({
    enableLoggingHook: true,
    enableEarlyStoppingHook: true,
    hookClasses: [MINE, "second"],
    hooks: { other: [{ name: "checkpoint", enabled: false }] },
  }, { base, registry });
  trainer.hooks.add({ name: "byHand", onEpochEnd() {} });
  assertEquals(trainer.hooks.list().map(({ name }) => name), [
    "MyCustomHook",
    "second",
    "byHand",
    "logging",
    "early_stopping",
    "checkpoint",
  ]);
});

Deno.test("hooks of a list run in its order, whether built in or custom", async () => {
  const trainer = scriptedTrainer({ epochs: [{ losses: [1] }], gradients: { w: [1] }, lr: 1 });
  const config = {
    hooks: {
      update: [
        { module: "./own_hooks.ts#scaled", by: 2, name: "twice" },
        { name: "identity" },
        { name: "identity" },
        { module: "./own_hooks.ts#scaled", by: 3, name: "thrice", enabled: false },
      ],
    },
  };
  for (const { hook, options } of await createHooks(config, { base })) {
    trainer.hooks.add(hook as never, options);
  }
  const listed = trainer.hooks.list().map(({ name, enabled }) => `${name} ${enabled}`);
  assertEquals(listed, ["twice true", "identity true", "identity-2 true", "thrice false"]);
  await trainer.train();
  assertEquals(trainer.values.get("w")![0], -2); // the disabled one did nothing
});

Deno.test("a disabled hook can be enabled by its name", async () => {
  const trainer = scriptedTrainer({ epochs: [{ losses: [1] }], gradients: { w: [1] }, lr: 1 });
  const config = {
    hooks: { update: [{ module: "./own_hooks.ts#scaled", by: 3, name: "thrice", enabled: false }] },
  };
  for (const { hook, options } of await createHooks(config, { base })) {
    trainer.hooks.add(hook as never, options);
  }
  trainer.hooks.enable("thrice");
  await trainer.train();
  assertEquals(trainer.values.get("w")![0], -3);
});

Deno.test("the forward list observes activations at its interval, and does not change training", async () => {
  const rows: number[] = [], trained: number[][] = [];
  for (const enabled of [true, false]) {
    await using trainer = getTrainer("simple", tinyParts());
    const write = ({ step }: { readonly step: number }) => void rows.push(step);
    await trainer.addHooks({
      hooks: {
        forward: [{ name: "activation_stats", points: "y", log_interval: 2, write, enabled }],
      },
    });
    await trainer.train();
    trained.push([...await trainer.parameter("w")]);
  }
  assertEquals(rows, [0, 2]);
  assertEquals(trained[0], trained[1]);
});

Deno.test("a hook in the wrong list is an error, for hooks of users, too", async () => {
  assertEquals(
    await refusal({ hooks: { forward: [{ name: "identity" }] } }),
    "Cannot configure hooks: hooks.forward[0].name must be a hook for hooks.forward; " +
      'got "identity", which belongs to hooks.update',
  );
  assert((await refusal({ hooks: { forward: [{ module: "./own_hooks.ts#scaled" }] } })).includes(
    "hooks.forward[0] must be an observer at training/AFTER_FORWARD",
  ));
  assert((await refusal({ hooks: { update: [{ module: MINE }] } })).includes(
    "hooks.update[0] must be a hook at training/GRADIENTS",
  ));
  const [watch] = await createHooks({ hooks: { forward: [{ module: "./own_hooks.ts#Watch" }] } }, {
    base,
  });
  assertEquals(watch?.path, "hooks.forward[0]");
});

Deno.test("misspelled, mistyped and duplicate options are named by path, with the most similar name", async () => {
  const cases: [config: unknown, part: string][] = [
    [
      { hooks: { other: [{ name: "console_log", logIntervall: 3 }] } },
      "unknown option hooks.other[0].logIntervall;",
    ],
    [
      { hooks: { other: [{ name: "console_log", log_every_n_batch: 3 }] } },
      "did you mean log_every_n_batches?",
    ],
    [{ hooks: { other: [{ name: "consol_log" }] } }, "did you mean console_log?"],
    [
      { hooks: { othr: [] } },
      "unknown option hooks.othr; known options are forward, update, other; did you mean other?",
    ],
    [{ enableLoggingHok: true }, "did you mean enableLoggingHook?"],
    [{ enable_loging_hook: true }, "did you mean enable_logging_hook?"],
    [
      { enableLoggingHook: "yes" },
      'enableLoggingHook must be of type boolean; got "yes"',
    ],
    [{ enable_lr_monitor: 1 }, "enable_lr_monitor must be of type boolean; got 1"],
    [
      { enableLoggingHook: true, enable_logging_hook: true },
      "enable_logging_hook must be given once",
    ],
    [{ earlyStoppingConfig: { mode: "mim" } }, "earlyStoppingConfig.mode must be one of min, max"],
    [{ earlyStoppingConfig: { mode: "mim" } }, "did you mean min?"],
    [
      { early_stopping_config: { min_delta: -1 } },
      "early_stopping_config.min_delta must be 0 or more",
    ],
    [
      { earlyStoppingConfig: { patience: 1.5 } },
      "earlyStoppingConfig.patience must be of type integer",
    ],
    [
      { earlyStoppingConfig: { patience: 2, min_delta: 0, minDelta: 0 } },
      "minDelta must be given once",
    ],
    [
      { hooks: { other: [{ name: "json_log", onError: "ignore" }] } },
      "hooks.other[0].onError must be one of",
    ],
    [
      { hooks: { other: [{ name: "json_log", enabled: 1 }] } },
      "hooks.other[0].enabled must be of type boolean",
    ],
    [{ hooks: { other: [{}] } }, "hooks.other[0].name must be of type string"],
    [{ hooks: { other: ["json_log"] } }, "hooks.other[0] must be of type object"],
    [{ hooks: { other: {} } }, "hooks.other must be of type array"],
    [{ hookClasses: MINE }, "hookClasses must be of type array"],
    [{ hookClasses: [3] }, "hookClasses[0] must be of type string"],
    [3, "the configuration must be an object; got 3"],
  ];
  for (const [config, part] of cases) {
    const message = await refusal(config);
    assert(message.startsWith("Cannot configure hooks: ") && message.includes(part), message);
  }
});

Deno.test("no hook is created if anything is wrong", async () => {
  let made = 0;
  const registry = new HookRegistry();
  registry.register("count", () => ({ made: made++, onEpochEnd() {} }));
  await refusal({ hookClasses: ["count"], hooks: { other: [{ name: "nothing" }] } }, registry);
  assertEquals(made, 0);
});

Deno.test("a registered hook has its schema checked, its options in camelCase, and a unique name", async () => {
  const given: unknown[] = [];
  const registry = new HookRegistry();
  registry.register("mine", (options) => {
    given.push(options);
    return { onEpochEnd() {} };
  }, {
    list: "other",
    options: { everyNEpochs: { type: "integer", minimum: 1 } },
    required: ["everyNEpochs"],
    inCode: ["write"],
  });
  const write = () => {};
  await createHooks({ hooks: { other: [{ name: "mine", every_n_epochs: 2, write }] } }, {
    registry,
  });
  assertEquals(given, [{ everyNEpochs: 2, write }]);
  const other = (entry: object) =>
    refusal({ hooks: { other: [{ name: "mine", ...entry }] } }, registry);
  assert(
    (await other({ everyNEpochs: 0 })).includes(
      "everyNEpochs must be 1 or more; got 0",
    ),
  );
  assert((await other({})).includes("hooks.other[0].everyNEpochs is required"));
  for (const name of ["mine", "console_log"]) {
    await assertRejects(
      () => Promise.resolve().then(() => registry.register(name, () => ({}))),
      RangeError,
      "a hook of that name is already registered",
    );
  }
  await assertRejects(
    () =>
      Promise.resolve().then(() => registry.register("x", () => ({}), { optoins: {} } as never)),
    TypeError,
    "did you mean options?",
  );
});

Deno.test("continueOnHookError leaves out hooks that cannot be created, and lets runs continue; logHookErrors: false reports nothing", async () => {
  const left: string[] = [];
  const config = {
    continueOnHookError: true,
    hookClasses: ["./own_hooks.ts#Broken", "./no_hooks.ts#A", MINE],
  };
  const onWarning = ({ hook, stage, error }: HookWarning) =>
    void left.push(`${hook} ${stage} ${/hookClasses\[\d\]/.exec((error as Error).message)![0]}`);
  const created = await createHooks(config, { base, onWarning });
  assertEquals(created.map(({ options }) => options), [{ onError: "warn" }]);
  assertEquals(left, [
    "./own_hooks.ts#Broken config hookClasses[0]",
    "./no_hooks.ts#A config hookClasses[1]",
  ]);
  await using trainer = getTrainer("simple", { ...tinyParts(), onWarning });
  assertEquals((await trainer.addHooks(config, { base })).map(({ name }) => name), [
    "MyCustomHook",
  ]);
  assertEquals(left.splice(2).length, 2); // the trainer's own listener receives it, too
  await createHooks({ ...config, logHookErrors: false }, { base, onWarning });
  assertEquals(left.length, 2);
  const [strict] = await createHooks({ continueOnHookError: false, hookClasses: [MINE] }, { base });
  assertEquals(strict?.options, { onError: "throw" });
});

Deno.test("errors of hooks end a run, are reported, or are not, as the configuration says", async () => {
  const registry = new HookRegistry();
  registry.register("bad", () => ({
    onEpochEnd() {
      throw new Error("bad");
    },
  }));
  const warned: string[] = [];
  const train = async (config: HooksConfig) => {
    await using trainer = getTrainer("simple", {
      ...tinyParts(),
      onWarning: ({ hook }) => void warned.push(hook),
    });
    await trainer.addHooks({ hookClasses: ["bad"], ...config }, { registry });
    await trainer.train();
  };
  await assertRejects(() => train({ continueOnHookError: false }), Error, "bad");
  assertEquals(warned, []);
  await train({ continueOnHookError: true });
  assertEquals(warned, ["bad"]);
  await train({ continueOnHookError: true, logHookErrors: false });
  assertEquals(warned, ["bad"]);
});
