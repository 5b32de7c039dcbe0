/**
 * Curves of screenings.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { parseIdentity, pathsIn, textIn } from "../../config/runs/run_files.ts";
import { ScalarHistory } from "../../observe/reporter/scalar_history.ts";
import { readResults, type ScreenResult } from "../screen/ledger.ts";
import type { Curves } from "./curves.ts";

/** Returns the results in the folder of a screening; undefined if the folder has another run, or none. */
export async function screeningIn(folder: string): Promise<readonly ScreenResult[] | undefined> {
  const { config: path } = pathsIn(folder);
  const text = await textIn(path);
  if (text === undefined) return undefined;
  const { config } = parseIdentity(text, path);
  if (!isObject(config) || config.command !== "screen") return undefined;
  return await readResults(folder);
}

/** Returns the numbers of steps of the structures that have converged. */
export function stepsUntilConvergence(results: readonly ScreenResult[]): number[] {
  return results.flatMap(({ status, steps }) =>
    status === "converged" && steps !== null ? [steps] : []
  );
}

/** Returns the values of a screening over its structures, in the order in which they were finished. */
export function screeningCurves(
  name: string,
  results: readonly ScreenResult[],
  isOpen: boolean,
): Curves {
  const history = new ScalarHistory({ size: 4000 });
  for (const [step, { atoms, steps, energy, fmax }] of results.entries()) {
    history.add({
      step: step + 1,
      scalars: {
        steps: steps ?? NaN,
        energy: energy ?? NaN,
        fmax: fmax ?? NaN,
        atoms: atoms ?? NaN,
      },
    });
  }
  const x = { label: "structure", unit: "structures", perStep: 1 };
  return { name, history, x, isLine: false, isOpen };
}
