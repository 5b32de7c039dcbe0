import type { Route } from "./toolchain.ts";

/** The route that a command line asks for, or `undefined` where it leaves the choice open. */
export function routeOf(text: string | undefined): Route | undefined {
  if (text === undefined || text === "rustup" || text === "debian") return text;
  throw new RangeError(
    `Cannot build the kernels as the route must be rustup or debian: current value is ${text}`,
  );
}
