/** The scenarios of the hooks specification (document 004), each a test. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { createHooks, hook, runLog, type TrainingContext, TrainingStage } from "../../mod.ts";
import { HookRegistry } from "../../src/config/mod.ts";
import type { RunRecord } from "../../src/config/runs/mod.ts";
import { sgd } from "../../src/training/mod.ts";
import { changed, parametersOf, smallTrainer, trained } from "./small_trainer.ts";

/** A forward hook: mean and deviation of `hidden`, at every batch. */
function activationStats(log: (mean: number, std: number) => void = () => {}) {
  return hook({
    name: "activationStats",
    reads: ["statistics:hidden"],
    on: {
      training: {
        AFTER_FORWARD(ctx) {
          const { mean, std } = ctx.read["statistics:hidden"].get("hidden")!;
          log(mean, std);
        },
      },
    },
  });
}

/** An update hook. */
function update(name: string, change: (gradient: number) => number) {
  return hook({ name, on: { training: { GRADIENTS: ({ value }) => changed(value, change) } } });
}

/** An update hook that hands on what it is given. */
const identity = () =>
  hook({ name: "identity", on: { training: { GRADIENTS: (ctx) => ctx.value } } });

Deno.test("Hook registry loads hooks from config: registered according to their type, enabled or disabled via configuration", async () => {
  const registry = new HookRegistry();
  registry.register("halve", () => update("halve", (x) => x / 2), { list: "update" });
  const config = (enabled: boolean) => ({
    hooks: {
      forward: [{ name: "activation_stats", points: ["hidden"], log_interval: 2 }],
      update: [{ name: "identity" }, { name: "halve", enabled }],
    },
  });
  const loaded = async (enabled: boolean) => {
    await using trainer = smallTrainer();
    for (const { hook, options } of await createHooks(config(enabled), { registry })) {
      trainer.hooks.add(hook as never, options);
    }
    await trainer.train();
    return { list: trainer.hooks.list(), parameters: await parametersOf(trainer) };
  };
  const { list, parameters } = await loaded(true);
  assertEquals(list.map(({ name, stages, enabled }) => [name, stages.join(), enabled]), [
    ["activation_stats", TrainingStage.AFTER_FORWARD, true],
    ["identity", TrainingStage.GRADIENTS, true],
    ["halve", TrainingStage.GRADIENTS, true],
  ]);
  const halved = await trained([update("halve", (x) => x / 2)]);
  assertEquals(parameters, halved.parameters);
  const off = await loaded(false);
  assertEquals(off.list.map(({ enabled }) => enabled), [true, true, false]);
  assertEquals(off.parameters, (await trained()).parameters, "a disabled hook is not executed");
  const wrong = { hooks: { forward: [{ name: "identity" }] } };
  await assertRejects(() => createHooks(wrong, { registry }), TypeError, "hooks.forward");
});

Deno.test("Hook registry supports toggling hooks: it can be enabled or disabled without removing it, disabled hooks are not executed", async () => {
  await using trainer = smallTrainer();
  const seen: number[] = [];
  trainer.hooks.add(hook({
    name: "count",
    on: { training: { BATCH_END: (ctx) => void seen.push(ctx.stepCount) } },
  }));
  await trainer.train(1);
  trainer.disableHook("count");
  assertEquals(trainer.hooks.list().map(({ name, enabled }) => [name, enabled]), [[
    "count",
    false,
  ]]);
  await trainer.train(2);
  trainer.enableHook("count");
  await trainer.train(3);
  assertEquals(seen, [1, 2, 5, 6]);
});

Deno.test("Hook registry executes hooks in order: hooks of the same type in registration order, deterministic", async () => {
  const run = async () => {
    const order: string[] = [];
    const forward = (name: string) =>
      hook({ name, on: { training: { AFTER_FORWARD: () => void order.push(name) } } });
    const pipe = (name: string) =>
      update(name, (x) => {
        if (order.at(-1) !== name) order.push(name);
        return x;
      });
    await trained([forward("c"), pipe("z"), forward("a"), pipe("y"), forward("b")], { steps: 2 });
    return order;
  };
  const order = await run();
  assertEquals(order, ["c", "a", "b", "z", "y", "c", "a", "b", "z", "y"]);
  assertEquals(await run(), order);
});

