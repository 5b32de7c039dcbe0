/**
 * Real potentials, trained with their manifests alone: the trainer's errors against `OnnxModel` are 0, and decrease
 * against targets.
 */
import { assert } from "@std/assert";
import { openBackend } from "../../../src/backend/mod.ts";
import { Batch, type SystemInput } from "../../../src/batch/mod.ts";
import { evaluateModel } from "../../../src/models/evaluate.ts";
import { OnnxModel } from "../../../src/models/onnx.ts";
import {
  adam,
  atomsData,
  energyForces,
  fineTune,
  openPotential,
  potentialErrors,
  Trainer,
} from "../../../src/training/mod.ts";
import { lacks } from "../../machine.ts";
import {
  POTENTIALS,
  rattledCrystals,
  type RealPotential,
  structuresFor,
} from "../../models/real_potentials.ts";
import { readModel } from "../../onnx/shared_models.ts";

/** Systems with the energies and forces of a potential, one by one. */
async function labeled({ name, options }: RealPotential, systems: readonly SystemInput[]) {
  await using model = await OnnxModel.open(readModel(`${name}_e.onnx`), { name, ...options });
  const backend = openBackend("wasm"), frames: SystemInput[] = [];
  for (const system of systems) {
    const wanted = { energy: true, stress: false };
    const { energy, forces } = await evaluateModel(model, Batch.from([system]), backend, {
      wanted,
    });
    frames.push({ ...system, energy: energy[0]!, forces: [...forces] });
  }
  return frames;
}

for (const potential of POTENTIALS) {
  const { name, options, isUniversal, perAtom = 1e-5, tolerance } = potential;
  const title = `a trainer has the energies and forces that OnnxModel gives for ${name}`;
  Deno.test({ name: title, ignore: lacks("models") }, async () => {
    const systems = [
      ...Object.values(structuresFor(isUniversal)),
      ...isUniversal ? rattledCrystals().slice(0, 2) : [],
    ];
    const frames = await labeled(potential, systems);
    const most = Math.max(...frames.flatMap(({ forces }) => Array.from(forces as number[])));
    const opened = await openPotential(readModel(`${name}_e.onnx`), { name, ...options });
    // The last batch is an isolated atom alone.
    const isolated = frames.find(({ symbols }) => symbols?.length === 1)!;
    const data = atomsData([...frames, isolated], {
      potential: opened,
      partial: true,
      shuffle: false,
      batchSize: frames.length,
    });
    await using trainer = new Trainer({
      model: opened.model,
      loss: energyForces({ potential: opened, weighted: true }),
      metrics: potentialErrors({ potential: opened, weighted: true }),
      optimizers: adam({ lr: 1e-4 }),
      validation: data,
    });
    const { "val/energyRMSE": energy, "val/forcesRMSE": forces } = await trainer.validate();
    assert(energy! < 1000 * perAtom, `${energy} meV per atom`);
    assert(forces! < 1000 * tolerance * Math.max(0.1, most), `${forces} meV/Å of ${1000 * most}`);
  });
}

for (const name of ["chgnet", "sevennet0"]) {
  const [own, other] = ["chgnet", "sevennet0"].sort((a) => a === name ? -1 : 1)
    .map((one) => POTENTIALS.find((potential) => potential.name === one)!);
  const title = `a few steps with the manifest alone bring ${name} nearer to ${other!.name}`;
  Deno.test({ name: title, ignore: lacks("models") }, async () => {
    const frames = await labeled(other!, rattledCrystals().slice(0, 2));
    const { before, after, epochs, manifest } = await fineTune({
      model: readModel(`${name}_e.onnx`),
      manifest: { ...own!.options },
      train: frames,
      valid: frames,
      batchSize: 2,
      optimizers: adam({ lr: 1e-3 }),
      epochs: 4,
    });
    const losses = epochs.map(({ metrics }) => metrics["train/loss"]!);
    assert(losses.at(-1)! < 0.9 * losses[0]!, losses.join(" "));
    assert(
      after!["val/forcesRMSE"]! < before!["val/forcesRMSE"]!,
      JSON.stringify({ before, after }),
    );
    assert("Na" in manifest.atomEnergies!);
  });
}
