/**
 * Creates hooks from a configuration, and shows the other ways to register one: built-in hooks by switches, custom
 * hooks by the path of a module, by a name in a registry, or as an object. Custom hooks run first.
 *
 * Run: `deno run -P=onnx-files examples/config_hooks.ts [FOLDER]`
 */
import {
  exponential,
  getTrainer,
  GraphBuilder,
  meanSquaredError,
  normalNumbers,
  sgd,
  tensorData,
} from "@hooke/hooke";
import { HookRegistry, type HooksConfig } from "@hooke/hooke/config";

const dir = Deno.args[0] ?? Deno.makeTempDirSync();

// Each member may be written in camelCase or, as here, in snake_case.
const config: HooksConfig = {
  enable_logging_hook: true,
  logging_config: { log_every_n_batches: 100 },
  enable_gradient_monitor: true,
  gradient_monitor_config: { log_frequency: 40, log_histogram: false, param_filter: ["w"] },
  enable_model_checkpoint_hook: true,
  model_checkpoint_config: {
    dir,
    save_top_k: 2,
    monitor: "val/loss",
    mode: "min",
    save_last: true,
    filename: "epoch_{epoch}_loss_{val/loss:.2f}",
  },
  enable_early_stopping_hook: true,
  early_stopping_config: { monitor: "val/loss", patience: 2, min_delta: 0.01, verbose: true },
  enable_lr_monitor: true,
  lr_monitor_config: { frequency: "epoch" },
  // 1. By the path of its module, relative to `base`.
  hook_classes: ["./hooks/plateau.ts#PlateauHook", "bell"],
  hook_configs: { PlateauHook: { window: 3, within: 0.05 } },
};

const builder = new GraphBuilder("line"); // y = w x
const x = builder.input("x", "f32", ["B", 1]);
const w = builder.parameter("w", [0], [1, 1]);
builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);

function made(seed: number) {
  const x = normalNumbers(80, { seed }), noise = normalNumbers(80, { seed: seed + 1, stdev: 0.1 });
  return {
    x: { data: x, dims: [80, 1] },
    target: { data: x.map((x, i) => 3 * x + noise[i]!), dims: [80, 1] },
  };
}

await using trainer = getTrainer("simple", {
  model: builder.build(),
  loss: meanSquaredError(),
  data: tensorData(made(1), { batchSize: 8, seed: 1 }),
  validation: tensorData(made(3), { batchSize: 80 }),
  optimizers: sgd({ lr: 0.05 }),
  schedule: exponential({ gamma: 0.99 }),
  epochs: 50,
});

// 2. By a custom name.
const registry = new HookRegistry();
registry.register("bell", () => ({ onTrainBegin: () => console.log("ding"), name: "bell" }));
await trainer.addHooks(config, { registry, base: import.meta.url });

// 3. As an object, now or at any time.
trainer.hooks.add({ onTrainEnd: ({ outcome }) => console.log(outcome) }, { name: "outcome" });

console.log(trainer.hooks.list().map(({ name }) => name).join(", "));
await trainer.train();
console.log([...Deno.readDirSync(dir)].map(({ name }) => name).sort().join(", "));
