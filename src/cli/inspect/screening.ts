/**
 * Descriptions of the folders of screenings.
 *
 * @module
 */

import { parseIdentity, pathsIn, textIn } from "../../config/runs/run_files.ts";
import { isObject } from "../../base/object.ts";
import { histogram } from "../picture.ts";
import { readResults, type ScreenResult } from "../screen/ledger.ts";
import { outcomeIn } from "../screen/outcome.ts";
import type { Inspection } from "./inspection.ts";

/** Number of failures that are listed. `status.csv` has all. */
const SHOWN = 10;

/** Returns a description of the screening in a folder; undefined if the folder has another run. */
export async function inspectScreening(folder: string): Promise<Inspection | undefined> {
  const { config: path } = pathsIn(folder);
  const { config, id } = parseIdentity(await textIn(path) ?? "", path);
  if (!isObject(config) || config.command !== "screen") return undefined;
  const results = await readResults(folder);
  const having = (status: ScreenResult["status"]) => results.filter((one) => one.status === status);
  const converged = having("converged"), missing = having("not converged");
  const failed = having("failed"), steps = converged.flatMap((one) => one.steps ?? []);
  const files = new Set(results.map(({ file }) => file)).size;
  const outcome = await outcomeIn(folder) ??
    "not ended: it still runs, or its process was killed; `hooke resume` continues it";
  const options = ["fmax", "optimizer", "steps"].map((name) => `${name} ${config[name]}`);
  return {
    lines: [
      `${folder}: screening ${id}`,
      `  outcome       ${outcome}`,
      `  structures    ${results.length} of ${files} file${files === 1 ? "" : "s"} have a result`,
      `  converged     ${converged.length}`,
      `  not converged ${missing.length}`,
      `  failed        ${failed.length}`,
      `  command       screen --model ${config.model ?? "lj"}, ${options.join(", ")}`,
      `  results       status.csv, ${config.results}`,
      ...failed.slice(0, SHOWN).map(({ file, frame, reason }) =>
        `  failed: ${file}${frame === null ? "" : `@${frame}`}: ${reason}`
      ),
      ...(failed.length > SHOWN ? [`  and ${failed.length - SHOWN} more, see status.csv`] : []),
      ...(steps.length > 1 ? ["  steps until convergence:"] : []),
      ...(steps.length > 1 ? histogram(steps, 8, 40).map((line) => `    ${line}`) : []),
    ],
    data: {
      type: "screening",
      id,
      outcome,
      files,
      structures: results.length,
      converged: converged.length,
      notConverged: missing.length,
      failed: failed.length,
      failures: failed.map(({ file, frame, reason }) => ({ file, frame, reason })),
      config,
    },
  };
}
