/**
 * Types that the compiler must infer and errors that it must report for hooks. The assertions are types: `deno check`
 * checks them, and an unused `@ts-expect-error` is an error. Each test also runs, to show that hooks that compile can
 * be registered.
 */
import { assertEquals, assertThrows } from "@std/assert";
import {
  type BaseContext,
  Batch,
  type DynamicsContext,
  DynamicsStage,
  field,
  hook,
  lennardJones,
  Loop,
  overload,
  type StageOf,
  stages,
  type TrainingContext,
  TrainingStage,
} from "@hooke/hooke";
import { any } from "@hooke/hooke/dispatch";
import {
  type ArgsOf,
  type ContextAt,
  type FinishedHook,
  type HookInput,
  hostState,
} from "@hooke/hooke/hooks";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;
/** Compiles only when the types are equal. */
function same<_T extends true>(): void {}

interface PipelineContext extends BaseContext {
  readonly items: string[];
}
const PipelineStage = stages<PipelineContext, { AFTER_PROCESS: { readonly done: number } }>()(
  "pipeline",
  [
    "BEFORE_PROCESS",
    "AFTER_PROCESS",
  ],
);
type PipelineStage = StageOf<typeof PipelineStage>;
const dipole = field<Float32Array>()("dipole");

/** Context fields of every stage of dynamics. */
const ATOMS = {
  batch: Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]),
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
};

const MAKE = { kinds: DynamicsStage, context: ATOMS, step: () => {} };

function dynamics(): Loop<typeof DynamicsStage> {
  const ten = new Float64Array(10);
  const state = hostState({
    energy: () => ten,
    fmax: () => ten,
    forces: () => ten,
    positions: () => ten,
    dipole: () => ten,
  });
  return new Loop({ kinds: DynamicsStage, context: ATOMS, state, step: () => {} });
}
function training(): Loop<typeof TrainingStage> {
  return new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step: () => {} });
}
function pipeline() {
  return new Loop({ kinds: PipelineStage, context: { items: [] }, step: () => {} });
}

Deno.test("a stage is its literal, and a kind's stages are their union", () => {
  const after: "pipeline/AFTER_PROCESS" = PipelineStage.AFTER_PROCESS;
  const before: PipelineStage = "pipeline/BEFORE_PROCESS";
  same<Equal<PipelineStage, "pipeline/BEFORE_PROCESS" | "pipeline/AFTER_PROCESS">>();
  assertEquals([after, before], ["pipeline/AFTER_PROCESS", "pipeline/BEFORE_PROCESS"]);
});

Deno.test("contexts in a table are inferred and stage-specific; stage narrows ctx inside '*'", () => {
  const log = hook({
    name: "log",
    frequency: 10,
    reads: ["energy", "fmax", dipole],
    on: {
      dynamics: {
        AFTER_STEP: (ctx) => {
          const numbers: number[] = [
            ctx.read.energy[0]!,
            ctx.read.fmax.length,
            ctx.read.dipole.length,
          ];
          // @ts-expect-error observers get views that cannot be written to
          ctx.read.energy[0] = 1;
          // @ts-expect-error nor sorted in place
          ctx.read.energy.sort();
          void numbers;
        },
        ON_CONVERGE(ctx, stage) {
          void ctx.convergedMask[0];
          same<Equal<typeof stage, "dynamics/ON_CONVERGE">>();
        },
        "*": (ctx, stage) => {
          // @ts-expect-error not before narrowing
          void ctx.convergedMask;
          if (stage === DynamicsStage.ON_CONVERGE) void ctx.convergedMask[0];
          if (stage === "dynamics/ON_CONVERGE") void ctx.convergedMask[0];
        },
      },
      training: {
        AFTER_LOSS: (ctx) => void ctx.loss.toFixed(),
        GRADIENTS: (ctx) => new Map([...ctx.value].slice(1)),
        MAY_UPDATE: (ctx) => Promise.resolve(!ctx.skipping),
        OPTIMIZER_STEP: () => {},
      },
    },
    otherwise: (ctx, stage) => void `${ctx.stepCount} ${stage.length}`,
  });
  same<Equal<typeof log, FinishedHook<string>>>();
  dynamics().hooks.add(log);
  training().hooks.add(log);
  pipeline().hooks.add(log);
});

