/** Source of a toolchain. */
export type Route = "rustup" | "debian";

/** A toolchain that compiles the kernels. */
export interface Toolchain {
  route: Route;
  /** The versions of all that shapes the bytes. */
  name: string;
  /** Environment variables of wasm-pack. */
  env: Record<string, string>;
}

/** The route that a command line asks for, or `undefined` where it leaves the choice open. */
export function routeOf(text: string | undefined): Route | undefined {
  if (text === undefined || text === "rustup" || text === "debian") return text;
  throw new RangeError(
    `Cannot build the kernels: the route must be rustup or debian; got ${text}`,
  );
}
