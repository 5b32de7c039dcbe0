/**
 * Fields that the compiler lets training hooks write, and fields that it does not. The assertions are types: `deno
 * check` checks them, and an unused `@ts-expect-error` is an error. Each test also runs, to show that hooks that
 * compile can be registered.
 */
import { assertEquals } from "@std/assert";
import { hook, type TrainingContext, TrainingStage } from "@hooke/hooke";
import { Trainer } from "@hooke/hooke/training";
import { parts } from "../training/networks.ts";

Deno.test("what a training hook looks at is readonly", () => {
  const looks = hook({
    name: "looks",
    reads: ["gradients", "parameters:w*", "optimizers"],
    on: {
      training: {
        AFTER_BACKWARD: (ctx) => {
          // @ts-expect-error: the loss is looked at
          ctx.loss = 0;
          // @ts-expect-error: gradients are looked at
          ctx.read.gradients.get("w")![0] = 0;
          // @ts-expect-error: some of the parameters are, too
          ctx.read["parameters:w*"].get("w")![0] = 0;
          // @ts-expect-error: and gradients in host memory
          ctx.gradients.get("w")![0] = 0;
          // @ts-expect-error: rates are looked at
          ctx.optimizers[0]!.groups[0]!.lr = 1;
          // @ts-expect-error: they are where they are read, too
          ctx.read.optimizers[0]!.groups[0]!.lr = 1;
          // @ts-expect-error: nothing was declared to be written
          ctx.write.optimizers;
          // @ts-expect-error: so is the state
          ctx.state.currentEpoch = 1;
        },
        // @ts-expect-error: the loss of a batch is not known yet
        BATCH_BEGIN: (ctx) => ctx.loss,
      },
    },
  });
  const trainer = new Trainer(parts());
  assertEquals(trainer.addHook(looks).name, "looks");
});

Deno.test("what a training hook has declared can be written", async () => {
  const writes = hook({
    name: "writes",
    writes: ["optimizers", "gradients", "parameters:w*"],
    on: {
      training: {
        AFTER_BACKWARD: (ctx) => {
          ctx.write.optimizers[0]!.groups[0]!.lr = 0;
          ctx.write.gradients.get("w1")![0] = 0;
          ctx.write["parameters:w*"].get("w1")![0] = 7;
          // @ts-expect-error: which parameters are of a group is settled
          ctx.write.optimizers[0]!.groups[0]!.parameters = [];
        },
      },
    },
  });
  await using trainer = new Trainer({ ...parts({ steps: 1 }), hooks: [writes] });
  await trainer.train();
  assertEquals((await trainer.parameter("w1"))[0], 7);
});

class Row {
  readonly stage = TrainingStage.STEP_END;
  readonly frequency = 1;
  readonly reads = ["lr"] as const;
  readonly rows: number[] = [];

  call(ctx: TrainingContext<"lr">): void {
    this.rows.push(ctx.read.lr);
    // @ts-expect-error: it was not declared
    ctx.read.gradNorm.toFixed();
  }
}

Deno.test("a class gets what it declares", () => {
  const trainer = new Trainer(parts());
  assertEquals(trainer.addHook(new Row()).name, "Row");
  // @ts-expect-error: no lifecycle method is called so
  const misspelt = () => trainer.addHook({ onBatchEnds() {} });
  // @ts-expect-error: there is no such stage
  const strange = () => hook({ on: { training: { AFTER_LOSSES() {} } } });
  assertEquals([misspelt, strange].length, 2);
});
