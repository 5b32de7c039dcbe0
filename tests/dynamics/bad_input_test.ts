/** Input that cannot be run: a clear error that names system and atom, and everything as it was. */
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { call, openBackend } from "../../src/backend/mod.ts";
import { Batch, fcc, System } from "../../src/batch/mod.ts";
import {
  DivergedError,
  Dynamics,
  FIRE,
  FIRE2,
  type Integrator,
  LBFGS,
  NVE,
  NVTBussi,
  NVTLangevin,
  NVTNoseHoover,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { addModel } from "../../src/kernels/add_model.ts";
import { lennardJones, type Model, morse, potential } from "../../src/models/mod.ts";
import { outputsOf } from "../../src/models/model.ts";
import { ARGON, argon, assertSameBits, bitsOf, crystals, push } from "./atoms.ts";
import { type BackendName, BACKENDS, on, PAIR_BACKENDS, where } from "./backends.ts";
import { onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

const HELD = ["positions", "velocities", "masses", "cell", "status", "stepsDone"] as const;

/** Runs a batch that has been spoilt, expects a message, mends it and runs it again with the same engine. */
async function refusesUntilMended(
  backend: BackendName,
  spoil: (batch: Batch) => void,
  mend: (batch: Batch) => void,
  message: string,
  afterSteps = 0,
): Promise<void> {
  const [batch, plain] = [crystals(3), crystals(3)];
  batch.ensure("stepsDone");
  await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
  if (afterSteps > 0) await md.run(batch, afterSteps);
  spoil(batch);
  const before = bitsOf(batch, undefined, HELD);
  const error = await assertRejects(() => md.run(batch, 5), Error);
  assertStringIncludes(error.message, message);
  assertStringIncludes(error.message, "Cannot run NVE: ");
  assertEquals(batch.heldBy, undefined);
  assertSameBits(bitsOf(batch, undefined, HELD), before);
  mend(batch);
  await md.run(batch, 5);
  if (afterSteps > 0) return;
  await using other = new NVE({ model: ARGON, dt: 2, ...where(backend) });
  await other.run(plain, 5);
  assertSameBits(bitsOf(batch), bitsOf(plain));
}

for (const after of [0, 3]) {
  Deno.test(
    `numbers that cannot be are refused after ${after} steps, naming system and atom, and nothing has changed`,
    on(PAIR_BACKENDS, async (backend) => {
      const swap = (
        name: "positions" | "velocities" | "masses" | "cell",
        at: number,
        to: number,
      ) => {
        let was = 0;
        const spoil = (batch: Batch) => {
          was = batch.get(name)[at]!;
          batch.get(name)[at] = to;
        };
        return [spoil, (batch: Batch) => void (batch.get(name)[at] = was)] as const;
      };
      const third = 3 * (2 * 32 + 5); // atom 5 of system 2
      const cases = [
        [...swap("positions", third + 1, NaN), "atom 5 of system 2"],
        [...swap("positions", third, Infinity), "atom 5 of system 2"],
        [...swap("velocities", third, NaN), "atom 5 of system 2"],
        [...swap("masses", 32 + 7, -1), "atom 7 of system 1"],
        [...swap("masses", 32 + 7, 0), "atom 7 of system 1"],
        [...swap("masses", 32 + 7, NaN), "atom 7 of system 1"],
        [...swap("cell", 9, NaN), "system 1"],
        [...swap("cell", 9, 0), "system 1"],
      ] as const;
      for (const [spoil, mend, message] of cases) {
        await refusesUntilMended(backend, spoil, mend, message, after);
      }
    }),
  );
}

test("a batch is not made of what cannot be run: no atoms, unknown elements, flat cells, wrong lengths", () => {
  const positions = [0, 0, 0, 3, 0, 0];
  const refuses = (input: object, message: string) => {
    const error = assertThrows(() => Batch.from([argon(1, 0), input as never]), Error);
    assertStringIncludes(error.message, message);
  };
  refuses({ symbols: ["Ar", "Xx"], positions }, "atom 1");
  refuses({ symbols: ["Ar"], positions }, "position");
  refuses({ symbols: [], positions: [] }, "at least one atom");
  refuses({ symbols: ["Ar", "Ar"], positions, cell: [5, 0, 0, 10, 0, 0, 0, 0, 5] }, "cell");
  refuses({ symbols: ["Ar", "Ar"], positions, masses: [1, -1] }, "atom 1");
  refuses({ symbols: ["Ar", "Ar"], positions: [0, 0, NaN, 3, 0, 0] }, "atom 0");
  assertThrows(() => Batch.from([]), RangeError, "at least one system");
});

test("an engine names the option that is wrong, before anything runs", () => {
  const model = ARGON;
  const refuses = (make: () => unknown, kind: typeof Error, message: string) => {
    const error = assertThrows(make, kind);
    assertStringIncludes(error.message, message);
  };
  refuses(() => new NVE(undefined as never), TypeError, "options must be an object");
  refuses(() => new NVE({ dt: 1 } as never), TypeError, "model must be a model");
  refuses(() => new NVE({ model } as never), TypeError, "dt must be a number");
  for (const dt of [0, -1, NaN, Infinity, 1e6]) {
    refuses(() => new NVE({ model, dt }), RangeError, "dt must be above 0 and at most 100 fs");
  }
  for (const Relaxer of [FIRE, FIRE2]) {
    const range = "dt must be above 0 and at most 10 Å·√(amu/eV), where 1 Å·√(amu/eV) is 10.18 fs";
    for (const dt of [0, NaN, 10.1, 1000]) {
      refuses(() => new Relaxer({ model, dt }), RangeError, `${range}; got ${dt}`);
    }
    new Relaxer({ model, dt: 10 });
  }
  refuses(() => new NVE({ model, dt: [1, -2] }), RangeError, "dt of system 1 must be above 0");
  refuses(() => new NVE({ model, dt: 1, nstep: 3 } as never), TypeError, "nstep");
  refuses(
    () => new NVE({ model, dt: 1, nSteps: -3 }),
    RangeError,
    "nSteps must be a non-negative integer",
  );
  const on = (place: object) => new NVE({ model, dt: 1, ...place } as never);
  refuses(() => on({ device: "cuda" }), RangeError, "auto, webgpu, wasm, reference");
  refuses(() => on({ device: "web-gpu" }), RangeError, "did you mean webgpu");
  refuses(() => on({ device: 3 }), TypeError, "device must be");
  refuses(() => on({ device: {} }), TypeError, "device must be");
  refuses(() => on({ device: { name: "auto", keep: 1 } }), TypeError, "keepSeconds");
  refuses(() => on({ device: { name: "auto", keepSeconds: -1 } }), RangeError, "keepSeconds must");
  refuses(() => on({ device: { name: "auto", keepSeconds: "1" } }), TypeError, "keepSeconds must");
  refuses(() => on({ backend: "wasm" }), TypeError, "pass the name of a device as device");
  refuses(() => on({ backend: 3 }), TypeError, "backend must be an open backend");
  refuses(
    () => on({ device: "wasm", backend: openBackend() }),
    TypeError,
    "device must be left out if backend is given",
  );
  refuses(() => new NVE({ model, dt: 1, hooks: {} as never }), TypeError, "hooks must be an array");
  const bath = { model, dt: 1, temperature: 10, friction: 0.1 };
  refuses(() => new NVTLangevin({ ...bath, temperature: -1 }), RangeError, "temperature must be 0");
  refuses(() => new NVTLangevin({ ...bath, friction: -1 }), RangeError, "friction must be 0");
  refuses(() => new NVTLangevin({ ...bath, seed: 0.5 }), RangeError, "seed must be a whole number");
  const chain = { model, dt: 1, temperature: 10, thermostatTime: 100 };
  const chained = (given: object) => () => new NVTNoseHoover({ ...chain, ...given });
  refuses(chained({ temperature: 0 }), RangeError, "temperature must be above 0");
  refuses(chained({ thermostatTime: 0 }), RangeError, "thermostatTime must be above 0");
  refuses(
    chained({ thermostatTime: 1.9 }),
    RangeError,
    "thermostatTime must be at least twice dt",
  );
  refuses(chained({ dt: [1, 60] }), RangeError, "got 100 fs with a dt of 60 fs");
  refuses(chained({ dt: 5, thermostatTime: [10, 9] }), RangeError, "thermostatTime of system 1");
  refuses(chained({ chainLength: 0 }), RangeError, "chainLength must be a whole number from 1");
  refuses(chained({ chainLength: 2.5 }), RangeError, "chainLength must be a whole number from 1");
  refuses(chained({ chainLength: [3, 3] }), TypeError, "chainLength must be a number");
  refuses(chained({ yoshidaOrder: 2 }), RangeError, "yoshidaOrder must be 1, 3 or 5");
  refuses(chained({ yoshidaOrder: "3" }), TypeError, "yoshidaOrder must be a number");
  const rescaled = (given: object) => () => new NVTBussi({ ...chain, ...given });
  refuses(rescaled({ temperature: -1 }), RangeError, "temperature must be 0 or more");
  refuses(rescaled({ thermostatTime: [1, 0] }), RangeError, "thermostatTime of system 1 must be");
  refuses(rescaled({ seed: -1 }), RangeError, "seed must be a whole number");
  refuses(() => new FIRE({ model, dt: 0 }), RangeError, "dt must be above 0");
  refuses(() => new FIRE({ model, dt: 0.1, fDec: 2 }), RangeError, "fDec must be above 0 and at");
  refuses(() => new FIRE2({ model, dt: 0.1, dtGrow: 0.5 }), RangeError, "dtGrow must be 1 or more");
  refuses(
    () => new LBFGS({ model, memory: 0 }),
    RangeError,
    "memory must be a whole number from 1",
  );
  refuses(() => new LBFGS({ model, memory: "9" as never }), TypeError, "memory must be a number");
  refuses(
    () => new LBFGS({ model, damping: 2 }),
    RangeError,
    "damping must be above 0 and at most",
  );
  refuses(() => new LBFGS({ model, curvature: 0 }), RangeError, "curvature must be above 0");
  refuses(() => new LBFGS({ model, lineSearch: 1 as never }), TypeError, "lineSearch must be a b");
  const blind: Model = { name: "blind", gives: ["energy"], open: () => ({}) };
  refuses(
    () => new NVE({ model: blind, dt: 1 }),
    TypeError,
    "its model must give forces; got blind, which gives energy",
  );
});

test(
  "lists of another length than there are systems are refused, naming both, and the batch stays free",
  on(PAIR_BACKENDS, async (backend) => {
    const engines = [
      new NVE({ model: ARGON, dt: [1, 2], ...where(backend) }),
      new NVTLangevin({
        model: ARGON,
        dt: 1,
        temperature: [1, 2],
        friction: 0.1,
        ...where(backend),
      }),
      new NVTLangevin({
        model: ARGON,
        dt: 1,
        temperature: 1,
        friction: [0, 1, 2, 3],
        ...where(backend),
      }),
      new FIRE({ model: ARGON, dt: 0.1, maxStep: [1, 2], ...where(backend) }),
      new FIRE2({ model: ARGON, dt: [0.1, 0.1], ...where(backend) }),
    ];
    const batch = crystals(3);
    const before = bitsOf(batch, undefined, ["positions", "velocities"]);
    for (const engine of engines) {
      const error = await assertRejects(() => engine.run(batch, 2), RangeError);
      assertStringIncludes(error.message, "one for each of 3 systems; got");
      assertEquals(batch.heldBy, undefined);
      await engine.close();
    }
    assertSameBits(bitsOf(batch, undefined, ["positions", "velocities"]), before);
  }),
);

test("a run names what it is not given", async () => {
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference" });
  await assertRejects(() => md.run(undefined as never, 3), TypeError, "the batch must be a Batch");
  await assertRejects(
    () => md.run([argon(1, 0)] as never, 3),
    TypeError,
    "the batch must be a Batch",
  );
  await assertRejects(() => md.run(crystals(1)), TypeError, "nSteps is required");
  for (const n of [-1, 0.5, NaN]) {
    await assertRejects(
      () => md.run(crystals(1), n),
      RangeError,
      "nSteps must be a non-negative integer",
    );
  }
  await assertRejects(() => md.run(crystals(1), "3" as never), TypeError, "nSteps must be");
});

/** Two systems at rest and, between them, one that cannot stay together. */
function withFaulty(faulty: System): Batch {
  return Batch.from([argon(2, 0), faulty, argon(2, 1)]);
}

/** A dimer in the open. */
function dimer(r: number): System {
  return new System({ symbols: ["Ar", "Ar"], positions: [[1, 1, 1], [1 + r, 1, 1]] });
}

const FAULTY: readonly [string, System, number][] = [
  ["two atoms in one place", dimer(0), 1],
  ["two atoms all but in one place", dimer(1e-7), 1],
  ["a step too long for atoms this close", dimer(0.3), 100],
];

for (const [name, faulty, dt] of FAULTY) {
  Deno.test(
    `a run that comes apart (${name}) throws with step and system, leaves the batch as it was and free`,
    on(PAIR_BACKENDS, async (backend) => {
      for (const hasVisits of [false, true]) {
        const batch = withFaulty(faulty);
        const before = bitsOf(batch, undefined, ["positions"]);
        await using md = new NVE({ model: ARGON, dt, ...where(backend), name: "test run" });
        if (hasVisits) {
          md.hooks.add({ stage: "dynamics/AFTER_STEP", frequency: 1, call() {} } as never);
        }
        const error = await assertRejects(() => md.run(batch, 2000), Error);
        assertInstanceOf(error, DivergedError);
        assertEquals(error.systems, [1]);
        assert(error.step >= -1 && error.step < 2000, `step ${error.step}`);
        assertStringIncludes(error.message, "System 1 diverged");
        assertStringIncludes(error.message, "test run");
        assertEquals(batch.heldBy, undefined);
        assertSameBits(bitsOf(batch, undefined, ["positions"]), before);
        for (const field of batch.fields()) {
          if (!["positions", "velocities"].includes(field.name)) continue;
          assert(Array.from(batch.get(field.name)).every(Number.isFinite), field.name);
        }
        // Without the faulty one the others can be run, by the same engine.
        batch.drop([1]);
        await md.run(batch, 3);
        assertEquals([...batch.get("stepsDone")], [3, 3]);
      }
    }),
  );
}

test(
  "relaxation pulls apart atoms that are too close",
  on(PAIR_BACKENDS, async (backend) => {
    const batch = withFaulty(dimer(0.5));
    await using opt = new FIRE({ model: ARGON, dt: 0.1, ...where(backend) });
    await opt.run(batch, 200);
    const [from, to] = [batch.get("positions")[96]!, batch.get("positions")[99]!];
    assert(Math.abs(to - from) > 3.4, `they are ${to - from} Å apart`);
  }),
);

test(
  "a custom model that gives no numbers is reported",
  on(BACKENDS, async (backend) => {
    const broken = potential(({ system, forces }) => {
      if (system === 1) forces[4] = NaN;
      return 0;
    });
    const batch = crystals(3);
    const before = bitsOf(batch, undefined, ["positions", "velocities"]);
    await using md = new NVE({ model: broken, dt: 1, ...where(backend) });
    const error = await assertRejects(() => md.run(batch, 5), DivergedError);
    assertStringIncludes(error.message, "System 1 diverged before the first step");
    assertStringIncludes(error.message, "atom 1");
    assertEquals(batch.heldBy, undefined);
    assertSameBits(bitsOf(batch, undefined, ["positions", "velocities"]), before);
  }),
);

/** A model that is visited, and adds by a kernel what it has left: from an evaluation on, no numbers. */
function brokenGraph(from: number): Model {
  let evaluations = 0;
  return {
    name: "a graph",
    gives: ["energy", "forces"],
    open(state) {
      const size = state.batch.size;
      const energies = state.scratch("given energies", { dtype: "real", level: "system" });
      const add = call(addModel, {
        energies,
        cell: state.field("cell"),
        ...outputsOf(state),
        perAtom: 0,
        energyUnit: 1,
        forceUnit: 1,
        stressUnit: 1,
      });
      return {
        compute() {
          const isBroken = evaluations++ >= from;
          state.backend.write(
            energies,
            Array.from({ length: size }, (_, s) => isBroken && s === 1 ? NaN : s),
          );
        },
        add: () => [add],
      };
    },
  };
}

test(
  "a graph that gives no numbers is named, with the step and the system, before hooks look at them",
  onEnginesAndGpu(async (backend) => {
    for (const [from, step] of [[0, -1], [5, 4]] as const) {
      const seen: number[] = [];
      const look = hook({
        name: "look",
        reads: ["energy"],
        on: { dynamics: { AFTER_COMPUTE: (ctx) => void seen.push(ctx.stepCount) } },
      });
      const hooks = [look];
      await using md = new NVE({ model: brokenGraph(from), dt: 1, ...where(backend), hooks });
      const batch = withFaulty(dimer(4));
      const error = await assertRejects(() => md.run(batch, 20), DivergedError);
      assertEquals([error.step, error.systems], [step, [1]]);
      assertStringIncludes(error.message, "the energy that a graph gives is not finite");
      assertEquals(seen, Array.from({ length: Math.max(0, step) }, (_, i) => i));
      assertEquals([md.stepCount, batch.heldBy], [Math.max(0, step), undefined]);
    }
  }),
);

test(
  "an element that the model does not know is refused before anything runs",
  on(PAIR_BACKENDS, async (backend) => {
    const one = { epsilon: 0.01, sigma: 3, depth: 1, width: 1, distance: 3 };
    const models = [
      lennardJones({ species: { Ar: one, Kr: one }, cutoff: 8 }),
      morse({ pairs: { "Ar-Ar": one }, cutoff: 8 }),
    ];
    for (const model of models) {
      const batch = Batch.from([argon(1, 0), fcc({ element: "Ne", a: 4.4 })]);
      await using md = new NVE({ model, dt: 1, ...where(backend) });
      const error = await assertRejects(() => md.run(batch, 5), RangeError);
      assertStringIncludes(error.message, "atom 0 of system 1 is Ne");
      assertEquals(batch.heldBy, undefined);
      batch.drop([1]);
      await md.run(batch, 5);
    }
  }),
);

test("a custom integrator is checked like a built-in one", async () => {
  await using md = new Dynamics(velocityVerlet({ dt: [1, 1, 1, 1] }), {
    model: push(1),
    device: "reference",
  });
  await assertRejects(() => md.run(crystals(2), 1), RangeError, "one for each of 2 systems");
});

test("values that are not integrators, and one that opens no kernels, are refused by name", async () => {
  const make = (scheme: unknown) => new Dynamics(scheme as Integrator, { model: ARGON });
  assertThrows(
    () => make({ name: "mine" }),
    TypeError,
    "its integrator must be an object with a name and a function open(state)",
  );
  assertThrows(() => make(undefined), TypeError, "got undefined");
  await using md = make({ name: "mine", open: () => ({ pre: [] }) });
  await assertRejects(
    () => md.run(crystals(1), 1),
    TypeError,
    "Cannot run mine: open() of its integrator must return { pre, post }, two arrays of kernel calls; post must be an array",
  );
});

test("a potential that does not answer with a number is named, promises too", async () => {
  const answers: [unknown, string][] = [[undefined, "undefined"], [
    Promise.resolve(1),
    "a promise",
  ]];
  for (const [answer, what] of answers) {
    await using md = new NVE({ model: potential(() => answer as number), dt: 1 });
    await assertRejects(
      () => md.run(crystals(2), 1),
      TypeError,
      `Cannot evaluate a potential for system 0: its function must return the energy, a number; got ${what}`,
    );
  }
});

test(
  "a state that does not fit its batch is refused, and leaves the memory of all others alone",
  on(PAIR_BACKENDS, async (backend) => {
    const options = { model: ARGON, dt: 2, ...where(backend) };
    const [batch, beside] = [crystals(2), crystals(2)];
    await using md = new NVE(options);
    await md.run(batch, 5);
    await using other = new NVE(options);
    await other.run(beside, 5);
    const saved = await md.save();
    const { resident } = saved;
    const pairs = (change: object) => ({
      pairs: Object.fromEntries(
        Object.entries(resident.pairs).map(([key, one]) => [key, { ...one, ...change }]),
      ),
    });
    const spoilt: [object, string][] = [
      [{ active: new Int32Array(1) }, "the flags of active systems must be an array of 2 numbers"],
      [{ fields: { ...resident.fields, forces: new Float64Array(5) } }, "forces must be an array"],
      [{ states: { positionsLow: new Float64Array(500) } }, "positionsLow must be an array of 192"],
      [
        pairs({ cells: new Float64Array(5000) }),
        "the cells of the last pair search must be an array of 18",
      ],
      [pairs({ builds: new Int32Array(100) }), "the counts of pair searches must be an array of 2"],
      [
        pairs({ reference: new Float64Array(3) }),
        "the positions of the last pair search must be an array of 192",
      ],
      [
        pairs({ images: new Int32Array(3) }),
        "the images of the last pair search must be an array of 192",
      ],
    ];
    for (const [change, message] of spoilt) {
      await using next = new NVE(options);
      const state = { ...saved, resident: { ...resident, ...change } };
      const error = await assertRejects(() => next.load(state as typeof saved), TypeError);
      assertStringIncludes(error.message, message);
    }
    await Promise.all([md.run(batch, 5), other.run(beside, 5)]);
    assertSameBits(bitsOf(beside), bitsOf(batch));
  }),
);

test("no model is left open if the integrator names a time step that the batch does not have", async () => {
  let open = 0;
  const model: Model = {
    ...ARGON,
    open(state) {
      open++;
      const opened = ARGON.open(state);
      return { ...opened, close: () => void open-- };
    },
  };
  const integrator: Integrator = { ...velocityVerlet({ dt: 1 }), dt: { field: "absent" } };
  await using md = new Dynamics(integrator, { model, ...where("wasm") });
  await assertRejects(() => md.run(crystals(1), 1), Error, "absent");
  assertEquals(open, 0);
});
