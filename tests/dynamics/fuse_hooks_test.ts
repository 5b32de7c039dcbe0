/** Hooks of fused engines: of the whole, and of each stage with its own systems. */
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { Batch, type System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  DynamicsStage,
  FIRE,
  fuse,
  NVE,
  NVTLangevin,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { tethers } from "../../src/models/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import {
  BiasedPotentialHook,
  ConvergedSnapshotHook,
  EnergyDriftMonitorHook,
  FreezeAtomsHook,
  MaxForceClampHook,
  SnapshotHook,
} from "../../src/observe/mod.ts";
import { ARGON, argon, assertNear, assertSameBits, atomAt, bitsOf, idle, push } from "./atoms.ts";
import { where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

const S = DynamicsStage;
const model = ARGON;

function ragged(): Batch {
  return Batch.from([argon(1, 0), argon(2, 1), argon(1, 2), argon(2, 3)]);
}

Deno.test(
  "hooks of a stage see its own systems at every stage point, in whatever way they look",
  onEngines(async (backend) => {
    const batch = ragged();
    batch.set("status", [1, 0, 1, 2]);
    const positions = batch.get("positions").slice();
    const seen = new Map<string, string>();
    const first = new NVE({ model, dt: 1, nSteps: 9, ...where(backend) });
    first.hooks.add(hook({
      name: "look",
      frequency: 1,
      reads: ["positions", "energy", "systemId", "frame"],
      on: {
        dynamics: {
          "*": async (ctx, stage) => {
            const { energy, systemId, frame } = ctx.read;
            const fetched = await ctx.batch.snapshot(undefined, frame as never);
            seen.set(
              stage,
              [
                [ctx.batch.size, ctx.batch.nodeCount, ...await ctx.batch.fetch("systemId")],
                [energy.length, ...systemId, ctx.read.positions.length],
                [fetched.get("positions").length, fetched.size, ...frame.systemId!],
                [ctx.workflow.name],
              ].join(" | "),
            );
            if (stage === S.BEFORE_STEP && ctx.stepCount === 0) {
              const own = [...positions.slice(0, 12), ...positions.slice(12 + 96, 12 + 96 + 12)];
              assertEquals([...ctx.read.positions].map(Math.fround), own.map(Math.fround));
            }
          },
        },
      },
    }));
    await using all = fuse(
      new NVE({ model, dt: 1, nSteps: 9, ...where(backend) }),
      first,
      {
        onWarning: ({ error }) => {
          throw error;
        },
      },
    );
    await all.run(batch, 2);
    const stages = Object.values(S).filter((stage) =>
      typeof stage === "string" && stage.includes("/") && !/ON_/.test(stage)
    );
    assertEquals(stages.length, 8);
    for (const stage of stages as string[]) {
      assertEquals(seen.get(stage), "2,8,0,2 | 2,0,2,24 | 24,2,0,2 | NVE", stage);
    }
    assertEquals(seen.size, 8);
  }),
);

Deno.test(
  "a stage without systems has no calls, and the first call comes when they do, at ON_ADMIT",
  onEngines(async (backend) => {
    const batch = ragged();
    batch.set("status", [0, 0, 1, 2]);
    const log: string[] = [];
    const tell = (name: string) =>
      hook({
        name,
        frequency: 1,
        reads: ["systemId"],
        on: {
          dynamics: {
            ON_ADMIT: (ctx) =>
              void log.push(`${name} admits ${ctx.stepCount}: ${[...ctx.read.systemId]}`),
            ON_CONVERGE: (ctx) =>
              void log.push(
                `${name} converges ${ctx.stepCount}: ${[...ctx.read.systemId]} ${
                  Array.from(ctx.convergedMask)
                }`,
              ),
            AFTER_STEP: (ctx) =>
              void log.push(`${name} ${ctx.stepCount}: ${[...ctx.read.systemId]}`),
          },
        },
      });
    const place = where(backend);
    await using all = fuse(
      new NVE({ model, dt: 1, nSteps: 3, ...place, hooks: [tell("a")] }),
      new NVE({
        model,
        dt: 1,
        ...place,
        hooks: [
          tell("b"),
          new ConvergenceHook({ criteria: { key: "fmax", threshold: 9 }, frequency: 2 }),
        ],
      }),
      new NVE({ model, dt: 1, nSteps: 2, ...place, hooks: [tell("c")] }),
      { hooks: [tell("whole")] },
    );
    await all.run(batch);
    assertEquals(log, [
      "a 0: 0,1",
      "b 0: 2",
      "c 0: 3",
      "whole 0: 0,1,2,3",
      "b converges 0: 2 1",
      "whole converges 0: 0,1,2,3 0,0,1,0",
      "c admits 0: 2,3",
      "a 1: 0,1",
      "c 1: 2,3",
      "whole 1: 0,1,2,3",
      "a 2: 0,1",
      "c 2: 2",
      "whole 2: 0,1,2,3",
      "b admits 2: 0,1",
      "b 3: 0,1",
      "whole 3: 0,1,2,3",
      "b 4: 0,1",
      "whole 4: 0,1,2,3",
      "b converges 4: 0,1 1,1",
      "whole converges 4: 0,1,2,3 1,1,0,0",
      "c admits 4: 0,1",
      "c 5: 0,1",
      "whole 5: 0,1,2,3",
      "c 6: 0,1",
      "whole 6: 0,1,2,3",
    ]);
  }),
);

test("hooks of the whole come first before something, last after it, and so do those of wholes within", async () => {
  const log: string[] = [];
  const tell = (name: string) =>
    hook({
      name,
      frequency: 1,
      on: {
        dynamics: {
          "*": (_ctx, stage) => void log.push(`${stage.slice("dynamics/".length)} ${name}`),
        },
      },
    });
  const nve = (name: string) => new NVE({ model, dt: 1, nSteps: 9, hooks: [tell(name)] });
  const within = fuse(nve("a"), nve("b"), { hooks: [tell("within")] });
  await using all = fuse(within, nve("c"), { hooks: [tell("whole")] });
  const batch = ragged();
  batch.set("status", [0, 1, 2, 2]);
  await all.run(batch, 1);
  const before = ["whole", "within", "a", "b", "c"], after = ["a", "b", "within", "c", "whole"];
  const points = Object.values(S).filter((s) =>
    typeof s === "string" && s.includes("/") && !/ON_/.test(s)
  ) as string[];
  assertEquals(
    log,
    points.flatMap((stage) => {
      const name = stage.slice("dynamics/".length);
      return (name.startsWith("BEFORE") ? before : after).map((one) => `${name} ${one}`);
    }),
  );
});

test(
  "what a hook of a stage writes reaches its own systems, and no others",
  onEnginesAndGpu(async (backend) => {
    const run = async (isStopping: boolean) => {
      const batch = ragged();
      batch.set("status", [1, 0, 1, 0]);
      const stop = hook({
        name: "stop",
        frequency: 1,
        writes: ["velocities"],
        on: {
          dynamics: {
            AFTER_POST_UPDATE: (ctx) => {
              assertEquals(ctx.write.velocities.length, 24);
              if (isStopping) ctx.write.velocities.fill(0);
            },
          },
        },
      });
      await using all = fuse(
        new NVE({ model, dt: 1, nSteps: 99, ...where(backend) }),
        new NVE({ model, dt: 1, ...where(backend), hooks: [stop] }),
      );
      await all.run(batch, 5);
      return batch;
    };
    const [stopped, free] = [await run(true), await run(false)];
    for (const s of [1, 3]) assertSameBits(bitsOf(stopped, s), bitsOf(free, s));
    for (const s of [0, 2]) {
      assertEquals(bitsOf(stopped, s).velocities, Array(12).fill(0));
      assert(bitsOf(free, s).velocities!.every((v) => v !== 0));
    }
  }),
);

Deno.test(
  "kernels of hooks of a stage reach its own systems, visited or not",
  onEngines(async (backend) => {
    const run = async (hooks: readonly object[], isVisited = false) => {
      const batch = ragged();
      batch.set("status", [1, 0, 1, 0]);
      const clamped = new NVE({ model, dt: 1, ...where(backend) });
      for (const one of hooks) {
        clamped.hooks.add(
          isVisited ? Object.assign(one, { when: () => true }) as never : one as never,
        );
      }
      await using all = fuse(new NVE({ model, dt: 1, nSteps: 99, ...where(backend) }), clamped);
      await all.run(batch, 4);
      return batch;
    };
    const clamp = () => new MaxForceClampHook({ maxForce: 1e-3 });
    const bias = () => new BiasedPotentialHook({ bias: ({ forces }) => forces[0]! += 0.5 });
    const free = await run([]);
    for (
      const [hooks, isVisited] of [[[clamp()], false], [[clamp()], true], [
        [bias()],
        false,
      ]] as const
    ) {
      const batch = await run(hooks, isVisited);
      for (const s of [1, 3]) assertSameBits(bitsOf(batch, s), bitsOf(free, s));
      for (const s of [0, 2]) assertNotEquals(bitsOf(batch, s).forces, bitsOf(free, s).forces);
    }
    const { forces } = bitsOf(await run([clamp()]), 0);
    const norms = Array.from(
      { length: 4 },
      (_, i) => Math.hypot(...forces!.slice(3 * i, 3 * i + 3)),
    );
    assert(norms.every((norm) => norm < 1.0001e-3));
  }),
);

test("a hook of a stage may be switched, taken out and added in mid-run, by its own engine or by the whole", async () => {
  const log: string[] = [];
  const tell = (name: string) =>
    hook({
      name,
      frequency: 1,
      on: { dynamics: { AFTER_STEP: (ctx) => void log.push(`${name} ${ctx.stepCount}`) } },
    });
  const first = new NVE({ model, dt: 1, nSteps: 99 });
  const handle = first.hooks.add(tell("a"));
  const changes: string[] = [];
  await using all = fuse(first, new NVE({ model, dt: 1 }));
  all.hooks.subscribe(({ type, name }) => void changes.push(`${type} ${name}`));
  all.hooks.add(hook({
    name: "switch",
    frequency: 1,
    on: {
      dynamics: {
        BEFORE_STEP: ({ stepCount }) => {
          if (stepCount === 1) handle.disable();
          if (stepCount === 2) all.hooks.enable("NVE/a");
          if (stepCount === 3) first.hooks.add(tell("b"));
          if (stepCount === 4) all.hooks.remove("NVE/a");
          if (stepCount === 5) first.hooks.remove("b");
        },
      },
    },
  }));
  await all.run(ragged(), 7);
  assertEquals(log, ["a 0", "a 2", "a 3", "b 3", "b 4"]);
  assertEquals(changes, [
    "add switch",
    "disable NVE/a",
    "enable NVE/a",
    "add NVE/b",
    "remove NVE/a",
    "remove NVE/b",
  ]);
  assertEquals(first.hooks.list(), []);
  assertThrows(() => first.hooks.enable("switch"), RangeError);
});

test("hooks of a stage are opened and closed with the run, once each, with their engine", async () => {
  const log: string[] = [];
  const life = (name: string) =>
    hook({
      name,
      on: { dynamics: { AFTER_STEP: () => {} } },
      open: (engine: { readonly name: string }) => void log.push(`open ${name} of ${engine.name}`),
      close: () => void log.push(`close ${name}`),
    });
  const stage = (name: string) =>
    new NVE({ model, dt: 1, nSteps: 1, name, hooks: [life(`of ${name}`)] });
  await using all = fuse(stage("x"), stage("y"), { hooks: [life("whole")], name: "both" });
  await all.run(ragged());
  assertEquals(log, [
    "open whole of both",
    "open of x of x",
    "open of y of y",
    "close of y",
    "close of x",
    "close whole",
  ]);
});

Deno.test(
  "steps at which no hook of any stage is due are done at once, with the same bits",
  onEngines(async (backend) => {
    const run = async (hooks: readonly ReturnType<typeof idle>[]) => {
      const batch = ragged();
      const seen: number[] = [];
      const look = hook({
        name: "look",
        frequency: 7,
        on: { dynamics: { AFTER_STEP: (ctx) => void seen.push(ctx.stepCount) } },
      });
      await using all = fuse(
        new FIRE({ model, dt: 0.3, nSteps: 9, ...where(backend), hooks: [look] }),
        new NVTLangevin({ model, dt: 1, temperature: 30, friction: 0.02, ...where(backend) }),
        { hooks },
      );
      await all.run(batch, 30);
      return { batch, seen };
    };
    const [leapt, stepped] = [await run([]), await run([idle()])];
    assertSameBits(bitsOf(leapt.batch), bitsOf(stepped.batch));
    assertEquals([leapt.seen, stepped.seen], [[0, 7], [0, 7]]);
  }),
);

test("the plan of the whole names the stage of each hook", async () => {
  const life = hook({ name: "log", frequency: 3, on: { dynamics: { AFTER_STEP: () => {} } } });
  await using all = fuse(
    new NVE({ model, dt: 1, nSteps: 1, name: "warm-up", hooks: [life] }),
    new NVE({ model, dt: 1, nSteps: 1 }),
  );
  assert(String(all.hooks.plan()).includes("warm-up/log"));
  assertEquals(all.hooks.list()[0]!.name, "warm-up/log");
  assert(all.hooks.has("warm-up/log"));
});

test("a hook of a stage that fails is named with its stage, and reported to the onWarning of that stage", async () => {
  const told: string[] = [];
  const fail = () =>
    hook({
      name: "fail",
      frequency: 1,
      onError: "warn",
      on: {
        dynamics: {
          AFTER_STEP: () => {
            throw new Error("no");
          },
        },
      },
    });
  await using all = fuse(
    new NVE({
      model,
      dt: 1,
      nSteps: 1,
      name: "x",
      hooks: [fail()],
      onWarning: ({ hook }) => void told.push(`own ${hook}`),
    }),
    new NVE({ model, dt: 1, nSteps: 1, name: "y", hooks: [fail()] }),
    { onWarning: ({ hook }) => void told.push(`whole ${hook}`) },
  );
  await all.run(ragged());
  assertEquals(told, ["own x/fail", "whole y/fail"]);
});

Deno.test(
  "atoms are held in the stage whose hook holds them: where they are when their system comes, and no longer",
  onEngines(async (backend) => {
    const batch = ragged();
    batch.set("status", [0, 1, 0, 2]);
    const seen: Record<number, number[]> = {};
    const places = [[0], [4], [36], [40]]; // the first atom of each system, among 4, 32, 4, 32
    const look = hook({
      name: "look",
      frequency: 1,
      reads: ["positions", "temperature"],
      sync: true,
      on: {
        dynamics: {
          AFTER_STEP: ({ stepCount, read }) =>
            void (seen[stepCount] = places.flatMap(([atom]) => [read.positions[3 * atom!]!])),
        },
      },
    });
    await using all = fuse(
      new NVE({ model, dt: 4, nSteps: 5, ...where(backend) }),
      new NVE({
        model,
        dt: 4,
        nSteps: 4,
        ...where(backend),
        hooks: [new FreezeAtomsHook({ atoms: ({ place }) => place === 0 })],
      }),
      new NVE({ model, dt: 4, ...where(backend) }),
      { hooks: [look] },
    );
    await all.run(batch, 12);
    const moves = places.map((_, s) =>
      Array.from({ length: 11 }, (_, k) => Number(seen[k + 1]![s] !== seen[k]![s]))
    );
    const free = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]; // system 1: from the 5th step on
    assertEquals(moves[1]!.slice(0, 3), [0, 0, 0]);
    assertEquals(moves[1]!.slice(4), free.slice(4));
    for (const s of [0, 2]) {
      assertEquals(moves[s]!.slice(0, 4), [1, 1, 1, 1]);
      assertEquals(moves[s]!.slice(4, 8), [0, 0, 0, 0]);
      assertEquals(moves[s]!.slice(9), [1, 1]);
    }
    assertEquals(moves[3], Array(11).fill(1));
  }),
);

