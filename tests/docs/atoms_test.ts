/** docs/atoms against the fields, options and errors that it lists. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  DivergedError,
  FIRE,
  FIRE2,
  fixAtoms,
  fixBonds,
  fixCenterOfMass,
  hook,
  LBFGS,
  lennardJones,
  type Model,
  NVE,
  NVTBussi,
  NVTLangevin,
  NVTNoseHoover,
  potential,
  System,
} from "../../mod.ts";
import type {
  Criterion,
  DynamicsOptions,
  FIRE2Options,
  FIREOptions,
  LBFGSOptions,
  NPHOptions,
  NPTOptions,
  NVEOptions,
  NVTBussiOptions,
  NVTLangevinOptions,
  NVTNoseHooverOptions,
} from "../../src/dynamics/mod.ts";
import { openBackend } from "../../src/backend/mod.ts";
import { BUILT_IN } from "../../src/batch/fields/fields.ts";
import { TIME_UNIT_FS } from "../../src/kernels/mod.ts";
import { ARGON, argon, bitsOf } from "../dynamics/atoms.ts";
import { gpu } from "../dynamics/backends.ts";
import { untestedEngines } from "../dynamics/untested_engines.ts";
import { pagesOf } from "./tables.ts";

const PAGE = await pagesOf("atoms");

/** The rows of the table whose first title is this, as texts without quotes. */
function table(...titles: string[]): string[][] {
  const tables = PAGE.matchAll(/^\|(.*)\|\n\|[-| ]+\|\n((?:\|.*\|\n)+)/gm);
  const cells = (line: string) =>
    line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("`", ""));
  for (const [, head, body] of tables) {
    if (cells(head!).slice(0, titles.length).join() !== titles.join()) continue;
    return body!.trimEnd().split("\n").map((line) => cells(line).slice(1, -1));
  }
  throw new Error(`there is no table ${titles}`);
}

// Objects whose keys the compiler compares with the types: an option that comes or goes breaks the check.
const ENGINES = {
  NVE: { dt: 0 } satisfies Record<keyof NVEOptions, 0>,
  NVTLangevin: { dt: 0, temperature: 0, friction: 0, seed: 0 } satisfies Record<
    keyof NVTLangevinOptions,
    0
  >,
  NVTNoseHoover: {
    dt: 0,
    temperature: 0,
    thermostatTime: 0,
    chainLength: 0,
    yoshidaOrder: 0,
  } satisfies Record<keyof NVTNoseHooverOptions, number>,
  NVTBussi: { dt: 0, temperature: 0, thermostatTime: 0, seed: 0 } satisfies Record<
    keyof NVTBussiOptions,
    number
  >,
  FIRE: {
    dt: 0,
    dtMax: 0,
    dtMin: 0,
    maxStep: 0,
    nMin: 0,
    fDec: 0,
    fInc: 0,
    alphaStart: 0,
    fAlpha: 0,
    cell: 0,
  } satisfies Record<keyof FIREOptions, number>,
  FIRE2: {
    dt: 0,
    delayStep: 0,
    dtGrow: 0,
    dtShrink: 0,
    alphaShrink: 0,
    alpha0: 0,
    tMax: 0,
    tMin: 0,
    maxStep: 0,
    cell: 0,
  } satisfies Record<keyof FIRE2Options, number>,
  LBFGS: {
    memory: 0,
    maxStep: 0,
    damping: 0,
    curvature: 0,
    lineSearch: 0,
    cell: 0,
  } satisfies Record<keyof LBFGSOptions, number>,
};
const PRESSURE = {
  dt: 0,
  pressure: 0,
  barostatTime: 0,
  temperature: 0,
  pressureCoupling: 0,
  thermostatTime: 0,
  chainLength: 0,
  yoshidaOrder: 0,
} satisfies Record<keyof NPHOptions | keyof NPTOptions, number>;
const OPTIONS = {
  model: 0,
  hooks: 0,
  constraints: 0,
  fileConstraints: 0,
  nSteps: 0,
  device: 0,
  threads: 0,
  backend: 0,
  fields: 0,
  name: 0,
  signal: 0,
  strict: 0,
  onWarning: 0,
  verify: 0,
} satisfies Record<keyof DynamicsOptions, number>;
const CRITERION = {
  key: 0,
  threshold: 0,
  reduceOp: 0,
  reduceDims: 0,
  customOp: 0,
} satisfies Record<keyof Criterion, number>;

Deno.test("docs/atoms has every field that batches know, with level, width, type and unit", () => {
  const listed = table("field", "one per").map(([name, level, width, dtype, unit]) =>
    [name, level, Number(width), dtype, unit] as const
  );
  const known = [...BUILT_IN.values()];
  assertEquals(
    listed.map((row) => row.slice(0, 4)),
    known.map(({ name, level, width, dtype }) => [name, level, width, dtype]),
  );
  for (const [i, { unit }] of known.entries()) if (unit !== "") assertEquals(listed[i]![4], unit);
});

