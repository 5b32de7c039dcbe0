/** Passes keep the energies and forces of real potentials that PyTorch computed, in WebAssembly and in native code. */
import { assert } from "@std/assert";
import {
  dataOf,
  type HostFeed,
  openSession,
  PROCESSOR_FORCE_PASSES,
  withForces,
} from "../../../src/onnx/mod.ts";
import { POTENTIALS } from "../../models/real_potentials.ts";
import { fromReference, numbersOf, worst } from "../ort.ts";
import { modelTest, readModel, readReference } from "../shared_models.ts";

/** Passes that must change some potential, and that potential. */
const CHANGING: Readonly<Record<string, string>> = {
  contractSmallFirst: "sevennet0",
  matMulToMul: "sevennet0",
  multiplyBeforeGather: "chgnet",
  reduceLastAxis: "ani1x_1",
  repeatShortAxes: "sevennet0",
  selectRowsFirst: "ani1x_1",
  shareActivations: "sevennet0",
};

for (const { name, tolerance, perAtom = 1e-5 } of POTENTIALS) {
  modelTest(`${name}: energies and forces agree with PyTorch after all passes`, async () => {
    const { inputs, outputs } = readReference(name);
    const feeds: Record<string, HostFeed> = Object.fromEntries(
      Object.entries(inputs).map(([input, tensor]) => {
        const { data, dims } = fromReference(tensor);
        return [input, { data: data as Float32Array, dims }];
      }),
    );
    const { bytes, report } = withForces(readModel(`${name}_e.onnx`), {
      passes: PROCESSOR_FORCE_PASSES,
    });
    for (const pass of PROCESSOR_FORCE_PASSES.filter((pass) => CHANGING[pass] === name)) {
      const changes = report.passes.filter((each) => each.name === pass && each.changed > 0);
      assert(changes.length > 0, `${pass} changed nothing`);
    }
    const [energy, forces] = ["energy", "forces"]
      .map((output) => numbersOf(fromReference(outputs[output]!)));
    const atoms = inputs["positions"]!.dims[0]!;
    for (const runtime of ["web", "native"] as const) {
      await using session = await openSession(bytes, { runtime });
      const made = await session.run(feeds, ["energy", "forces"]);
      const energies = dataOf(made, "energy", "float32");
      const apart = Math.max(...energy!.map((value, i) => Math.abs(value - energies[i]!)));
      assert(apart < perAtom * atoms, `${runtime}: energies are off by ${apart} eV`);
      const off = worst(dataOf(made, "forces", "float32"), forces!);
      assert(off < tolerance, `${runtime}: forces are off by ${off}`);
    }
  });
}
