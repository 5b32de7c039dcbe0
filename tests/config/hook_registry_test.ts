// A registry of hooks that is made from a configuration, as document 004 has it.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createHooks, HookRegistry, type HooksConfig } from "@hooke/hooke/config";
import { Trainer } from "@hooke/hooke/training";
import { tinyParts } from "./tiny_training.ts";

const CONFIG: HooksConfig = {
  enable_lr_monitor: true,
  lr_monitor_config: { write: () => {} },
  hooks: {
    update: [{ name: "identity" }, { name: "identity", enabled: false }],
    forward: [{ name: "activation_stats", write: () => {} }],
    other: [{ name: "clip_gradients", norm: 1 }],
  },
};

Deno.test("HookRegistry initialized with a configuration loads its hooks: their types, order and enabled flags", async () => {
  const registry = new HookRegistry(CONFIG);
  assertEquals(registry.definitions.map(({ name, list, enabled }) => [name, list, enabled]), [
    ["lr_monitor", "other", true],
    ["activation_stats", "forward", true],
    ["identity", "update", true],
    ["identity-2", "update", false],
    ["clip_gradients", "other", true],
  ]);
  assert(registry.config === CONFIG);
  const made = await createHooks(registry);
  assertEquals(
    made.map(({ path, options }) => [options.name, path, options.enabled ?? true]),
    registry.definitions.map(({ name, path, enabled }) => [name, path, enabled]),
  );
  await using trainer = new Trainer({ ...tinyParts(), hooksConfig: registry });
  assert(trainer.config === CONFIG);
  await trainer.train();
  assertEquals(
    trainer.hooks.list().map(({ name, enabled }) => [name, enabled]),
    registry.definitions.map(({ name, enabled }) => [name, enabled]),
  );
});

Deno.test("hooks of a HookRegistry are enabled and disabled by name, before and during training, and disabled ones do not run", async () => {
  const registry = new HookRegistry(), seen: string[] = [];
  for (const name of ["first", "second"]) {
    registry.register(name, () => ({ onBatchEnd: () => void seen.push(name) }));
  }
  registry.load({ hooks: { other: [{ name: "first" }, { name: "second", enabled: false }] } });
  registry.disable("first");
  registry.enable("second");
  await using trainer = new Trainer({ ...tinyParts(), hooksConfig: registry, steps: 1 });
  await trainer.train();
  assertEquals(seen, ["second"]);

  seen.length = 0;
  await using other = new Trainer(tinyParts());
  await other.addHooks(registry);
  other.addHook({
    name: "switch",
    onBatchEnd: ({ batchIdx }: { batchIdx: number }) => {
      if (batchIdx === 1) registry.enable("first");
      if (batchIdx === 2) registry.disable("second");
    },
  });
  await other.train();
  assertEquals(seen, ["second", "second", "first", "second", "first"]);
  assertEquals(registry.definitions.map(({ enabled }) => enabled), [true, false]);
  assertEquals(other.hooks.list().map(({ name, enabled }) => [name, enabled]), [
    ["switch", true],
    ["first", true],
    ["second", false],
  ]);
  other.removeHook("second");
  registry.enable("second"); // which the trainer no longer has
  assertEquals(other.hooks.has("second"), false);
});

Deno.test("a HookRegistry refuses a wrong configuration at once, and names if none is loaded", async () => {
  const wrong: readonly [config: object, error: new () => Error, message: string][] = [
    [{ hooks: { update: [{ name: "idenity" }] } }, RangeError, "did you mean identity?"],
    [{ hooks: { update: [{ name: "clip_gradients" }] } }, TypeError, "belongs to hooks.other"],
    [{ hooks: { other: [{ name: "clip_gradients", nrm: 1 }] } }, TypeError, "did you mean norm?"],
    [{ enable_lr_monitr: true }, TypeError, "did you mean enable_lr_monitor?"],
  ];
  for (const [config, type, message] of wrong) {
    assertThrows(() => new HookRegistry(config as HooksConfig), type, message);
  }
  const registry = new HookRegistry(CONFIG);
  assertThrows(() => registry.enable("identty"), RangeError, "did you mean identity?");
  const empty = new HookRegistry();
  assertEquals([empty.definitions, empty.config], [[], undefined]);
  assertThrows(() => empty.disable("identity"), TypeError, "new HookRegistry(config)");
  await assertRejects(() => createHooks(empty), TypeError, "the registry has no configuration");
});