Deno.test(
  "a system that comes to a stage is moved from its first half step on by what hooks of that stage make of the forces",
  onEngines(async (backend) => {
    const a = 0.01 * 9.648533212331e-3; // Å/fs² of 0.01 eV/Å on 1 amu
    const add = (forces: { readonly length: number; [at: number]: number }) => {
      for (let k = 0; k < forces.length; k += 3) forces[k]! += 0.05;
    };
    const biases = [
      () => new BiasedPotentialHook({ bias: ({ forces }) => (add(forces), 0) }),
      () =>
        hook({
          name: "write",
          frequency: 1,
          writes: ["forces"],
          on: { dynamics: { AFTER_COMPUTE: (ctx) => add(ctx.write.forces) } },
        }),
    ];
    const place = where(backend);
    for (const bias of biases) {
      for (const status of [0, 1, 2]) {
        const batch = Batch.from([atomAt(0).system(0), atomAt(0).system(0)]);
        const second = new NVE({ model: push(0.01), dt: 2, nSteps: 4, ...place });
        second.hooks.add(bias() as never);
        await using all = fuse(
          new NVE({ model: second.model, dt: 1, nSteps: 3, ...place }),
          second,
          new NVE({ model: second.model, dt: 1, ...place }),
        );
        await all.run(batch, 2);
        batch.set("status", [0, status]);
        await all.run(batch, 7);
        const [v, other] = [batch.get("velocities")[0]!, batch.get("velocities")[3]!];
        assertNear([v], [(3 + 8 * 6 + 2) * a], 1e-6);
        const more = status === 2 ? 7 : 8 * 6 + 3;
        assertNear([other], [(2 + more) * a], 1e-6);
        assertNear([batch.get("forces")[0]!], [0.01], 1e-6);
      }
    }
  }),
);

