import * as dynamics from "../../src/dynamics/mod.ts";

/** Returns the names of the engines that the package exports and that none of these is. */
export function untestedEngines(tried: readonly dynamics.Dynamics[]): string[] {
  const classes = new Set<unknown>(tried.map((one) => one.constructor));
  return Object.entries<unknown>(dynamics)
    .filter(([, one]) => typeof one === "function" && one.prototype instanceof dynamics.Dynamics)
    .filter(([, one]) => !classes.has(one))
    .map(([name]) => name);
}
