/** Statements of document 000, the hook guide of nvalchemi, that no other test shows. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  FIRE,
  fuse,
  lennardJones,
  Loop,
  NVE,
  potential,
} from "@hooke/hooke";
import type { BaseContext } from "@hooke/hooke/hooks";
import { stages } from "@hooke/hooke/hooks";
import { scriptedTrainer } from "@hooke/hooke/testing";

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const dimer = (x = 3.9) => ({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, x, 0, 0] });

interface Piped extends BaseContext {
  readonly processed: number;
}
const PipelineStage = stages<Piped>()("pipeline", ["AFTER_PROCESS"]);

Deno.test("document 000: a hook is called with the context and the current stage, in every kind of engine", async () => {
  const seen: unknown[] = [];
  const call = (ctx: BaseContext, stage: string) => void seen.push(`${stage} ${ctx.stepCount}`);
  await using md = new NVE({
    model,
    dt: 1,
    hooks: [{ stage: "dynamics/AFTER_STEP", frequency: 1, call }],
  });
  await md.run(Batch.from([dimer()]), 2);
  const trainer = scriptedTrainer({
    epochs: [{ losses: [1, 1] }],
    lr: 1,
    hooks: [{ stage: "training/AFTER_LOSS", frequency: 1, call }],
  });
  await trainer.train();
  const loop = new Loop({
    kinds: PipelineStage,
    context: { processed: 0 },
    step: (loop) => loop.fire(PipelineStage.AFTER_PROCESS),
  });
  loop.hooks.add({ stage: "pipeline/AFTER_PROCESS", frequency: 1, call });
  await loop.run(1);
  assertEquals(seen, [
    "dynamics/AFTER_STEP 0",
    "dynamics/AFTER_STEP 1",
    "training/AFTER_LOSS 0",
    "training/AFTER_LOSS 1",
    "pipeline/AFTER_PROCESS 0",
  ]);
});

Deno.test("document 000: batch and model are in contexts of dynamics, optimizers, schedules, epoch, gradients and loss in those of training", async () => {
  const ofBoth = ["stepCount", "globalRank", "workflow"];
  const ofDynamics = ["batch", "model"];
  const ofTraining = ["optimizers", "lrSchedulers", "epoch", "gradients", "loss"];
  const seen: string[][] = [];
  const note = (ctx: object) => {
    seen.push(ofBoth.concat(ofDynamics, ofTraining).filter((name) => name in ctx));
  };
  await using md = new NVE({ model, dt: 1, hooks: [{ onAfterStep: note }] });
  await md.run(Batch.from([dimer()]), 1);
  const trainer = scriptedTrainer({
    epochs: [{ losses: [1] }],
    lr: 1,
    hooks: [{
      onAfterBackward(ctx) {
        assertEquals([ctx.epoch, ctx.loss, ctx.optimizers[0]!.groups[0]!.lr], [0, 1, 1]);
        note(ctx);
      },
    }],
  });
  await trainer.train();
  // Training has a batch of its own: the tensors of the step.
  assertEquals(seen, [ofBoth.concat(ofDynamics), ofBoth.concat("batch", ofTraining)]);
});

Deno.test("document 000: global_rank is 0 in one process, and what a distributed engine says otherwise", async () => {
  const seen: number[] = [];
  const rankOf = (more: object) => {
    const loop = new Loop({
      kinds: PipelineStage,
      context: { processed: 0, ...more },
      step: (loop) => loop.fire(PipelineStage.AFTER_PROCESS),
    });
    loop.hooks.add({ onAfterProcess: (ctx) => void seen.push(ctx.globalRank) });
    return loop.run(1);
  };
  await rankOf({});
  await rankOf({ globalRank: 3 });
  assertEquals(seen, [0, 3]);
});

Deno.test("document 000: an engine populates the context at each stage with the fields of its workflow", async () => {
  const seen: number[] = [];
  const loop = new Loop({
    kinds: PipelineStage,
    context: { processed: 0 },
    step(loop) {
      loop.context.processed += 10;
      return loop.fire(PipelineStage.AFTER_PROCESS);
    },
  });
  loop.hooks.add({ onAfterProcess: (ctx) => void seen.push(ctx.processed) });
  await loop.run(3);
  assertEquals(seen, [10, 20, 30]);
});

Deno.test("document 000: from_fmax reads a scalar and from_forces takes norms of forces, with the same outcome", async () => {
  const steps: number[] = [];
  for (const hook of [ConvergenceHook.fromFmax(0.01), ConvergenceHook.fromForces(0.01)]) {
    await using opt = new FIRE({ model, dt: 0.1, nSteps: 500, hooks: [hook] });
    const batch = Batch.from([dimer()]);
    await opt.run(batch);
    const forces = batch.get("forces");
    assert(Math.hypot(forces[0]!, forces[1]!, forces[2]!) <= 0.01);
    steps.push(opt.stepCount);
  }
  assert(steps[0]! > 0 && steps[0]! < 500);
  assertEquals(steps[0], steps[1]);
});

Deno.test("document 000: a fused stage moves systems to the next stage by their status", async () => {
  const seen: number[][] = [];
  await using both = fuse(
    new FIRE({ model, dt: 0.1, hooks: [ConvergenceHook.fromFmax(0.01)] }),
    new NVE({ model, dt: 1, nSteps: 2 }),
    { hooks: [{ reads: ["status"], onAfterStep: ({ read }) => void seen.push([...read.status]) }] },
  );
  const batch = Batch.from([dimer(3.9), dimer(3.8164)]); // the second begins at its minimum: r = 2^(1/6) σ
  await both.run(batch);
  assertEquals([...batch.get("status")], [2, 2]);
  assertEquals(new Set(seen.map(([first]) => first)), new Set([0, 1]));
  const second = seen.map(([, status]) => status!);
  assert(second.indexOf(1) <= seen.findIndex(([first]) => first === 1));
  assertEquals(second, second.toSorted((a, b) => a - b)); // no system goes back
});

Deno.test("document 000: a hook reads and prints what the guide's examples read", async () => {
  const lines: string[] = [];
  await using md = new NVE({
    model: potential(() => 0),
    dt: 1,
    hooks: [{
      reads: ["energy", "forces", "fmax"],
      onAfterStep({ stepCount, read, batch }) {
        const norms = Array.from({ length: batch.nodeCount }, (_, i) => read.forces.atom(i).norm());
        assertAlmostEquals(Math.max(...norms), read.fmax.max(), 1e-6);
        lines.push(`Step ${stepCount}: energy = ${read.energy.mean().toFixed(4)}`);
      },
    }],
  });
  await md.run(Batch.from([{ symbols: ["H"], positions: [0, 0, 0] }]), 1);
  assertEquals(lines, ["Step 0: energy = 0.0000"]);
});
