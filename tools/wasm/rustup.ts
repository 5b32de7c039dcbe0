import { output } from "./command.ts";
import { cargoHome, KERNEL_FLAGS, TARGET, TOOLS } from "./pins.ts";
import { installTools } from "./tools.ts";
import type { Toolchain } from "./route.ts";

/** A minute: a machine that cannot reach Rust's servers may wait for a connection for ever. */
const PATIENCE = 60_000;

/** The toolchain of rustup with the target added, or `undefined` where that cannot be had. */
export async function rustupToolchain(): Promise<Toolchain | undefined> {
  const added = await output(["rustup", "target", "add", TARGET], { timeout: PATIENCE });
  if (added === undefined) return undefined;
  const version = await output(["rustc", "--version"]);
  const tools = await installTools("cargo", {});
  return {
    route: "rustup",
    name: `rustup's ${version}, ${TOOLS}`,
    env: {
      PATH: `${tools}:${cargoHome()}/bin:${Deno.env.get("PATH")}`,
      RUSTFLAGS: `${KERNEL_FLAGS} --remap-path-prefix=${cargoHome()}/registry/src=/registry`,
      RUSTC_BOOTSTRAP: "1",
    },
  };
}