Deno.test("misspelt kinds, stages and reads do not compile, and throw for JavaScript callers", () => {
  assertThrows(
    // @ts-expect-error misspelt stage
    () => hook({ name: "x", on: { dynamics: { AFTER_STEPP: () => {} } } }),
    TypeError,
    "did you mean AFTER_STEP?",
  );
  assertThrows(
    // @ts-expect-error misspelt kind
    () => hook({ name: "x", on: { dynamic: { AFTER_STEP: () => {} } } }),
    TypeError,
    "did you mean dynamics?",
  );
  assertThrows(
    // @ts-expect-error kind not passed as a value
    () => hook({ name: "x", on: { pipeline: { AFTER_PROCESS: () => {} } } }),
    TypeError,
    "kinds: [...]",
  );
  // @ts-expect-error misspelt read
  const misread = hook({ name: "x", reads: ["enrgy"], on: { dynamics: { AFTER_STEP: () => {} } } });
  assertThrows(() => dynamics().hooks.add(misread), TypeError, "did you mean energy?");
});

Deno.test("a context has only what its stage has, and only what was declared", () => {
  // @ts-expect-error loss is not on a dynamics context
  hook({ name: "x", on: { dynamics: { AFTER_STEP: (ctx) => ctx.loss } } });
  // @ts-expect-error convergedMask only at ON_CONVERGE
  hook({ name: "x", on: { dynamics: { AFTER_STEP: (ctx) => ctx.convergedMask } } });
  hook({
    name: "x",
    reads: ["energy"],
    // @ts-expect-error undeclared read
    on: { dynamics: { AFTER_STEP: (ctx) => void ctx.read.fmax } },
  });
  // @ts-expect-error no reads at all
  hook({ name: "x", on: { dynamics: { AFTER_STEP: (ctx) => void ctx.read.fmax } } });
  hook({
    name: "x",
    reads: ["energy"],
    // @ts-expect-error a read of the other kind
    on: { training: { AFTER_LOSS: (ctx) => void ctx.read.energy } },
  });
  hook({
    name: "x",
    writes: ["forces"],
    // @ts-expect-error undeclared write
    on: { dynamics: { AFTER_STEP: (ctx) => ctx.write.positions.fill(0) } },
  });
  // @ts-expect-error contexts are readonly
  hook({ name: "x", on: { dynamics: { AFTER_STEP: (ctx) => void (ctx.stepCount = 1) } } });
  hook({
    name: "x",
    writes: ["forces"],
    on: { dynamics: { AFTER_STEP: (ctx) => void ctx.write.forces.fill(0) } },
  });
});

Deno.test("pipes must return a value, gates a boolean", () => {
  // @ts-expect-error a pipe must return the next value
  hook({ name: "x", on: { training: { GRADIENTS: (ctx) => void ctx.value } } });
  // @ts-expect-error a gate must return a boolean
  hook({ name: "x", on: { training: { MAY_UPDATE: () => 1 } } });
});

Deno.test("a hook fits the engines whose kind it handles, and no other", () => {
  const train = hook({ name: "t", on: { training: { AFTER_LOSS: (ctx) => void ctx.loss } } });
  const pipe = hook({
    name: "p",
    kinds: [PipelineStage],
    on: {
      pipeline: { AFTER_PROCESS: (ctx) => void `${ctx.items} ${ctx.done}` },
      dynamics: { AFTER_STEP: () => {} },
    },
  });
  same<Equal<typeof train, FinishedHook<"training">>>();
  same<Equal<typeof pipe, FinishedHook<"pipeline" | "dynamics">>>();
  training().hooks.add(train);
  dynamics().hooks.add(pipe);
  pipeline().hooks.add(pipe);
  // @ts-expect-error training-only hook on a dynamics engine
  assertThrows(() => dynamics().hooks.add(train), TypeError, "which has dynamics stages");
  // @ts-expect-error neither of its kinds is training
  assertThrows(() => training().hooks.add(pipe), TypeError, "which has training stages");
  // @ts-expect-error the same in a constructor
  assertThrows(() => new Loop(MAKE, { hooks: [train] }), TypeError);
  new Loop(MAKE, { hooks: [pipe] });
});

