/**
 * Engines of the command `md`.
 *
 * @module
 */

import type { Dynamics } from "../../dynamics/dynamics.ts";
import type { DynamicsOptions } from "../../dynamics/engine/dynamics_options.ts";
import { GIGAPASCAL } from "../../kernels/constants.ts";
import type { MdSettings } from "./settings.ts";

/** Opens the engine of an ensemble. Only its code is loaded. */
export async function openEngine(
  settings: MdSettings,
  options: DynamicsOptions,
): Promise<Dynamics> {
  const { ensemble, dt, temperature, thermostatTime, barostatTime, engineOptions } = settings;
  const shared = { dt, ...engineOptions, ...options };
  const barostat = {
    pressure: settings.pressure * GIGAPASCAL,
    barostatTime,
    pressureCoupling: settings.coupling,
  };
  switch (ensemble) {
    case "nve":
      return new (await import("../../dynamics/integrators/nve.ts")).NVE(shared);
    case "nvt":
      return await openThermostat(settings, shared);
    case "npt": {
      const { NPT } = await import("../../dynamics/integrators/npt.ts");
      return new NPT({ temperature, thermostatTime, ...barostat, ...shared });
    }
    case "nph": {
      const { NPH } = await import("../../dynamics/integrators/nph.ts");
      return new NPH({ ...barostat, ...shared });
    }
  }
}

async function openThermostat(
  { thermostat, temperature, friction, thermostatTime, seed }: MdSettings,
  shared: DynamicsOptions & { readonly dt: number },
): Promise<Dynamics> {
  switch (thermostat) {
    case "langevin": {
      const { NVTLangevin } = await import("../../dynamics/integrators/nvt_langevin.ts");
      return new NVTLangevin({ temperature, friction, seed, ...shared });
    }
    case "bussi": {
      const { NVTBussi } = await import("../../dynamics/integrators/nvt_bussi.ts");
      return new NVTBussi({ temperature, thermostatTime, seed, ...shared });
    }
    case "nose-hoover": {
      const { NVTNoseHoover } = await import("../../dynamics/integrators/nvt_nose_hoover.ts");
      return new NVTNoseHoover({ temperature, thermostatTime, ...shared });
    }
  }
}

/** Returns the option that needs stresses; undefined if none does. */
export function stressOption({ ensemble }: MdSettings): string | undefined {
  return ensemble === "npt" || ensemble === "nph" ? `--ensemble ${ensemble}` : undefined;
}

/** Returns a description of the ensemble on one line. */
export function ensembleText(settings: MdSettings): string {
  const { ensemble, thermostat, temperature, pressure, friction, thermostatTime } = settings;
  const bath = thermostat === "langevin"
    ? `langevin, friction ${friction} 1/fs`
    : `${thermostat}, ${thermostatTime} fs`;
  switch (ensemble) {
    case "nve":
      return "NVE";
    case "nvt":
      return `NVT at ${temperature} K (${bath})`;
    case "npt":
      return `NPT at ${temperature} K and ${pressure} GPa`;
    case "nph":
      return `NPH at ${pressure} GPa`;
  }
}