Deno.test(
  "forces are clamped only in the stage of the clamp, bitwise identically with and without visits",
  onEngines(async (backend) => {
    const run = async (hooks: readonly object[]) => {
      const batch = ragged();
      const clamp = () => new MaxForceClampHook({ maxForce: 1e-3 });
      const stage = (nSteps: number, hooks: readonly object[] = []) => {
        const one = new NVE({ model, dt: 1, nSteps, ...where(backend) });
        for (const each of hooks) one.hooks.add(each as never);
        return one;
      };
      const all = fuse(stage(2), stage(2, [clamp()]), stage(3), { hooks: hooks as never });
      await using _ = all;
      const largest: number[] = [];
      for (let step = 0; step < 6; step++) {
        await all.run(batch, 1);
        const { forces } = bitsOf(batch, 1);
        largest.push(Math.max(...forces!.map(Math.abs)));
      }
      assertEquals(largest.map((force) => force <= 1e-3), [false, true, true, false, false, false]);
      return batch;
    };
    const [leapt, looked] = [await run([]), await run([idle()])];
    for (let s = 0; s < 4; s++) assertSameBits(bitsOf(leapt, s), bitsOf(looked, s));
  }),
);

test("energies of systems that leave a stage whose hook adds to them have that in them", async () => {
  const run = async (hooks: readonly object[]) => {
    const batch = ragged();
    const stage = new NVE({ model, dt: 1, nSteps: 4 });
    stage.hooks.add(new BiasedPotentialHook({ bias: tethers({ stiffness: 0.1 }) }));
    await using all = fuse(stage, new NVE({ model, dt: 1, nSteps: 3 }), {
      hooks: hooks as never,
    });
    const energies: number[] = [];
    for (let i = 0; i < 8; i++) {
      await all.run(batch, 1);
      energies.push(...batch.get("energy"));
    }
    return energies;
  };
  const look = hook({
    name: "look",
    frequency: 1,
    reads: ["energy"],
    on: { dynamics: { AFTER_STEP: () => {} } },
  });
  assertEquals(await run([]), await run([look]));
});