Deno.test("hook classes are checked against the stages they declare", () => {
  class PrintFmax {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    readonly reads = ["fmax"] as const;
    call(ctx: DynamicsContext<"fmax">): void {
      void ctx.read.fmax[0];
    }
  }
  class Converged {
    readonly stage = DynamicsStage.ON_CONVERGE;
    readonly frequency = 1;
    readonly reads = ["fmax"] as const;
    call(ctx: ContextAt<typeof DynamicsStage, "ON_CONVERGE", Converged["reads"]>): void {
      void `${ctx.read.fmax[0]} ${ctx.convergedMask[0]}`;
    }
  }
  class Narrowing {
    readonly stages = ["dynamics/AFTER_STEP", "dynamics/ON_CONVERGE"] as const;
    readonly frequency = 1;
    call(...[ctx, stage]: ArgsOf<typeof DynamicsStage, "AFTER_STEP" | "ON_CONVERGE">): void {
      if (stage === "dynamics/ON_CONVERGE") void ctx.convergedMask;
    }
  }
  class Both {
    readonly stages = [DynamicsStage.AFTER_STEP, TrainingStage.AFTER_LOSS];
    readonly frequency = 1;
    call(ctx: DynamicsContext | TrainingContext): void {
      void ctx.stepCount;
    }
  }
  class Chooses {
    readonly frequency = 1;
    runsOnStage(stage: DynamicsStage): boolean {
      return stage !== "dynamics/BEFORE_STEP";
    }
    call(ctx: DynamicsContext, stage: DynamicsStage): void {
      void `${ctx.stepCount} ${stage}`;
    }
  }
  class Clip {
    readonly stage = TrainingStage.GRADIENTS;
    readonly frequency = 1;
    call(ctx: ContextAt<typeof TrainingStage, "GRADIENTS">): ReadonlyMap<string, Float32Array> {
      return ctx.value;
    }
  }
  const { hooks } = dynamics();
  for (
    const add of [
      () => hooks.add(new PrintFmax()),
      () => hooks.add(new Converged()),
      () => hooks.add(new Narrowing()),
    ]
  ) add();
  hooks.add(new Both());
  hooks.add(new Chooses());
  training().hooks.add(new Both());
  training().hooks.add(new Clip());
  new Loop(MAKE, { hooks: [new Narrowing(), new Both(), new Chooses()] });
  // @ts-expect-error dynamics class on a training engine
  assertThrows(() => training().hooks.add(new PrintFmax()), TypeError);
  // @ts-expect-error neither kind fits
  assertThrows(() => pipeline().hooks.add(new Both()), TypeError);
});

