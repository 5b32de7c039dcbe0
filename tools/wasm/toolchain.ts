/**
 * Finds, or installs, what compiles the kernels: rustc with the target wasm32-unknown-unknown, wasm-pack and
 * wasm-bindgen.
 *
 * There are two routes. `rustup` is what a contributor has: the target is one `rustup target add` away. `debian`
 * needs no download from Rust's own servers: Debian packages rustc and the sources of its standard library, from
 * which the target's libraries are built once into a cache. The committed package is of the Debian route, as
 * that is what CI can repeat to the byte.
 *
 * @module
 */

import { debianToolchain, isDebianReady } from "./debian.ts";
import type { Route, Toolchain } from "./route.ts";
import { rustupToolchain } from "./rustup.ts";

/**
 * Opens a toolchain, and installs what it lacks. Without a route: Debian's where it has been installed before,
 * or else rustup's, or else Debian's.
 */
export async function openToolchain(route?: Route): Promise<Toolchain> {
  if (route === "debian" || route === undefined && await isDebianReady()) {
    return await debianToolchain();
  }
  const rustup = await rustupToolchain();
  if (rustup !== undefined) return rustup;
  if (route === undefined) return await debianToolchain();
  throw new Error(
    "Cannot build the kernels by rustup: `rustup target add wasm32-unknown-unknown` must succeed: it did not",
  );
}
