import { output, run } from "./command.ts";
import { cacheFolder, cargoHome, FLAGS, KERNEL_FLAGS, TARGET, TOOLS } from "./pins.ts";
import { exists, installTools } from "./tools.ts";
import type { Toolchain } from "./route.ts";

/** rustc and Cargo of this century, the sources of the standard library, a linker for WebAssembly. */
const PACKAGES = ["rustc-web", "cargo-web", "rust-web-src", "lld-19", "xz-utils"];

const [RUSTC, CARGO, LINKER] = ["/usr/bin/rustc", "/usr/bin/cargo", "wasm-ld-19"];

/** Returns true if Debian's toolchain is already installed on this machine. */
export async function isDebianReady(): Promise<boolean> {
  const version = await packageVersion("rustc-web");
  return version !== undefined && await exists(`${sysroot(version)}/ready`);
}

/** Debian's rustc with a standard library for the target, built from its sources where that is not in the cache. */
export async function debianToolchain(): Promise<Toolchain> {
  await installPackages();
  const version = await packageVersion("rustc-web");
  if (version === undefined) {
    throw new Error("Cannot build the kernels: rustc-web must be installed: apt-get left it out");
  }
  if (!await exists(`${sysroot(version)}/ready`)) await buildSysroot(sysroot(version));
  const tools = await installTools(CARGO, { RUSTC });
  const root = sysroot(version);
  const compiler = await writeCompiler(`${root}/bin`, ["--sysroot", root]);
  return {
    route: "debian",
    name: `Debian rustc-web ${version}, ${TOOLS}`,
    env: {
      PATH: `${compiler}:${tools}:${Deno.env.get("PATH")}`,
      RUSTFLAGS: KERNEL_FLAGS,
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: LINKER,
    },
  };
}

function sysroot(version: string): string {
  return `${cacheFolder()}/sysroot-${version}`;
}

async function installPackages(): Promise<void> {
  const missing: string[] = [];
  for (const name of PACKAGES) if (!await packageVersion(name)) missing.push(name);
  if (missing.length === 0) return;
  const sudo = Deno.uid() === 0 ? [] : ["sudo"];
  await run([...sudo, "apt-get", "update"]);
  await run([...sudo, "apt-get", "install", "-y", ...missing], {
    env: { DEBIAN_FRONTEND: "noninteractive" },
  });
}

async function packageVersion(name: string): Promise<string | undefined> {
  const line = await output(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name]);
  return line?.startsWith("installed ") ? line.slice("installed ".length) : undefined;
}

/** An empty crate, compiled only for the standard library that Cargo builds under it. */
const SEED = `[package]
name = "seed"
version = "0.0.0"
edition = "2021"
[profile.release]
codegen-units = 1
`;

async function buildSysroot(root: string): Promise<void> {
  const seed = await Deno.makeTempDir();
  await Deno.mkdir(`${seed}/src`);
  const compiler = await writeCompiler(`${seed}/bin`, []);
  await Deno.writeTextFile(`${seed}/Cargo.toml`, SEED);
  await Deno.writeTextFile(`${seed}/src/lib.rs`, "#![no_std]\n");
  await run([
    CARGO,
    "build",
    "--release",
    "--target",
    TARGET,
    "-Zbuild-std=std,panic_abort",
    "--target-dir",
    `${seed}/target`,
  ], {
    cwd: seed,
    env: {
      // Debian's compiler is a stable one, and the option to build the standard library is not.
      RUSTC_BOOTSTRAP: "1",
      RUSTC: `${compiler}/rustc`,
      RUSTFLAGS: FLAGS,
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: LINKER,
    },
  });
  await collect(`${seed}/target/${TARGET}/release/deps`, root);
  await Deno.remove(seed, { recursive: true });
}

/** Lays out what rustc expects of a sysroot: this target's libraries, and the host's by a link. */
async function collect(built: string, root: string): Promise<void> {
  const targets = `${root}/lib/rustlib`;
  await Deno.remove(root, { recursive: true }).catch(() => {});
  await Deno.mkdir(`${targets}/${TARGET}/lib`, { recursive: true });
  for await (const { name } of Deno.readDir(built)) {
    if (!name.endsWith(".rlib") || name.startsWith("libseed")) continue;
    await Deno.copyFile(`${built}/${name}`, `${targets}/${TARGET}/lib/${name}`);
  }
  const host = Deno.build.target;
  await Deno.symlink(`/usr/lib/rustlib/${host}`, `${targets}/${host}`);
  await Deno.writeTextFile(`${root}/ready`, "");
}

/**
 * Writes a folder with Cargo and with a rustc that has additional arguments and removes the paths of sources on this
 * machine. The paths are passed here instead of in RUSTFLAGS, because Cargo mixes RUSTFLAGS into the names of
 * symbols, which would then differ between machines.
 */
async function writeCompiler(folder: string, args: readonly string[]): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const remap = [`${cargoHome()}/registry/src=/registry`, "/usr/lib/rustlib/src/rust=/rust"]
    .map((pair) => `--remap-path-prefix=${pair}`);
  const text = `#!/bin/sh\nexec ${[RUSTC, ...args, ...remap].join(" ")} "$@"\n`;
  // Renamed into place, as another build may be running the old one.
  await Deno.writeTextFile(`${folder}/rustc.new`, text, { mode: 0o755 });
  await Deno.rename(`${folder}/rustc.new`, `${folder}/rustc`);
  await Deno.symlink(CARGO, `${folder}/cargo`).catch(() => {});
  return folder;
}
