/**
 * The energies of elements of a tuned model.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import type { System } from "../../batch/system.ts";
import { elementsOf } from "../../models/onnx/elements.ts";
import { decodeModel, encodeModel } from "../../onnx/codec/codec.ts";
import type { MatchedPotential } from "../potential/potential.ts";
import { evaluatorSession } from "../../onnx/session/evaluator_session.ts";
import { openSession } from "../../onnx/session/open_session.ts";
import type { HostTensor } from "../../onnx/session/session_tensor.ts";
import { atomsSource } from "../data/atoms_data.ts";
import { systemsList } from "../data/systems_list.ts";
import { fitElementEnergies } from "./element_energies.ts";
import { type FineTuneOptions, weightsOf } from "./fine_tune_options.ts";

const ACTION = "fine-tune a potential";

/** Returns the energy in eV that the tuned model adds for each atom, by symbol; `undefined` if it adds no energies. */
export async function elementEnergiesOf(
  potential: MatchedPotential,
  train: readonly System[],
  options: FineTuneOptions,
): Promise<Readonly<Record<string, number>> | undefined> {
  const { elementEnergies: wanted = "shift", energy = "energy", replay } = options;
  const own = potential.manifest.atomEnergies;
  if (typeof wanted === "object") return { ...own, ...wanted };
  if (wanted !== "shift" && wanted !== "fit" && wanted !== "keep") {
    throw new RangeError(
      complaint(
        ACTION,
        'elementEnergies must be "shift", "fit", "keep" or an object, symbol → energy',
        wanted,
      ),
    );
  }
  if (wanted === "keep" || energy === false || weightsOf(options).energy === 0) return own;
  // Elements that only occur in replayed frames keep their energies.
  const others = replay === undefined ? {} : noEnergies(systemsList(ACTION, replay.systems));
  const fitted = fitElementEnergies(train, {
    energy,
    ...(own !== undefined && { base: own }),
    model: await givenEnergies(potential, train, options, wanted === "shift"),
  });
  return { ...others, ...own, ...fitted };
}

/**
 * Returns for each system the energy in eV to which the fitted energies of elements are added. If `isShift` is true,
 * it is the energy of the original graph, otherwise only the energies of free atoms that the original graph adds.
 */
async function givenEnergies(
  potential: MatchedPotential,
  systems: readonly System[],
  options: FineTuneOptions,
  isShift: boolean,
): Promise<number[]> {
  const { own } = potential, { energies } = elementsOf(own ? { atomEnergies: own } : {});
  const given = isShift
    ? await energiesOf(potential, systems, options)
    : Array<number>(systems.length).fill(0);
  if (energies === undefined) return given;
  return systems.map(({ numbers }, i) =>
    numbers.reduce((sum, number) => sum + (energies.get(number) ?? 0), given[i]!)
  );
}

/** Returns the energy in eV of each system that the graph to train computes before training. */
async function energiesOf(
  potential: MatchedPotential,
  systems: readonly System[],
  { device, runtime, threads = 1, threadMemory }: FineTuneOptions,
): Promise<number[]> {
  const { name, names: { energy: output }, isSingle } = potential;
  const none = { energy: false, forces: false, stress: false } as const;
  const source = atomsSource(
    systems,
    { potential, ...none, partial: true, batchSize: isSingle ? 1 : 8, shuffle: false },
    true,
  );
  const wanted = { energy: true, forces: false, stress: false };
  const bytes = encodeModel(potential.prepare(decodeModel(potential.model), wanted));
  const session = device === "reference"
    ? evaluatorSession(bytes, { name })
    // In Node and in pages the first session sets the number of threads of all later ones, including the trainer's.
    : await openSession(bytes, {
      name,
      threads,
      ...(threadMemory && { threadMemory }),
      ...(runtime && { runtime }),
    });
  const inputs = session.inputs.map((input) => input.name);
  const energies: number[] = [];
  try {
    for await (const { feeds, size } of source.batches(0, 0)) {
      const own = Object.fromEntries(inputs.map((input) => [input, feeds[input]!]));
      const { [output]: energy } = await session.run(own, [output]);
      energies.push(...Array.from((energy as HostTensor).data as Float32Array).slice(0, size));
    }
  } finally {
    await session.dispose();
  }
  return energies;
}

/** Returns a table with the energy 0 for each element of the systems. */
export function noEnergies(systems: readonly System[]): Record<string, number> {
  const symbols = systems.flatMap(({ symbols }) => symbols);
  return Object.fromEntries(symbols.map((symbol) => [symbol, 0]));
}