Deno.test("docs/atoms has every option of every engine, and every member of a criterion", () => {
  const own = Map.groupBy(table("engine", "option"), ([engine]) => engine);
  for (const [engine, options] of Object.entries(ENGINES)) {
    assertEquals(own.get(engine)!.map(([, option]) => option), Object.keys(options));
  }
  // NPH and NPT have a table of their own, and fused engines the options of their stages.
  const engines = [...own.keys(), "NPH", "NPT", "FusedDynamics"];
  assertEquals(untestedEngines([]).sort(), engines.sort());
  assertEquals(table("option of NPH, NPT").map(([name]) => name), Object.keys(PRESSURE));
  assertEquals(table("option", "default").map(([name]) => name), Object.keys(OPTIONS));
  assertEquals(table("member of a criterion").map(([name]) => name), Object.keys(CRITERION));
});

Deno.test("the defaults of NVTNoseHoover and NVTBussi are those that docs/atoms has", async () => {
  const run = async (engine: NVTNoseHoover | NVTBussi) => {
    const batch = Batch.from([argon(2, 1, 0.3)]);
    await engine.run(batch, 20);
    await engine.close();
    return bitsOf(batch);
  };
  const bath = { model: ARGON, dt: 2, temperature: 40, thermostatTime: 30 };
  const [chain, noise] = [defaultsOf("NVTNoseHoover", 0), defaultsOf("NVTBussi", 0)];
  assertEquals([chain, noise].map(Object.keys), [["chainLength", "yoshidaOrder"], ["seed"]]);
  const chained = await run(new NVTNoseHoover(bath));
  assertEquals(await run(new NVTNoseHoover({ ...bath, ...chain })), chained);
  for (const other of [{ chainLength: 2 }, { yoshidaOrder: 5 as const }]) {
    assertNotEquals(await run(new NVTNoseHoover({ ...bath, ...other })), chained);
  }
  const rescaled = await run(new NVTBussi(bath));
  assertEquals(await run(new NVTBussi({ ...bath, ...noise })), rescaled);
  assertNotEquals(await run(new NVTBussi({ ...bath, seed: 1 })), rescaled);
});

/** The defaults that the page gives an engine, as numbers; `10 dt` is ten times dt. */
function defaultsOf(engine: string, dt: number): Record<string, number | boolean> {
  const rows = table("engine", "option").filter(([name, , value]) =>
    name === engine && value !== "required"
  );
  return Object.fromEntries(
    rows.map(([, option, value]) => {
      if (value === "false") return [option, false];
      const [factor, unit] = value!.split(" ");
      return [option, Number(factor) * (unit === "dt" ? dt : 1)];
    }),
  );
}

Deno.test("the defaults of FIRE, FIRE2, LBFGS and NVTLangevin are those that docs/atoms has", async () => {
  const run = async (engine: FIRE | FIRE2 | LBFGS | NVTLangevin) => {
    const batch = Batch.from([argon(2, 1, 0.3)]);
    await engine.run(batch, 90);
    await engine.close();
    return bitsOf(batch);
  };
  const fire = { model: ARGON, dt: 0.5 }, fire2 = { model: ARGON, dt: 0.04 };
  const bath = { model: ARGON, dt: 2, temperature: 40, friction: 0.01 };
  const [d1, d2, d3, d4] = [
    defaultsOf("FIRE", fire.dt),
    defaultsOf("FIRE2", 0),
    defaultsOf("NVTLangevin", 0),
    defaultsOf("LBFGS", 0),
  ];
  assertEquals([d1, d2, d3, d4].map((one) => Object.keys(one).length), [9, 9, 1, 6]);
  assertEquals(await run(new FIRE({ ...fire, ...d1 })), await run(new FIRE(fire)));
  assertEquals(await run(new FIRE2({ ...fire2, ...d2 })), await run(new FIRE2(fire2)));
  assertEquals(await run(new NVTLangevin({ ...bath, ...d3 })), await run(new NVTLangevin(bath)));
  const lbfgs = new LBFGS({ model: ARGON, ...d4 });
  assertEquals(await run(lbfgs), await run(new LBFGS({ model: ARGON })));
  // Each default matters: with another value the run is another one.
  for (const [name, value] of Object.entries(d1)) {
    if (typeof value === "boolean" || name === "dtMin") continue; // reached only after many steps uphill
    const changed = { nMin: 9, dtMax: value / 8, maxStep: value / 50, fInc: 1.2 }[name] ??
      value * 0.7;
    const other = await run(new FIRE({ ...fire, ...d1, [name]: changed }));
    assert(String(other.positions) !== String((await run(new FIRE(fire))).positions), name);
  }
});

