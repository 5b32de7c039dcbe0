/** Runs dynamics in a folder; prints the outcome and warnings. Started by a test. */
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { openRunFolder } from "../../src/config/runs/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { LoggingHook } from "../../src/observe/mod.ts";

/** The output. */
export interface Told {
  /** Error of opening the folder. */
  readonly refused?: { readonly code: string; readonly message: string };
  /** Number of steps done. */
  readonly steps: number;
  /** Outcome of the run. */
  readonly status: string | undefined;
  /** Hook and error of each warning. */
  readonly warnings: readonly (readonly [string, string])[];
}

async function runIn(path: string, beside: string): Promise<Told> {
  const warnings: [string, string][] = [];
  try {
    await using folder = await openRunFolder(path, { checkpoints: { every: 10, keep: 9 } });
    await using md = new NVE({
      model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
      dt: 2,
      device: "wasm",
      hooks: [new LoggingHook({ backend: "csv", logPath: beside, frequency: 10 })],
      onWarning: ({ hook, error }) => warnings.push([hook, (error as Error).message]),
    });
    folder.attach(md);
    const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 3 })]);
    initVelocities(batch, 40, { seed: 1 });
    await md.run(batch, 100);
    return { steps: md.stepCount, status: md.outcome?.status, warnings };
  } catch (error) {
    const { message, code = "" } = error as Error & { readonly code?: string };
    return { refused: { code, message }, steps: 0, status: undefined, warnings };
  }
}

if (import.meta.main) {
  const [path, beside] = Deno.args as [string, string];
  console.log(JSON.stringify(await runIn(path, beside)));
}
