import { run } from "./command.ts";
import { cacheFolder, WASM_BINDGEN, WASM_PACK } from "./pins.ts";

/**
 * Returns the folder with the pinned wasm-pack and wasm-bindgen. If they are missing, this Cargo compiles them, which
 * takes about six minutes.
 */
export async function installTools(cargo: string, env: Record<string, string>): Promise<string> {
  const root = `${cacheFolder()}/tools`;
  for (const [crate, command, version] of TOOLS) {
    const marker = `${root}/${command}-${version}`;
    if (await exists(marker)) continue;
    const target = `${cacheFolder()}/install`;
    await run([
      cargo,
      "install",
      crate,
      "--version",
      version,
      "--bin",
      command,
      "--locked",
      "--force",
      "--root",
      root,
      "--target-dir",
      target,
    ], { env: { ...env, CARGO_PROFILE_RELEASE_OPT_LEVEL: "1", CARGO_PROFILE_RELEASE_LTO: "off" } });
    await Deno.writeTextFile(marker, "");
    await Deno.remove(target, { recursive: true });
  }
  return `${root}/bin`;
}

const TOOLS = [
  ["wasm-pack", "wasm-pack", WASM_PACK],
  ["wasm-bindgen-cli", "wasm-bindgen", WASM_BINDGEN],
] as const;

/** Returns true if the file or folder exists. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