Deno.test("the defaults of pair potentials are those that docs/atoms has", async () => {
  const [skin, width] = [/`skin` \((.+) Å\)/, /`switchWidth`\s\((.+) Å\)/].map((pattern) =>
    Number(pattern.exec(PAGE)![1])
  );
  const run = async (options: object) => {
    const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 7, ...options });
    const batch = Batch.from([argon(3, 1, 0.3)]);
    await using md = new NVE({ model, dt: 2 });
    await md.run(batch, 100);
    return String(bitsOf(batch).positions);
  };
  assertEquals(await run({ skin }), await run({}));
  assertEquals(await run({ truncation: "shift" }), await run({}));
  const wide = await run({ truncation: "switch" });
  assertEquals(await run({ truncation: "switch", switchWidth: width }), wide);
  assert(await run({ truncation: "switch", switchWidth: width! * 1.1 }) !== wide);
});

Deno.test("the unit of time of FIRE and the precision of devices are those of docs/atoms", () => {
  const [, unit] = table("quantity").find(([quantity]) => quantity!.includes("FIRE"))!;
  assertAlmostEquals(Number(/10\.\d+/.exec(unit!)![0]), TIME_UNIT_FS, 5e-5);
  for (const [name, real] of table("device", "positions, velocities, forces")) {
    const backend = name === '"webgpu"' ? gpu : openBackend(name!.replaceAll('"', ""));
    if (backend === undefined) continue; // which is said
    assertEquals(`float${backend.real.slice(1)}`, real);
  }
});

const dimer = (x = 3.8) => new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, x, 0, 0] });
const blind: Model = { name: "blind", gives: ["energy"], open: () => ({}) };
const forcesOnly: Model = { ...potential(() => 0), gives: ["forces"] };
const reader = (field: string) => ({
  stage: "dynamics/AFTER_STEP",
  frequency: 1,
  reads: [field],
  call: () => {},
});
const positions = (x: number) => ({ symbols: ["Ar"], positions: [x, 0, 0] });

/** Mistake → functions that make it; several if the row lists several. */
const MISTAKES: Record<string, (() => unknown)[]> = {
  "positions that are not numbers, an unknown element, or a mass ≤ 0": [
    () => new System(positions(NaN)),
    () => new System({ symbols: ["Xq"], positions: [0, 0, 0] }),
    () => new System({ ...positions(0), masses: [-1] }),
  ],
  "a cell without volume": [
    () => new System({ ...positions(0), cell: [1, 0, 0, 2, 0, 0, 0, 0, 1] }),
  ],
  "an empty list of systems": [() => Batch.from([])],
  "a misspelled option, or a model that computes no forces": [
    () => new NVE({ model: ARGON, dt: 1, temprature: 3 } as never),
    () => new NVE({ model: blind, dt: 1 }),
  ],
  "a dt that is 0, negative, or above 100 fs": [0, -1, 101].map((dt) => () =>
    new NVE({ model: ARGON, dt })
  ),
  "a list of parameters that does not have one entry per system": [
    () => new NVE({ model: ARGON, dt: [1, 1] }).run(Batch.from([dimer()]), 1),
  ],
  "an element for which the potential has no parameters": [
    () => {
      const species = { Kr: { epsilon: 0.014, sigma: 3.65 } };
      const model = lennardJones({ species, cutoff: 8 });
      return new NVE({ model, dt: 1 }).run(Batch.from([dimer()]), 1);
    },
  ],
  "constraints that contradict the batch or each other": [
    [fixAtoms([2])],
    [fixBonds([[0, 2]])],
    [fixBonds([[0, 1]]), fixAtoms([0]), fixCenterOfMass()],
  ].map((constraints) => () =>
    new NVE({ model: ARGON, dt: 1, constraints }).run(Batch.from([dimer()]), 1)
  ),
  "a hook that reads an unknown field": [
    () => new NVE({ model: ARGON, dt: 1 }).hooks.add(reader("enrgy") as never),
  ],
  "a hook that reads an energy or stress that the model does not compute": ["energy", "stress"].map(
    (field) => () => {
      const md = new NVE({ model: forcesOnly, dt: 1 });
      md.hooks.add(reader(field) as never);
      return md.run(Batch.from([dimer()]), 1);
    },
  ),
  "positions, forces or energies that are not finite": [
    () => new NVE({ model: ARGON, dt: 100 }).run(Batch.from([dimer(0.01)]), 10),
  ],
  "a cell with faces closer than 1/64 of the sum of cutoff and skin": [
    () =>
      new NVE({ model: ARGON, dt: 1 }).run(
        Batch.from([{ ...positions(0), cell: [20, 0, 0, 0, 20, 0, 0, 0, 0.1], pbc: true }]),
        1,
      ),
  ],
  "more than 2³¹ − 1 steps of a system, or of an engine": [
    () => {
      const batch = Batch.from([dimer()]);
      batch.set("stepsDone", [2 ** 31 - 2]);
      return new NVE({ model: ARGON, dt: 1 }).run(batch, 2);
    },
  ],
  "bonds that cannot be restored to their lengths": [
    () => {
      const batch = Batch.from([dimer()]);
      batch.set("velocities", Float64Array.from([0, 1, 0, 0, -1, 0]));
      return new NVE({ model: ARGON, dt: 10, constraints: [fixBonds([[0, 1]])] }).run(batch, 1);
    },
  ],
};

