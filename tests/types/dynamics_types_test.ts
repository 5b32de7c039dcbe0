/**
 * Types that the compiler must infer and errors that it must report for engines for atoms and their hooks. The
 * assertions are types: `deno check` checks them, and an unused `@ts-expect-error` is an error. Each test also runs,
 * to show that code that compiles also works.
 */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  type DynamicsContext,
  DynamicsStage,
  field,
  FIRE,
  FIRE2,
  hook,
  lennardJones,
  Loop,
  type Model,
  NVE,
  NVTLangevin,
  System,
  TrainingStage,
} from "@hooke/hooke";
import type { NumericArray } from "@hooke/hooke/batch";
import {
  Dynamics,
  type DynamicsFields,
  type KernelDevice,
  velocityVerlet,
} from "@hooke/hooke/dynamics";
import type { ContextAt, ReadonlyRows, Workflow } from "@hooke/hooke/hooks";
import { call } from "@hooke/hooke/backend";
import { clampForces } from "../../src/kernels/modify/clamp_forces.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;
/** Compiles only when the types are equal. */
function same<_T extends true>(): void {}

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const dimer = () =>
  Batch.from([new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.9, 0, 0] })]);

/** A modifier by kernels: forces of more than 1 eV/Å are shortened. */
class Clamp {
  readonly stage = DynamicsStage.AFTER_COMPUTE;
  readonly frequency = 1;
  readonly writes = ["forces"] as const;
  kernels({ state }: KernelDevice) {
    return [call(clampForces, { forces: state.field("forces"), limit: 1 })];
  }
}

Deno.test("a hook of dynamics sees batch, model and engine, and its fields as they are", async () => {
  const seen: unknown[] = [];
  const look = hook({
    name: "look",
    reads: ["energy", "positions", "status", "time"],
    on: {
      dynamics: {
        AFTER_STEP: (ctx) => {
          same<Equal<typeof ctx.batch, Batch>>();
          same<Equal<typeof ctx.model, Model>>();
          same<Equal<typeof ctx.workflow, Workflow>>();
          same<Equal<typeof ctx.read.energy, ReadonlyRows>>();
          seen.push(ctx.batch.size, ctx.model.name, ctx.workflow.name, ctx.read.positions.length);
        },
        ON_CONVERGE: (ctx) => void ctx.convergedMask[0]!.toFixed(),
      },
    },
  });
  hook({
    name: "wrong",
    reads: ["positions"],
    on: {
      dynamics: {
        AFTER_STEP: (ctx) => {
          // @ts-expect-error observers do not write
          ctx.read.positions[0] = 1;
          // @ts-expect-error nor change what the context has
          ctx.batch = dimer();
          // @ts-expect-error not declared
          void ctx.read.forces;
          // @ts-expect-error only at ON_CONVERGE
          void ctx.convergedMask;
        },
      },
    },
  });
  same<Equal<DynamicsFields["energy"], Float64Array>>();
  same<Equal<DynamicsFields["forces"], Float32Array | Float64Array>>();
  same<Equal<DynamicsFields["status"], Int32Array>>();
  await using md = new NVE({ model, dt: 1, hooks: [look] });
  await md.run(dimer(), 1);
  assertEquals(seen, [1, "a Lennard-Jones potential", "NVE", 6]);
});

Deno.test("hook classes get what they declared of an engine for atoms", async () => {
  const masks: number[][] = [];
  class Converged {
    readonly stage = DynamicsStage.ON_CONVERGE;
    readonly frequency = 1;
    readonly reads = ["fmax"] as const;
    call(ctx: ContextAt<typeof DynamicsStage, "ON_CONVERGE", Converged["reads"]>): void {
      masks.push([...Array.from(ctx.convergedMask), ctx.read.fmax.length, ctx.batch.size]);
    }
  }
  class Push {
    readonly stage = DynamicsStage.AFTER_COMPUTE;
    readonly frequency = 1;
    readonly writes = ["forces"] as const;
    call(ctx: DynamicsContext<never, "forces">): void {
      ctx.write.forces[0]! *= 1;
      // @ts-expect-error not declared
      void ctx.write.positions;
    }
  }
  await using opt = new FIRE({
    model,
    dt: 0.5,
    hooks: [ConvergenceHook.fromFmax(1), new Converged()],
  });
  await opt.run(dimer(), 5);
  assertEquals(masks, [[1, 1, 1]]);
  class Early {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    call(ctx: ContextAt<typeof DynamicsStage, "ON_CONVERGE">): void {
      void ctx.convergedMask;
    }
  }
  // @ts-expect-error convergedMask is at ON_CONVERGE only
  new FIRE({ model, dt: 0.5, hooks: [new Early()] });
  new FIRE({ model, dt: 0.5, hooks: [new Push()] });
});