test("a monitor of a stage knows its systems again when others come", async () => {
  const told: string[] = [];
  await using all = fuse(
    new NVE({ model, dt: 1, nSteps: 3 }),
    new NVE({
      model,
      dt: 1,
      hooks: [new EnergyDriftMonitorHook({ threshold: 0, metric: "absolute" })],
    }),
    { onWarning: ({ step }) => void told.push(String(step)) },
  );
  const batch = ragged();
  batch.set("status", [0, 1, 0, 1]);
  await all.run(batch, 5);
  assertEquals(told, ["1", "2", "3", "4"]); // at 3 two are new, and two have drifted
});

Deno.test(
  "snapshots of a stage, regular and of what has converged in it, have its own systems as they were",
  onEngines(async (backend) => {
    const [regular, converged] = [new MemorySink(), new MemorySink()];
    const whole = new MemorySink();
    const batch = ragged();
    batch.set("status", [1, 0, 1, 0]);
    await using all = fuse(
      new NVE({ model, dt: 1, nSteps: 3, ...where(backend) }),
      new FIRE({
        model,
        dt: 0.4,
        ...where(backend),
        hooks: [
          ConvergenceHook.fromFmax(0.02),
          new SnapshotHook({ sink: regular, frequency: 2 }),
          new ConvergedSnapshotHook({ sink: converged }),
        ],
      }),
      { hooks: [new SnapshotHook({ sink: whole })] },
    );
    await all.run(batch, 60);
    const rows = (sink: MemorySink) => sink.read().systems();
    const all4 = rows(whole), id = (one: System) => one.get("sourceId")[0]!;
    const step = (one: System) => one.get("step")[0]!;
    const same = (one: System) =>
      all4.some((other) =>
        step(other) === step(one) && id(other) === id(one) &&
        other.get("positions").every((x, i) => x === one.get("positions")[i]) &&
        other.get("energy")[0] === one.get("energy")[0]
      );
    assertEquals(rows(converged).map(id).sort(), [0, 1, 2, 3]);
    assert(rows(converged).every(same));
    assert(rows(regular).length > 8 && rows(regular).every(same));
    const early = rows(regular).filter((one) => step(one) < 3);
    assertEquals(new Set(early.map(id)), new Set([0, 2]));
  }),
);

