/** Options that callers without types misspell: each is named, even where one that is required is then missing. */
import { assertThrows } from "@std/assert";
import {
  ConvergenceHook,
  FIRE,
  FIRE2,
  LBFGS,
  NVE,
  NVTBussi,
  NVTLangevin,
  NVTNoseHoover,
} from "../../src/dynamics/mod.ts";
import { AlignCellHook, MaxForceClampHook } from "../../src/observe/mod.ts";
import { ARGON } from "./atoms.ts";

/** An object that the types would not let pass. */
const wrong = (options: object): never => ({ model: ARGON, ...options }) as never;

const cases: readonly [what: string, make: () => unknown, message: string][] = [
  ["NVE", () => new NVE(wrong({ timestep: 2 })), 'got "timestep"'],
  [
    "NVTLangevin",
    () => new NVTLangevin(wrong({ dt: 2, temperatures: 40, friction: 0.01 })),
    "did you mean temperature?",
  ],
  [
    "NVTNoseHoover",
    () => new NVTNoseHoover(wrong({ dt: 2, temperature: 40, thermostatime: 100 })),
    "did you mean thermostatTime?",
  ],
  [
    "NVTBussi",
    () => new NVTBussi(wrong({ dt: 2, temperature: 40, friction: 0.01 })),
    'got "friction"',
  ],
  ["FIRE", () => new FIRE(wrong({ Dt: 0.5 })), "did you mean dt?"],
  ["LBFGS", () => new LBFGS(wrong({ dt: 0.5 })), 'got "dt"'],
  ["LBFGS", () => new LBFGS(wrong({ linesearch: true })), "did you mean lineSearch?"],
  ["FIRE2", () => new FIRE2(wrong({ dtt: 0.5 })), "did you mean dt?"],
  [
    "ConvergenceHook",
    () => new ConvergenceHook({ fmax: 0.01 } as never),
    'must be among criteria, sourceStatus, targetStatus, frequency; got "fmax"',
  ],
  ["ConvergenceHook", () => new ConvergenceHook(0.01 as never), "its options must be an object"],
  [
    "AlignCellHook",
    () => new AlignCellHook(5 as never),
    "Cannot make an AlignCellHook: its options must be an object; got 5",
  ],
  [
    "MaxForceClampHook",
    () => new MaxForceClampHook(5 as never),
    "Cannot make a MaxForceClampHook: its options must be an object; got 5",
  ],
];

for (const [what, make, message] of cases) {
  Deno.test(`${what} names the option that it has not: ${message}`, () => {
    assertThrows(make, TypeError, message);
  });
}