Deno.test("the hooks of each engine's constructor are checked as add does", () => {
  const train = hook({ name: "t", on: { training: { AFTER_LOSS: () => {} } } });
  class Misread {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    readonly reads = ["fmx"] as const;
    call(): void {}
  }
  // @ts-expect-error training-only hook
  assertThrows(() => new NVE({ model, dt: 1, hooks: [train] }), TypeError, "has dynamics");
  // @ts-expect-error training-only hook
  assertThrows(() => new FIRE({ model, dt: 1, hooks: [train] }), TypeError, "has dynamics");
  // @ts-expect-error training-only hook
  assertThrows(() => new FIRE2({ model, dt: 1, hooks: [train] }), TypeError, "has dynamics");
  const bath = { dt: 1, temperature: 300, friction: 0.01 };
  assertThrows(
    // @ts-expect-error training-only hook
    () => new NVTLangevin({ model, ...bath, hooks: [train] }),
    TypeError,
    "has dynamics",
  );
  // @ts-expect-error training-only hook
  assertThrows(() => new Dynamics(velocityVerlet({ dt: 1 }), { model, hooks: [train] }), TypeError);
  // @ts-expect-error a misspelt read
  assertThrows(() => new NVE({ model, dt: 1, hooks: [new Misread()] }), TypeError, "mean fmax?");
  const md = new NVE({ model, dt: 1, hooks: [ConvergenceHook.fromFmax(), new Clamp()] });
  // @ts-expect-error a training stage
  assertThrows(() => md.hooks.add({ onEpochEnd: () => {} }), TypeError, "onEpochEnd");
  assertEquals(md.hooks.list().map(({ name }) => name), ["ConvergenceHook", "Clamp"]);
});

Deno.test("a hook of kernels is taken where its stage and what it writes are the engine's", () => {
  const md = new NVE({ model, dt: 1, hooks: [new Clamp()] });
  md.hooks.add(new Clamp());
  class Foreign {
    readonly stage = TrainingStage.AFTER_LOSS;
    readonly frequency = 1;
    readonly writes = ["forces"] as const;
    kernels() {
      return [];
    }
  }
  // @ts-expect-error a stage of training
  assertThrows(() => md.hooks.add(new Foreign()), TypeError, "which has dynamics stages");
  class Misspelt {
    readonly stage = DynamicsStage.AFTER_COMPUTE;
    readonly frequency = 1;
    readonly writes = ["froces"] as const;
    kernels() {
      return [];
    }
  }
  // @ts-expect-error a field that there is not
  assertThrows(() => md.hooks.add(new Misspelt()), TypeError, "did you mean forces?");
  class Undeclared {
    readonly stage = DynamicsStage.AFTER_COMPUTE;
    readonly frequency = 1;
    kernels() {
      return [];
    }
  }
  // @ts-expect-error it does not say what it changes
  const attempt = () => md.hooks.add(new Undeclared());
  assertThrows(attempt, TypeError, "writes must be a non-empty array of the fields");
  const loop = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step: () => {} });
  // @ts-expect-error an engine of another kind
  assertThrows(() => loop.hooks.add(new Clamp()), TypeError);
});

Deno.test("fields of a batch have their types by name", () => {
  const batch = dimer();
  batch.set("tag", [1, 2], { level: "node", dtype: "u8" });
  const positions = batch.get("positions"), ids = batch.get("systemId"), own = batch.get("tag");
  same<Equal<typeof positions, Float64Array>>();
  same<Equal<typeof ids, Int32Array>>();
  same<Equal<typeof own, NumericArray>>();
  same<Equal<ReturnType<System["get"]>, NumericArray>>();
  assertEquals([positions.length, ids.length, own.length], [6, 1, 2]);
});

Deno.test("custom fields are declared to the engine, and read with their type", async () => {
  const tag = field<Int32Array>()("tag");
  const seen: number[] = [];
  const look = hook({
    name: "look",
    reads: [tag],
    on: { dynamics: { AFTER_STEP: (ctx) => void seen.push(...ctx.read.tag) } },
  });
  const batch = dimer();
  batch.set("tag", [7, 8], { level: "node", dtype: "i32" });
  await using md = new NVE({ model, dt: 1, fields: [tag], hooks: [look] });
  await md.run(batch, 1);
  assertEquals(seen, [7, 8]);
});

Deno.test("options that an engine must have, or has not, do not compile", async () => {
  // @ts-expect-error no dt
  assertThrows(() => new NVE({ model }), TypeError, "dt must be a number");
  // @ts-expect-error no model
  assertThrows(() => new NVE({ dt: 1 }), TypeError, "model must be a model");
  // @ts-expect-error no friction
  assertThrows(() => new NVTLangevin({ model, dt: 1, temperature: 300 }), TypeError, "friction");
  // @ts-expect-error misspelt
  assertThrows(() => new FIRE({ model, dt: 1, maxstep: 0.1 }), TypeError, "did you mean maxStep?");
  // @ts-expect-error a criterion without a threshold
  assertThrows(() => new ConvergenceHook({ criteria: { key: "fmax" } }), TypeError, "threshold");
  // @ts-expect-error no batch
  await assertRejects(() => new NVE({ model, dt: 1 }).run([dimer()], 1), TypeError, "Batch.from");
  new NVE({ model, dt: [1, 2], device: "reference", name: "two", nSteps: 3 });
});
