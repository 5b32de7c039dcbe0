/** Every engine for atoms, for tests that try them all. */
import {
  type Dynamics,
  type DynamicsOptions,
  FIRE,
  FIRE2,
  LBFGS,
  NPH,
  NPT,
  NVE,
  NVTBussi,
  NVTLangevin,
  NVTNoseHoover,
} from "../../src/dynamics/mod.ts";

/** Makes an engine with a time step in fs; LBFGS has none. */
export type MakeEngine = (options: DynamicsOptions, dt: number) => Dynamics;

/** Options of baths and barostats for an engine with this time step. */
export interface Surroundings {
  /** K. */
  readonly temperature: number;
  /** 1/fs, of Langevin dynamics. */
  readonly friction: number;
  /** fs. */
  readonly thermostatTime: number;
  /** fs. */
  readonly barostatTime: number;
}

/** Returns every engine by its name, at a pressure of 0. */
export function atomEngines(
  around: (dt: number) => Surroundings,
): Readonly<Record<string, MakeEngine>> {
  const bath = (dt: number) => {
    const { temperature, thermostatTime } = around(dt);
    return { dt, temperature, thermostatTime };
  };
  const press = (dt: number) => ({ dt, pressure: 0, barostatTime: around(dt).barostatTime });
  return {
    NVE: (options, dt) => new NVE({ ...options, dt }),
    NVTLangevin: (options, dt) => {
      const { temperature, friction } = around(dt);
      return new NVTLangevin({ ...options, dt, temperature, friction });
    },
    NVTNoseHoover: (options, dt) => new NVTNoseHoover({ ...options, ...bath(dt) }),
    NVTBussi: (options, dt) => new NVTBussi({ ...options, ...bath(dt) }),
    NPH: (options, dt) =>
      new NPH({ ...options, ...press(dt), temperature: around(dt).temperature }),
    NPT: (options, dt) => new NPT({ ...options, ...bath(dt), ...press(dt) }),
    FIRE: (options, dt) => new FIRE({ ...options, dt }),
    FIRE2: (options, dt) => new FIRE2({ ...options, dt }),
    LBFGS: (options) => new LBFGS(options),
  };
}
