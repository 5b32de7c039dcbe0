/**
 * Tells which of the things that tests need this machine has. A test is registered wherever it runs; if something is
 * missing it is ignored, and the test task names what is missing in its closing line.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** Requirements of tests that a machine may lack → how to install them. */
const NEEDS = {
  webgpu: "a WebGPU adapter (on Linux install mesa-vulkan-drivers)",
  chromium: "Chromium on PATH",
  models: "reference models: set HOOKE_MODELS to their folder",
  disks: "unshare -rm to mount a disk",
  networks: "unshare -rn with ip (of iproute2) to make a network",
  fuse: "bindfs on PATH, allowed to mount",
  python: "python3 on PATH",
  strace: "strace on PATH, allowed to trace",
  slurm: "Slurm's slurmctld and slurmd, and munged on PATH",
  denort: "Deno's runtime for executables (from dl.deno.land, or DENORT_BIN)",
} as const;

/** A requirement of tests that a machine may lack. */
export type Need = keyof typeof NEEDS;

/** The folder of the real models, which are not part of the repository. */
export const MODELS_FOLDER: string = Deno.env.get("HOOKE_MODELS") ??
  fileURLToPath(new URL("../../shared/models", import.meta.url));

/** The names that Chromium has on PATH. */
const CHROMIUM = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of Chromium, if it is installed. */
export const chromiumPath: string | undefined = findProgram(CHROMIUM);

/** Finds out; what only a device or a request can tell is not here. */
const FINDERS: Readonly<Record<Exclude<Need, "webgpu" | "denort">, () => boolean>> = {
  chromium: () => chromiumPath !== undefined,
  models: () => isThere(MODELS_FOLDER),
  disks: () => mayRun("mount -t tmpfs -o size=192k none /mnt"),
  networks: () => mayRun("ip link add one type veth peer name two"),
  fuse: () => mayRun("mount -t tmpfs none /mnt && bindfs /tmp /mnt && mountpoint -q /mnt"),
  python: () => findProgram(["python3"]) !== undefined,
  strace: mayTrace,
  slurm: () =>
    ["slurmctld", "slurmd", "munged", "setpriv"].every((name) => findProgram([name]) !== undefined),
};

const answers = new Map<Need, boolean>();
const said = new Set<Need>();

/** Returns whether this machine has what some tests need. */
export function has(need: Exclude<Need, "webgpu" | "denort">): boolean {
  const known = answers.get(need) ?? FINDERS[need]();
  answers.set(need, known);
  return known;
}

/** Returns whether a test must be left out for want of something, for `ignore`; if so, says what. */
export function lacks(need: Exclude<Need, "webgpu" | "denort">): boolean {
  return lacksUnless(has(need), need);
}

/** The same, if the caller has found out itself. */
export function lacksUnless(isThere: boolean, need: Need): boolean {
  if (isThere) return false;
  // tools/suite collects these lines.
  if (!said.has(need)) console.warn(`left out: tests that need ${NEEDS[need]}`);
  said.add(need);
  return true;
}

function findProgram(names: readonly string[]): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return names.flatMap((name) => folders.map((folder) => `${folder}/${name}`)).find(isThere);
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether a process may have disks or networks of its own, as containers often forbid. Programs that the command
 * leaves behind end with it.
 */
function mayRun(command: string): boolean {
  try {
    const args = ["-rmnp", "--fork", "--kill-child", "--mount-proc", "sh", "-c", command];
    return new Deno.Command("unshare", { args, stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

/** Returns whether a process may look at the system calls of another, as containers often forbid. */
function mayTrace(): boolean {
  try {
    const args = ["-qq", "-e", "trace=none", "true"];
    return new Deno.Command("strace", { args, stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}
