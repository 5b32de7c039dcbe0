/** Wrong manifests of real potentials, each found by a reference that PyTorch's traced forces made. */
import { Batch, NVE } from "@hooke/hooke";
import { atomicNumber } from "@hooke/hooke/batch";
import { openWebGpu } from "@hooke/hooke/backend";
import { ModelMismatchError, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { device, lacksGpu } from "../backend/gpu.ts";
import { lacks } from "../machine.ts";
import { modelTest, readModel } from "../onnx/shared_models.ts";
import { fileOf, type Labeled, labeled, referenceOf } from "./made_reference.ts";
import {
  POTENTIALS,
  rattledCrystals,
  type RealPotential,
  structuresFor,
} from "./real_potentials.ts";

const NAMES = ["ani1x_1", "sevennet0", "chgnet"];

/** Returns rattled crystals and molecules of a potential. */
function structuresOf({ isUniversal }: RealPotential): Labeled[] {
  const { water, ammonia, ...others } = structuresFor(isUniversal);
  const crystals = isUniversal ? rattledCrystals().filter((_, i) => i !== 2) : [];
  return [
    labeled("water", water!),
    labeled("ammonia", ammonia!),
    labeled("rattled", others["rattled, of two elements"]!),
    ...crystals.map((crystal, i) => labeled(`crystal ${i}`, crystal)),
  ];
}

/** Returns wrong manifests by what is wrong in them. */
function wrongManifests(
  { options: { cutoff = 5, reach, triplets, elements }, elements: own }: RealPotential,
  symbols: readonly string[],
): Record<string, OnnxModelOptions> {
  const numbers = (by: number) =>
    Object.fromEntries(
      symbols.map((symbol) => [symbol, (own?.indexOf(symbol) ?? atomicNumber(symbol)) + by]),
    );
  const zeros = Object.fromEntries(symbols.map((symbol) => [symbol, 0]));
  const list = Array.isArray(elements) ? { reversed: { elements: elements.toReversed() } } : {};
  return {
    "unit of energy": { energyUnit: "Hartree" },
    "unit of energy, kcal/mol": { energyUnit: "kcal/mol" },
    "unit of length": { lengthUnit: "Bohr" },
    "unit of length, nm": { lengthUnit: "nm" },
    "shifted elements": { elements: numbers(1) },
    ...list,
    "short cutoff": { cutoff: Math.max(reach ?? 0, 0.7 * cutoff) },
    ...(reach === undefined ? {} : {
      "short reach": { reach: 0.7 * reach },
      "order of triplets": { triplets: triplets === "ordered" ? "unordered" : "ordered" },
    }),
    "missing energies of free atoms": { atomEnergies: zeros },
    "halved energy": { outputs: { energy: { tensor: "energy", scale: 0.5 } } },
  };
}

for (const potential of POTENTIALS.filter(({ name }) => NAMES.includes(name))) {
  const { name } = potential;
  modelTest(`a reference of ${name} finds every wrong manifest`, async () => {
    const structures = structuresOf(potential);
    const symbols = [...new Set(structures.flatMap((structure) => structure.symbols))];
    const atomEnergies = Object.fromEntries(symbols.map((symbol, i) => [symbol, -13.6 * (i + 1)]));
    const right = { name, ...potential.options, atomEnergies };
    const bytes = readModel(`${name}_e.onnx`);
    const reference = fileOf(
      await referenceOf(readModel(`${name}_ef.onnx`), right, structures, bytes),
    );
    await using model = await OnnxModel.open(bytes, { ...right, reference });
    assert(/^agrees with its reference .* forces/m.test(model.describe()), model.describe());
    for (const [what, change] of Object.entries(wrongManifests(potential, symbols))) {
      const error = await assertRejects(
        () => OnnxModel.open(bytes, { ...right, ...change, reference }),
        ModelMismatchError,
        undefined,
        what,
      );
      const isClear = /agrees with \{|atomEnergies|its forces are 0\.5|number \d+ to the model/;
      assert(isClear.test(error.message), error.message);
    }
  });
}

Deno.test({
  name: "ANI-1x is compared with its reference before it first runs on WebGPU, once per device",
  ignore: lacks("models") || lacksGpu(),
  fn: async () => {
    const potential = POTENTIALS.find(({ name }) => name === "ani1x_1")!;
    const structures = structuresOf(potential), bytes = readModel("ani1x_1_e.onnx");
    const reference = fileOf(await referenceOf(bytes, potential.options, structures));
    const backend = await openWebGpu({ device: device! });
    try {
      for (const _ of [1, 2]) {
        await using model = await OnnxModel.open(bytes, { ...potential.options, reference });
        const { symbols, positions } = structures[0]!;
        await using md = new NVE({ model, dt: 0.1, backend, onWarning: () => {} });
        await md.run(Batch.from([{ symbols, positions }]), 2);
        assertEquals(model.describe().match(/^agrees .* on (wasm|webgpu)$/gm)?.length, 2);
      }
    } finally {
      backend.dispose();
    }
  },
});
