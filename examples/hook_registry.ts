/**
 * Creates hooks from a configuration: forward hooks observe activations, update hooks change gradients, each by its
 * registered name, enabled or disabled. A run log lists the hooks, and when one was enabled or disabled.
 *
 * Run: `deno run -P=onnx examples/hook_registry.ts`
 */
import {
  getTrainer,
  GraphBuilder,
  hook,
  meanSquaredError,
  normalNumbers,
  sgd,
  tensorData,
} from "@hooke/hooke";
import { HookRegistry, type HooksConfig } from "@hooke/hooke/config";

const registry = new HookRegistry(); // knows the built-in hooks

/** A forward hook: it sees activations, and does not change the step. */
registry.register("activation_log", () =>
  hook({
    name: "activation_log",
    frequency: 10,
    reads: ["statistics:hidden"],
    on: {
      training: {
        AFTER_FORWARD: ({ stepCount, read }) => {
          const { mean, std } = read["statistics:hidden"].get("hidden")!;
          console.log(`step ${stepCount}: hidden ${mean.toFixed(3)} ± ${std.toFixed(3)}`);
        },
      },
    },
  }));

/** An update hook: it receives gradients and returns gradients, before the optimizer steps. */
registry.register("scale", ({ factor }: { factor: number }) =>
  hook({
    name: "scale",
    on: {
      training: {
        GRADIENTS: ({ value }) =>
          new Map([...value].map(([name, gradient]) => [name, gradient.map((g) => factor * g)])),
      },
    },
  }), { list: "update", options: { factor: { type: "number" } }, required: ["factor"] });

// The configuration may as well be in a file. Names and options are checked, and the error of a mistake has its path.
const config: HooksConfig = JSON.parse(`{
  "hooks": {
    "forward": [{ "name": "activation_log" }],
    "update": [{ "name": "identity" }, { "name": "scale", "factor": 0, "enabled": false }]
  }
}`);

/** y = tanh(x w) v */
function network(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("net");
  const w = g.parameter("w", normalNumbers(8, { seed: 1 }), [1, 8]);
  const v = g.parameter("v", normalNumbers(8, { seed: 2, stdev: 0.3 }), [8, 1]);
  const x = g.input("x", "f32", ["B", 1]);
  const hidden = g.named(g.op("Tanh", [g.op("MatMul", [x, w], "f32")], "f32"), "hidden");
  g.output("y", g.op("MatMul", [hidden, v], "f32"), ["B", 1]);
  return g.build();
}

const points = normalNumbers(160, { seed: 3 });
const x = { data: points, dims: [160, 1] };
const target = { data: points.map(Math.sin), dims: [160, 1] };
await using trainer = getTrainer("simple", {
  model: network(),
  loss: meanSquaredError(),
  data: tensorData({ x, target }, { batchSize: 16, seed: 1 }),
  optimizers: sgd({ lr: 0.1 }),
  epochs: 3,
});
const lines: string[] = [];
trainer.addRunLog({ config: { ...config }, write: (line) => void lines.push(line) });
await trainer.addHooks(config, { registry });

let before: readonly number[] = [];
trainer.addHook(hook({
  name: "switch",
  reads: ["parameters:v"],
  frequency: 2,
  phase: 1, // the end of the second epoch
  on: {
    training: {
      EPOCH_END: ({ read, workflow }) => {
        before = [...read["parameters:v"].get("v")!];
        workflow.hooks.enable("scale"); // by 0: from here on nothing is learned
        workflow.hooks.disable("activation_log");
      },
    },
  },
}));
await trainer.train();
const after = await trainer.parameter("v");
console.log(`v has ${String(before) === String(after) ? "not " : ""}moved in the last epoch`);

for (const line of lines) {
  const { type, step, configHash, change, hook, hooks } = JSON.parse(line);
  const names = hooks.filter(({ name }: { name: string }) => !/runLog|switch/.test(name))
    .map(({ name, enabled }: { name: string; enabled: boolean }) =>
      `${name} ${enabled ? "on" : "off"}`
    );
  const what = [type, change, hook, configHash?.slice(0, 8)].filter(Boolean).join(" ");
  console.log(`${what}, step ${step}: ${names.join(", ")}`);
}

// For editors, `hooksSchema` describes everything that a configuration may contain. The error of a mistake has its
// path.
const misspelt = { hooks: { forward: [{ name: "activation_lgo" }] } };
await trainer.addHooks(misspelt, { registry }).catch(({ message }) => console.log(message));