Deno.test("Forward hook logs activation statistics: it receives activations during the forward pass, computes and logs mean and std", async () => {
  const logged: [number, number][] = [], wanted: [number, number][] = [];
  await trained([
    activationStats((mean, std) => logged.push([mean, std])),
    hook({
      name: "byHand",
      reads: ["activations:hidden"],
      on: {
        training: {
          AFTER_FORWARD(ctx) {
            const { data, dims } = ctx.read["activations:hidden"].get("hidden")!;
            assertEquals(dims, [4, 4]);
            const mean = Array.from(data).reduce((a, b) => a + b) / data.length;
            assertAlmostEquals(data.mean(), mean, 1e-12);
            const squares = Array.from(data, (x) => (x - mean) ** 2).reduce((a, b) => a + b);
            wanted.push([mean, Math.sqrt(squares / data.length)]);
          },
        },
      },
    }),
  ]);
  assertEquals(logged.length, 4);
  for (const [i, [mean, std]] of logged.entries()) {
    assertAlmostEquals(mean, wanted[i]![0], 1e-6);
    assertAlmostEquals(std, wanted[i]![1], 1e-6);
  }
});

Deno.test("Forward hook doesn't modify outputs: model outputs remain unchanged, training is identical with hooks enabled or disabled", async () => {
  const without = await trained();
  const everything = hook({
    name: "everything",
    reads: ["activations:*", "statistics:*", "parameters", "gradients", "optimizerState", "loss"],
    on: { training: { "*": (ctx, stage) => void [ctx, stage] } },
  });
  assertEquals(await trained([activationStats(), everything]), without, "bitwise identical");
  const meddles = {
    name: "meddles",
    stage: TrainingStage.AFTER_FORWARD,
    frequency: 1,
    reads: ["activations:hidden"],
    // deno-lint-ignore no-explicit-any -- as a JavaScript caller would
    call: (ctx: any) => ctx.read["activations:hidden"].get("hidden").data.fill(9),
  };
  assertEquals(await trained([meddles]), without, "what it is given is a copy");
});

Deno.test("Forward hook is called during training step: with activations, after they are computed but before loss computation", async () => {
  await using trainer = smallTrainer();
  const stages: string[] = [];
  trainer.hooks.add(hook({
    name: "forward",
    reads: ["activations:hidden"],
    on: {
      training: {
        BEFORE_FORWARD: () => void stages.push("before the forward pass"),
        AFTER_FORWARD(ctx) {
          stages.push(`${ctx.read["activations:hidden"].size} activation`);
          assert(!("loss" in ctx && Number.isFinite(ctx.loss)), "there is no loss yet");
        },
        AFTER_LOSS: (ctx) => void stages.push(Number.isFinite(ctx.loss) ? "loss" : "no loss"),
      },
    },
  }));
  const batch = { x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] } };
  const wanted = { data: Float32Array.of(1), dims: [1, 1] };
  const { loss } = await trainer.trainingStep({ ...batch, wanted });
  assert(loss > 0);
  assertEquals(stages, ["before the forward pass", "1 activation", "loss"]);
});

Deno.test("Identity update hook passes gradients unchanged: training behavior is identical to no hooks", async () => {
  const given: number[] = [];
  const counted = hook({
    name: "counted",
    on: {
      training: {
        GRADIENTS({ value }) {
          given.push(value.get("first")!.length);
          return value;
        },
      },
    },
  });
  assertEquals(await trained([identity(), counted]), await trained(), "bitwise identical");
  assertEquals(given, [12, 12, 12, 12], "it receives gradients during each optimizer step");
});

Deno.test("Update hook can transform gradients: modified gradients are used for parameter updates", async () => {
  const plain = await trained(), halved = await trained([update("halve", (x) => x / 2)]);
  assertNotEquals(halved, plain);
  const slower = await trained([], { optimizers: sgd({ lr: 0.05 }) });
  for (const [name, numbers] of Object.entries(halved.parameters)) {
    for (const [i, x] of numbers.entries()) {
      assertAlmostEquals(x, slower.parameters[name]![i]!, 1e-6);
    }
  }
});