Deno.test("hook classes that contradict themselves do not compile", () => {
  const { hooks } = dynamics();
  class Undeclared {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    readonly reads = ["fmax"] as const;
    call(ctx: DynamicsContext<"energy">): void {
      void ctx.read.energy;
    }
  }
  // @ts-expect-error energy is not in reads
  hooks.add(new Undeclared());
  class WrongStage {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    call(ctx: ContextAt<typeof DynamicsStage, "ON_CONVERGE">): void {
      void ctx.convergedMask;
    }
  }
  // @ts-expect-error convergedMask only at ON_CONVERGE
  hooks.add(new WrongStage());
  class WrongKind {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    call(ctx: TrainingContext): void {
      void ctx.epoch;
    }
  }
  // @ts-expect-error the wrong context
  hooks.add(new WrongKind());
  class Wide {
    stage = "dynamics/AFTER_STEP";
    readonly frequency = 1;
    call(): void {}
  }
  // @ts-expect-error the stage is widened to string
  hooks.add(new Wide());
  class BadFrequency {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = "10";
    call(): void {}
  }
  assertThrows(
    // @ts-expect-error frequency must be a number
    () => hooks.add(new BadFrequency()),
    TypeError,
    'frequency must be a number; got "10"',
  );
  class NoFrequency {
    readonly stage = DynamicsStage.AFTER_STEP;
    call(): void {}
  }
  // @ts-expect-error frequency is required
  assertThrows(() => hooks.add(new NoFrequency()), TypeError, "frequency must be a number");
  class BadRead {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    readonly reads = ["fmx"] as const;
    call(): void {}
  }
  // @ts-expect-error misspelt read
  assertThrows(() => hooks.add(new BadRead()), TypeError, "did you mean fmax?");
  class NoReturn {
    readonly stage = TrainingStage.GRADIENTS;
    readonly frequency = 1;
    call(ctx: TrainingContext): void {
      void ctx;
    }
  }
  // @ts-expect-error a pipe must return
  training().hooks.add(new NoReturn());
});

Deno.test("lifecycle methods are known by name, with one argument of their stage", () => {
  const { hooks } = dynamics();
  hooks.add({
    onConverge: (ctx) => void ctx.convergedMask[0],
    onAfterStep: (ctx) => void ctx.stepCount,
  });
  training().hooks.add({ onTrainBegin: () => {}, onEpochStart: (ctx) => void ctx.epoch });
  training().hooks.add({ onTrainingEnd: () => {}, onTrainBatchEnd: (ctx) => void ctx.loss });
  // @ts-expect-error misspelt lifecycle method
  assertThrows(() => hooks.add({ onConvergee() {} }), TypeError, "did you mean onConverge?");
  class Counts {
    seen = 0;
    onAfterStep(): void {
      this.seen++;
    }
  }
  hooks.add(new Counts());
  class Unknown {
    onAfterStep(): void {}
    onStepEnd(): void {}
  }
  // @ts-expect-error dynamics has no such stage
  assertThrows(() => hooks.add(new Unknown()), TypeError, "onStepEnd");
});

Deno.test("overload sets infer their rows' arguments and refuse calls that no row takes", () => {
  class Conv {
    readonly k = 3;
  }
  class Mat {
    readonly n = 4;
  }
  const isList = (x: unknown): x is readonly number[] => Array.isArray(x);
  const cost = overload()
    .on([Conv, "wasm"], (conv, backend) => {
      same<Equal<typeof backend, "wasm">>();
      return conv.k;
    })
    .on([Mat, isList], (mat, list) => {
      same<Equal<typeof list, readonly number[]>>();
      return mat.n + list.length;
    })
    .on([DynamicsStage, Number], (stage, n) => {
      same<Equal<typeof stage, DynamicsStage>>();
      return `${stage} ${n.toFixed()}`;
    })
    .on([TrainingStage.AFTER_LOSS, any, true], (stage, _x, yes) => {
      same<Equal<typeof stage, "training/AFTER_LOSS">>();
      same<Equal<typeof yes, true>>();
      return 0;
    });
  const result = cost(new Conv(), "wasm");
  same<Equal<typeof result, number | string>>();
  assertEquals(result, 3);
  assertEquals(cost("dynamics/AFTER_STEP", 2), "dynamics/AFTER_STEP 2");
  // @ts-expect-error no row takes it
  assertThrows(() => cost(new Conv(), "webgpu"), TypeError, '(Conv, "wasm")');
});