Deno.test(
  "a hook of a stage that fires once waits for its first systems, and one with a condition is asked about them",
  onEngines(async (backend) => {
    const log: string[] = [];
    const second = new NVE({ model, dt: 1, ...where(backend) });
    const tell = (name: string, more: object) =>
      second.hooks.add(hook({
        name,
        frequency: 1,
        ...more,
        on: {
          dynamics: {
            AFTER_STEP: (ctx) => void log.push(`${name} ${ctx.stepCount} ${ctx.batch.size}`),
          },
        },
      }));
    tell("once", { once: true });
    tell("once, reading", { once: true, reads: ["positions"] });
    tell("few", { when: (ctx: { readonly batch: Batch }) => ctx.batch.size === 1 });
    tell("end", { frequency: 100, phase: 99, atEnd: true });
    const first = new NVE({
      model,
      dt: 1,
      nSteps: 5,
      ...where(backend),
      hooks: [hook({
        name: "gone",
        frequency: 100,
        phase: 99,
        atEnd: true,
        on: { dynamics: { AFTER_STEP: () => void log.push("gone") } },
      })],
    });
    const batch = ragged();
    batch.set("status", [0, 0, 2, 2]);
    await using all = fuse(first, second, { hooks: [move(4)] });
    await all.run(batch, 9);
    const early = Array.from({ length: 2 }, (_, i) => `few ${3 + i} 1`);
    assertEquals(log.sort(), [...early, "end 8 2", "once 3 1", "once, reading 3 1"].sort());
  }),
);