Deno.test("each mistake that docs/atoms lists is the error it says", async () => {
  const rows = table("cause", "thrown by");
  assertEquals(rows.map(([what]) => what), Object.keys(MISTAKES));
  for (const [what, , kind] of rows) {
    for (const make of MISTAKES[what!]!) {
      let error: unknown;
      try {
        await make();
      } catch (thrown) {
        error = thrown;
      }
      assert(error instanceof Error, what);
      assertEquals(error.name, kind, `${what}: ${error.message}`);
    }
  }
});

Deno.test("a batch whose run diverged is as it was", async () => {
  const batch = Batch.from([dimer(), dimer(0.01)]);
  const before = bitsOf(batch, undefined, ["positions"]);
  await using md = new NVE({ model: ARGON, dt: 2 });
  let error: unknown;
  await md.run(batch, 100).catch((thrown) => error = thrown);
  assert(error instanceof DivergedError);
  assertEquals([...error.systems], [1]);
  assertEquals(bitsOf(batch, undefined, ["positions"]), before);
  assertEquals(batch.heldBy, undefined);
});

Deno.test("without criteria it is fmax ≤ 0.05, and forces say the same as fmax", async () => {
  const steps = async (convergence: ConvergenceHook) => {
    const batch = Batch.from([1, 2, 3].map((seed) => argon(2, seed)));
    await using opt = new FIRE({ model: ARGON, dt: 0.5, hooks: [convergence] });
    await opt.run(batch, 300);
    return [...batch.get("stepsDone")];
  };
  const byDefault = await steps(new ConvergenceHook());
  assertEquals(byDefault, await steps(ConvergenceHook.fromFmax(0.05)));
  assertEquals(byDefault, await steps(ConvergenceHook.fromForces(0.05)));
  assert(byDefault.every((one) => one > 5), String(byDefault));
});

Deno.test("what has converged rests until it is changed, and another engine moves it", async () => {
  const batch = Batch.from([argon(2, 1), argon(2, 2)]);
  const steps = () => [...batch.get("stepsDone")];
  await using opt = new FIRE({ model: ARGON, dt: 0.5, hooks: [ConvergenceHook.fromFmax(0.02)] });
  await opt.run(batch, 300);
  const [done, rested] = steps();
  assertEquals(opt.outcome, { status: "completed" });
  await opt.run(batch, 10);
  assertEquals([steps(), opt.stepCount], [[done, rested], Math.max(done!, rested!)]);
  batch.get("positions")[0]! += 0.2;
  await opt.run(batch, 1);
  assertEquals(steps(), [done! + 1, rested]);
  await using md = new NVE({ model: ARGON, dt: 2 });
  await md.run(batch, 2);
  assertEquals(steps(), [done! + 3, rested! + 2]);
});

Deno.test("measures cannot be written, nor can a batch that is run be got at", async () => {
  const md = new NVE({ model: ARGON, dt: 2 });
  for (const field of ["fmax", "temperature", "time"] as const) {
    const batch = Batch.from([argon(2, 1)]);
    const wrong = hook({
      name: `writes ${field}`,
      writes: [field],
      on: { dynamics: { AFTER_STEP: (ctx) => void ctx.write[field] } },
    });
    using _handle = md.hooks.add(wrong);
    let error: unknown;
    await md.run(batch, 1).catch((thrown) => error = thrown);
    assert(error instanceof TypeError && error.message.includes("measured"), String(error));
  }
  const batch = Batch.from([argon(2, 1)]);
  const seen: unknown[] = [];
  md.hooks.add(hook({
    name: "look",
    on: {
      dynamics: {
        AFTER_STEP: async (ctx) => {
          assertThrows(() => ctx.batch.get("forces"), Error, "reads");
          seen.push((await ctx.batch.fetch("forces")).length);
        },
      },
    },
    onError: "throw",
  }));
  await md.run(batch, 1);
  assertEquals(seen, [96]);
  await md.close();
});