Deno.test("an overload set is a hook for the kinds of its rows", () => {
  const describe = overload()
    .on("dynamics/*", (ctx, stage) => {
      if (stage === "dynamics/ON_CONVERGE") void ctx.convergedMask;
    })
    .on("training/AFTER_LOSS", (ctx) => void ctx.loss);
  const mine = describe.on(PipelineStage, (ctx, stage) => {
    if (stage === "pipeline/AFTER_PROCESS") void ctx.done;
  });
  const two = hook({ name: "two", on: describe });
  const three = hook({ name: "three", kinds: [PipelineStage], on: mine });
  same<Equal<typeof two, FinishedHook<"dynamics" | "training">>>();
  same<Equal<typeof three, FinishedHook<"dynamics" | "training" | "pipeline">>>();
  dynamics().hooks.add(two);
  pipeline().hooks.add(three);
  // @ts-expect-error it has no row for the pipeline
  assertThrows(() => pipeline().hooks.add(two), TypeError);
  pipeline().hooks.add(hook({ name: "any", on: describe, otherwise: () => {} }));
  // @ts-expect-error misspelt selector
  const misspelt = () => overload().on("dynamics/NOPE", () => {});
  assertThrows(misspelt, TypeError, "must be among those of dynamics");
});

Deno.test("an engine of several kinds takes hooks of each, in every form", () => {
  const loop = new Loop({
    kinds: [DynamicsStage, PipelineStage] as const,
    context: { ...ATOMS, items: [] },
    step: () => {},
  }, {
    hooks: [
      hook({ name: "one", on: { dynamics: { AFTER_STEP: (ctx) => void ctx.stepCount } } }),
      { stage: PipelineStage.AFTER_PROCESS, frequency: 1, call: () => {} },
    ],
  });
  class Dynamic {
    readonly stage = DynamicsStage.ON_CONVERGE;
    readonly frequency = 1;
    call(ctx: ContextAt<typeof DynamicsStage, "ON_CONVERGE">): void {
      void ctx.convergedMask;
    }
  }
  class Piped {
    readonly stages = [PipelineStage.BEFORE_PROCESS, DynamicsStage.AFTER_STEP];
    readonly frequency = 1;
    call(ctx: BaseContext, stage: PipelineStage | DynamicsStage): void {
      void `${ctx.stepCount} ${stage}`;
    }
  }
  loop.hooks.add(new Dynamic());
  loop.hooks.add(new Piped());
  loop.hooks.add({ stage: PipelineStage.AFTER_PROCESS, frequency: 1, call: () => {} } as const);
  loop.hooks.add({ onConverge: (ctx) => void ctx.convergedMask, onAfterProcess: () => {} });
  loop.hooks.add(
    hook({ name: "two", kinds: [PipelineStage], on: { pipeline: { AFTER_PROCESS: () => {} } } }),
  );
  assertEquals(loop.hooks.list().length, 7);
  // @ts-expect-error training is none of its kinds
  assertThrows(() => loop.hooks.add({ onEpochEnd: () => {} }), TypeError, "onEpochEnd");
  const train = hook({ name: "t", on: { training: { AFTER_LOSS: () => {} } } });
  // @ts-expect-error training is none of its kinds
  assertThrows(() => loop.hooks.add(train), TypeError, "which has dynamics, pipeline stages");
});

Deno.test("hooks in a constructor are checked as add does", () => {
  class Trains {
    readonly stages = [TrainingStage.AFTER_LOSS] as const;
    readonly frequency = 1;
    call(): void {}
  }
  class Chooses {
    readonly frequency = 1;
    runsOnStage(stage: TrainingStage): boolean {
      return stage.length > 0;
    }
    call(): void {}
  }
  class WrongContext {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    call(ctx: TrainingContext): void {
      void ctx.epoch;
    }
  }
  class Misread {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    readonly reads = ["fmx"] as const;
    call(): void {}
  }
  class Fits {
    readonly stage = DynamicsStage.AFTER_STEP;
    readonly frequency = 1;
    call(ctx: DynamicsContext): void {
      void ctx.stepCount;
    }
  }
  // @ts-expect-error stages of another kind
  assertThrows(() => new Loop(MAKE, { hooks: [new Fits(), new Trains()] }), TypeError);
  // @ts-expect-error it chooses among stages of another kind
  new Loop(MAKE, { hooks: [new Chooses()] });
  // @ts-expect-error the context of another kind
  new Loop(MAKE, { hooks: [new WrongContext()] });
  // @ts-expect-error a misspelt read
  assertThrows(() => new Loop(MAKE, { hooks: [new Misread()] }), TypeError);
  assertThrows(() =>
    // @ts-expect-error a misspelt stage in a literal
    new Loop(MAKE, { hooks: [{ stage: "dynamics/AFTR_STEP", frequency: 1, call() {} }] })
  );
  new Loop({
    ...MAKE,
  }, {
    hooks: [new Fits(), { stage: "dynamics/AFTER_STEP", frequency: 1, call() {} }],
  });
  new Loop(MAKE, { hooks: [{ onConverge: (ctx) => void ctx.convergedMask[0] }] });
});