Deno.test("Update hook is called during optimizer step: after backward pass but before parameter update", async () => {
  await using trainer = smallTrainer();
  const order: string[] = [];
  const tell = (text: string) => () => void order.push(text);
  trainer.hooks.add(hook({
    name: "order",
    on: {
      training: {
        AFTER_BACKWARD: tell("after backward"),
        BEFORE_OPTIMIZER_STEP: tell("before the update"),
        AFTER_OPTIMIZER_STEP: tell("after it"),
      },
    },
  }));
  let during: Float32Array | undefined;
  const before = await trainer.parameter("first");
  trainer.hooks.add(hook({
    name: "update",
    on: {
      training: {
        async GRADIENTS({ value }) {
          order.push("update hook");
          during = await trainer.parameter("first");
          return value;
        },
      },
    },
  }));
  await trainer.trainingStep({
    x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] },
    wanted: { data: Float32Array.of(1), dims: [1, 1] },
  });
  assertEquals(order, ["after backward", "update hook", "before the update", "after it"]);
  assertEquals(during, before, "parameters are as they were");
  assertNotEquals(await trainer.parameter("first"), before);
});

/** The lines of the run log of a run. */
async function logged(hooks: readonly unknown[], config?: unknown): Promise<RunRecord[]> {
  const lines: RunRecord[] = [];
  const log = runLog({
    ...(config === undefined ? {} : { config }),
    write: (line) => void lines.push(JSON.parse(line)),
  });
  await using trainer = smallTrainer([log, ...hooks]);
  if (hooks.length > 1) trainer.disableHook("activationStats");
  trainer.hooks.add(hook({
    name: "first",
    on: { training: { TRAIN_BEGIN: () => void assertEquals(lines.length, 1) } },
    onError: "throw",
  }));
  await trainer.train(1);
  return lines;
}

Deno.test("Run ID is generated and logged: a unique run_id, at the start of training", async () => {
  const [one, other] = [await logged([]), await logged([])];
  assertMatch(one[0]!.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assertNotEquals(one[0]!.id, other[0]!.id);
  assertEquals([one[0]!.type, one[0]!.step], ["start", 0]);
  assertEquals(new Set(one.map(({ id }) => id)).size, 1);
});

Deno.test("Git commit is logged: the current commit hash, or a placeholder", async () => {
  const [start] = await logged([]);
  assert(start?.type === "start");
  const { success, stdout } = await new Deno.Command("git", { args: ["rev-parse", "HEAD"] })
    .output();
  assertEquals(start.commit, success ? new TextDecoder().decode(stdout).trim() : "unknown");
});

Deno.test("Config hash is computed and logged: for reproducibility", async () => {
  const hashOf = async (config: unknown) => {
    const [start] = await logged([], config);
    assert(start?.type === "start");
    return start.configHash;
  };
  const hash = await hashOf({ lr: 0.1, epochs: 2 });
  assertMatch(hash!, /^[0-9a-f]{16,}$/);
  assertEquals(await hashOf({ epochs: 2, lr: 0.1 }), hash);
  assertNotEquals(await hashOf({ lr: 0.2, epochs: 2 }), hash);
});

Deno.test("Hook list is logged: names and enabled or disabled status", async () => {
  const [start] = await logged([activationStats(), identity()]);
  assertEquals(start!.hooks.map(({ name, enabled }) => [name, enabled]), [
    ["runLog", true],
    ["activationStats", false],
    ["identity", true],
    ["first", true],
  ]);
});

Deno.test("Hooks don't break training step: it completes without errors, loss computation and parameter updates proceed normally", async () => {
  const without = await trained();
  const warnings: string[] = [];
  const breaks = hook({
    name: "breaks",
    onError: "warn",
    on: {
      training: {
        AFTER_FORWARD() {
          throw new Error("no");
        },
      },
    },
  });
  const onWarning = ({ hook }: { readonly hook: string }) => void warnings.push(hook);
  assertEquals(await trained([activationStats(), identity(), breaks], { onWarning }), without);
  assertEquals(warnings, ["breaks", "breaks", "breaks", "breaks"]);
});

Deno.test("Multiple hooks can be active simultaneously: all execute correctly, don't interfere with each other, training completes", async () => {
  let stats = 0, losses = 0;
  const last = {
    name: "losses",
    stage: TrainingStage.AFTER_LOSS,
    frequency: 1,
    reads: ["loss"],
    call: (ctx: TrainingContext<"loss">) => void (losses += Number.isFinite(ctx.read.loss) ? 1 : 0),
  };
  const hooks = [
    activationStats(() => void stats++),
    update("double", (x) => 2 * x),
    last,
    update("halve", (x) => x / 2),
    identity(),
  ];
  await using trainer = smallTrainer(hooks);
  assertEquals((await trainer.train()).status, "completed");
  assertEquals([stats, losses], [4, 4]);
  const parameters = await parametersOf(trainer);
  assertEquals(parameters, (await trained()).parameters, "2 · ½ is exactly 1");
});
