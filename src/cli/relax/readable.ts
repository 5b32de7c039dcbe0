import type { RelaxSettings } from "./settings.ts";

/** Settings of which some may have no effect. */
type Given = Pick<RelaxSettings, "optimizer" | "cell" | "isotropic">;

/** Returns settings without those that have no effect, which would be refused if a configuration file had them. */
export function readable(settings: Given): object {
  const { optimizer, cell, isotropic } = settings, isCell = cell || isotropic;
  const unused = [...optimizer === "lbfgs" ? ["dt"] : [], ...isCell ? [] : ["smax", "pressure"]];
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !unused.includes(name)));
}