Deno.test("lifecycle methods are given what their class declares, and no more", () => {
  type At<N> = ContextAt<typeof DynamicsStage, N, ["energy"], ["forces"]>;
  class Declares {
    readonly reads = ["energy"] as const;
    readonly writes = ["forces"] as const;
    onAfterStep({ read, write }: At<"AFTER_STEP">): void {
      void (read.energy[0]! + write.forces[0]!);
    }
  }
  class Undeclared {
    readonly reads = ["energy"] as const;
    onAfterStep({ read, write }: At<"AFTER_STEP">): void {
      void (read.energy[0]! + write.forces[0]!);
    }
  }
  class Misspelt {
    readonly reads = ["enrgy"] as const;
    onAfterStep(): void {}
  }
  const { hooks } = dynamics();
  hooks.add(new Declares());
  const ten = new Float64Array(10);
  const state = hostState({ energy: () => ten, forces: () => ten });
  new Loop({
    ...MAKE,
    state,
  }, {
    hooks: [new Declares(), { onConverge: (ctx) => void ctx.stepCount }],
  });
  // @ts-expect-error it writes what it does not declare
  hooks.add(new Undeclared());
  // @ts-expect-error the same in a list
  new Loop({ ...MAKE, state }, { hooks: [new Undeclared()] });
  // @ts-expect-error a misspelt read
  assertThrows(() => hooks.add(new Misspelt()), TypeError, "enrgy");
  // @ts-expect-error the same in a list
  assertThrows(() => new Loop(MAKE, { hooks: [new Misspelt()] }), TypeError, "enrgy");
});

Deno.test("a literal keeps its stage, and open and close know their arguments", () => {
  const { hooks } = dynamics();
  hooks.add({
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    call: (ctx: DynamicsContext) => void ctx.stepCount,
  });
  hooks.add({
    onAfterStep: () => {},
    open: (engine) => void engine.name.length,
    close: (outcome) => void (outcome.status === "failed" && outcome.error),
  });
});

Deno.test("a context that every stage offers must be given", () => {
  // @ts-expect-error items is missing
  new Loop({ kinds: PipelineStage, step: () => {} });
  new Loop({ kinds: PipelineStage, context: { items: [] }, step: () => {} });
  // @ts-expect-error batch and model are missing
  new Loop({ kinds: DynamicsStage, step: () => {} });
  new Loop({ kinds: DynamicsStage, context: ATOMS, step: () => {} }); // convergedMask comes later
});

Deno.test("lists of hooks made beforehand are checked by what is known of them", () => {
  const any: HookInput<typeof DynamicsStage>[] = [{ onAfterStep: () => {} }];
  new Loop(MAKE, { hooks: any });
  for (const one of any) dynamics().hooks.add(one);
  const trains = [hook({ name: "t", on: { training: { AFTER_LOSS: () => {} } } })];
  // @ts-expect-error training-only hooks in a list
  assertThrows(() => new Loop(MAKE, { hooks: trains }), TypeError);
  // @ts-expect-error no objects
  assertThrows(() => new Loop(MAKE, { hooks: [5] }), TypeError);
});
