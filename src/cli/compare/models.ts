/**
 * Comparisons of two models, or of a model with the values in a file, for the same structures.
 *
 * @module
 */

import { openDevice } from "../../backend/open.ts";
import { disposing } from "../../base/disposing.ts";
import { evaluateBatch } from "../../campaign/run/evaluate_batch.ts";
import type { CommandRun } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { batchOf } from "../run/batch_of.ts";
import { counted } from "../run/counted.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { notice } from "../run/notices.ts";
import { openPotential } from "../run/potential.ts";
import { elementsOf, readAllStructures, type Structure } from "../run/structures.ts";
import type { Comparison } from "./comparison.ts";
import type { CompareSettings } from "./settings.ts";
import { structurePairs } from "./structures.ts";

/** Largest number of atoms that are evaluated at once, unless one structure has more. */
const CHUNK = 20_000;

/** Compares two models, or the values in the files with one model. */
export async function compareModels(
  settings: CompareSettings,
  run: CommandRun,
): Promise<Comparison> {
  const { pair } = settings, warn = (message: string) => run.terminal.complain(message);
  const formats = await formatOptionsOf(settings, warn);
  const structures = await readAllStructures(settings.structures, formats, run.signal);
  const [first, second] = pair.length === 1 ? [undefined, pair[0]!] : [pair[0]!, pair[1]!];
  const a = first === undefined
    ? withValues(structures)
    : await evaluated(first, structures, settings, run);
  const b = await evaluated(second, structures, settings, run);
  const pairs = structurePairs(a, b, { geometry: false });
  const atoms = structures.reduce((sum, { system }) => sum + system.nodeCount, 0);
  const has = (quantity: string) => pairs.some((each) => each.quantity === quantity);
  const isPeriodic = structures.some(({ system }) => system.pbc.includes(1));
  return {
    names: { a: first ?? settings.structures.join(", "), b: second },
    of: `${counted(structures.length, "structure")} of ${counted(atoms, "atom")} in all`,
    pairs,
    notes: isPeriodic && !has("stress")
      ? ["Stresses are not compared: A or B has none for the periodic structures"]
      : [],
  };
}

/** Throws a UsageError if the structures of a file have no energies. */
function withValues(structures: readonly Structure[]): readonly Structure[] {
  const without = structures.find(({ system }) => !system.has("energy"));
  if (without === undefined) return structures;
  throw new UsageError(
    `Cannot compare one model: ${without.label} has no energy to compare with. ` +
      "Pass a second model, or structures with energies",
  );
}

/** Returns the structures with the energies, forces and stresses of a model. */
async function evaluated(
  model: string,
  structures: readonly Structure[],
  settings: CompareSettings,
  run: CommandRun,
): Promise<readonly Structure[]> {
  notice(run, settings, `Evaluating ${model}`);
  const warn = (message: string) => run.terminal.complain(message);
  const potential = await openPotential({ ...settings, model }, elementsOf(structures), {
    warn,
    structures,
  });
  return await disposing(potential, async ({ model, engine }) => {
    const { backend } = await openDevice(engine.device), results: Structure[] = [];
    try {
      for (const chunk of chunksOf(structures)) {
        run.signal.throwIfAborted();
        const batch = batchOf(chunk);
        await evaluateBatch(batch, model, backend);
        results.push(...batch.systems().map((system, i) => ({ ...chunk[i]!, system })));
      }
    } finally {
      backend.dispose();
    }
    return results;
  });
}

function chunksOf(structures: readonly Structure[]): Structure[][] {
  const chunks: Structure[][] = [];
  let atoms = Infinity;
  for (const structure of structures) {
    atoms += structure.system.nodeCount;
    if (atoms > CHUNK) {
      chunks.push([]);
      atoms = structure.system.nodeCount;
    }
    chunks.at(-1)!.push(structure);
  }
  return chunks;
}
