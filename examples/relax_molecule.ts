/**
 * Relaxes a molecule of ethanol over ANI-1x, from a file that gives energies only: its forces are made when it is
 * opened.
 *
 * Run: `deno run -A examples/relax_molecule.ts [ani1x_1_e.onnx]`
 */
import { Batch, ConvergenceHook, FIRE, hook, rattle, System } from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";

const FOLDER = Deno.env.get("HOOKE_MODELS") ??
  new URL("../../shared/models", import.meta.url).pathname;
const file = Deno.args[0] ?? `${FOLDER}/ani1x_1_e.onnx`;

// Å; atoms 0 and 1 are the carbons, 2 the oxygen.
const ethanol = new System({
  symbols: ["C", "C", "O", "H", "H", "H", "H", "H", "H"],
  positions: [
    ...[1.17, -0.4, 0, 0, 0.55, 0, -1.19, -0.21, 0],
    ...[-1.94, 0.38, 0, 2.1, 0.19, 0, 1.15, -1.04, 0.89],
    ...[1.15, -1.04, -0.89, 0.04, 1.19, 0.89, 0.04, 1.19, -0.89],
  ],
});
const BONDS = [["C–C", 0, 1], ["C–O", 1, 2], ["O–H", 2, 3], ["C–H", 0, 4]] as const;

await using model = await OnnxModel.open(file, {
  cutoff: 5.2,
  reach: 3.5,
  elements: ["H", "C", "N", "O"],
});
const batch = Batch.from([rattle(ethanol, 0.08, 1)]);

let fmax = 0;
const watch = hook({
  name: "watch",
  frequency: 10,
  atEnd: true,
  reads: ["energy", "fmax"],
  on: {
    dynamics: {
      AFTER_STEP: ({ stepCount, read }) => {
        fmax = read.fmax[0]!;
        console.log(
          `step ${stepCount}: energy ${read.energy[0]!.toFixed(4)} eV, fmax ${
            fmax.toFixed(4)
          } eV/Å`,
        );
      },
    },
  },
});
await using opt = new FIRE({
  model,
  dt: 0.1,
  nSteps: 500,
  hooks: [ConvergenceHook.fromFmax(0.01), watch],
});
await opt.run(batch);

const made = model.describe().split("\n").find((line) => line.startsWith("forces by"));
console.log(made ?? "forces of its own");
console.log(
  `relaxed in ${batch.get("stepsDone")[0]} steps: ${batch.get("energy")[0]!.toFixed(4)} eV`,
);
const positions = batch.get("positions");
for (const [name, i, j] of BONDS) {
  const vector = [0, 1, 2].map((k) => positions[3 * i + k]! - positions[3 * j + k]!);
  console.log(`${name} ${Math.hypot(...vector).toFixed(3)} Å`);
}
if (batch.get("status")[0] !== 1) {
  console.error(`not relaxed: fmax is ${fmax.toFixed(4)} eV/Å`);
  Deno.exitCode = 1;
}
