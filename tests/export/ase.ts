/**
 * Runs of ASE in the Python environment of a family.
 *
 * @module
 */

import type { Exported } from "./potentials.ts";
import type { Errors, Start, StepTime } from "./figures.ts";

/** Content of the output of ase_runs.py, by task. */
export interface AseRuns {
  readonly relax: {
    readonly cases: readonly {
      readonly label: string;
      readonly cell: boolean;
      readonly fmax: number;
      readonly start: Start;
      readonly end: Start;
      readonly energy: number;
      readonly steps: number;
      readonly converged: boolean;
    }[];
  };
  readonly md: {
    readonly label: string;
    readonly start: Start;
    readonly dt: number;
    readonly energies: readonly number[];
  };
  readonly time: {
    readonly sizes: readonly (Omit<StepTime, "atoms"> & { readonly start: Start })[];
  };
  readonly tune: {
    readonly epochs: number;
    readonly lr: number;
    readonly energy: number;
    readonly forces: number;
    readonly frames: readonly (Start & { readonly energy: number; readonly forces: number[] })[];
    readonly parameters: readonly string[];
    readonly before: Errors;
    readonly after: Errors;
  };
}

/** Returns the folder of environments, models and runs. */
export function cacheFolder(): string {
  const home = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  return Deno.env.get("HOOKE_EXPORT_CACHE") || `${home}/hooke/export`;
}

/** Runs a Python program with hooke_export on its path; throws an Error with the end of what it prints if it fails. */
export async function runPython(python: string, args: readonly string[]): Promise<string> {
  const env = {
    PYTHONPATH: `${import.meta.dirname}/../../python`,
    HOOKE_EXPORT_CACHE: cacheFolder(),
    OMP_NUM_THREADS: "1",
  };
  const { success, stdout, stderr } = await new Deno.Command(python, { args: [...args], env })
    .output();
  if (success) return new TextDecoder().decode(stdout);
  const lines = new TextDecoder().decode(stderr).trimEnd().split("\n");
  throw new Error(`${lines.at(-1)}`, { cause: lines.slice(-20).join("\n") });
}

/** Returns the Python that `hooke-export` is started with. */
export function hostPython(): string {
  return Deno.env.get("HOOKE_EXPORT_PYTHON") ?? "python3";
}

/** Returns what ASE found; runs it unless that is kept. */
export async function aseRun<T extends keyof AseRuns>(
  { file, family, name }: Exported,
  task: T,
  again: boolean,
): Promise<AseRuns[T]> {
  const folder = `${cacheFolder()}/ase`;
  const out = `${folder}/${file}.${task}.json`;
  if (again || !await Deno.stat(out).then(() => true, () => false)) {
    await Deno.mkdir(folder, { recursive: true });
    const code = "import sys; from hooke_export.environments import environment; " +
      "print(environment(sys.argv[1]))";
    const python = (await runPython(hostPython(), ["-c", code, family])).trim();
    const script = `${import.meta.dirname}/ase_runs.py`;
    await runPython(python, [script, family, name, task, out]);
  }
  return JSON.parse(await Deno.readTextFile(out));
}