/** Sends the first system on before the others. */
function move(step: number) {
  return hook({
    name: "move",
    frequency: 1,
    writes: ["status"],
    on: {
      dynamics: {
        BEFORE_STEP: ({ stepCount, write }) => {
          if (stepCount === step - 1) write.status[0] = 1;
        },
      },
    },
  });
}

class Tagged extends NVE {
  protected override buildContext(batch: Batch) {
    return { ...super.buildContext(batch), tag: `${this.name} of ${batch.size}` };
  }
}

test("hooks of a stage find what the engine of the stage adds to their context, and no others do", async () => {
  const tags: unknown[] = [];
  const look = () =>
    hook({
      name: "look",
      frequency: 1,
      on: { dynamics: { AFTER_STEP: (ctx) => void tags.push((ctx as { tag?: unknown }).tag) } },
    });
  const tagged = new Tagged({ model, dt: 1, nSteps: 5, hooks: [look()], name: "mine" });
  const within = fuse(tagged, new NVE({ model, dt: 1, nSteps: 5, hooks: [look()] }));
  await using all = fuse(within, new NVE({ model, dt: 1 }), { hooks: [look()] });
  const batch = ragged();
  batch.set("status", [0, 1, 2, 2]);
  await all.run(batch, 1);
  assertEquals(tags, ["mine of 4", undefined, undefined]);
});
