/**
 * Relaxes a molecule of ethanol with ANI-1x, from a file that gives energies only: its forces are made when it is
 * opened. Another potential needs its manifest beside it (docs/models.md): x.json for x.onnx.
 *
 * Run: `deno run -P=models examples/relax_molecule.ts [ani1x_1_e.onnx]`
 * In a fresh clone `deno task std` goes before it, once.
 */
import {
  Batch,
  ConvergenceHook,
  decodeModel,
  FIRE,
  hook,
  OnnxModel,
  rattle,
  System,
} from "@hooke/hooke";
import type { OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { describeModel } from "@hooke/hooke/onnx";

const HELP = `Relaxes a molecule of ethanol over a potential in an .onnx file.

deno run -P=models examples/relax_molecule.ts [MODEL.onnx]

MODEL.onnx   ANI-1x, or another with its manifest beside it: x.json for x.onnx (ani1x_1_e.onnx)
--help       this

In a fresh clone run deno task std before it, once.`;

if (Deno.args.includes("--help")) {
  console.log(HELP);
  Deno.exit(0);
}
const wrong = Deno.args.find((arg) => arg.startsWith("-"));
if (wrong !== undefined || Deno.args.length > 1) {
  const reason = wrong === undefined ? "It takes one file" : `There is no ${wrong}`;
  console.error(`${reason}; --help says what there is`);
  Deno.exit(2);
}

const FOLDER = Deno.env.get("HOOKE_MODELS") ??
  `${import.meta.dirname}/../../shared/models`;
const file = Deno.args[0] ?? `${FOLDER}/ani1x_1_e.onnx`;

// Å; atoms 0 and 1 are the carbons, 2 the oxygen.
const ethanol = new System({
  symbols: ["C", "C", "O", "H", "H", "H", "H", "H", "H"],
  positions: [
    [1.17, -0.4, 0, 0, 0.55, 0, -1.19, -0.21, 0],
    [-1.94, 0.38, 0, 2.1, 0.19, 0, 1.15, -1.04, 0.89],
    [1.15, -1.04, -0.89, 0.04, 1.19, 0.89, 0.04, 1.19, -0.89],
  ].flat(),
});
const BONDS = [["C–C", 0, 1], ["C–O", 1, 2], ["O–H", 2, 3], ["C–H", 0, 4]] as const;

/** Manifest of ANI-1x, whose files do not contain one. */
const ANI: OnnxModelOptions = { cutoff: 5.2, reach: 3.5, elements: ["H", "C", "N", "O"] };

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(({ isFile }) => isFile, () => false);
}

/**
 * Returns the options of a file: empty if its manifest is beside it. Potentials other than ANI-1x do not have pairs
 * of edges.
 */
async function saidOf(path: string): Promise<OnnxModelOptions> {
  if (await isThere(`${path}.json`) || await isThere(path.replace(/\.onnx$/, ".json"))) return {};
  const bytes = await Deno.readFile(path).catch((error) => {
    throw new Error(`Cannot read ${path}: ${error.message}`, { cause: error });
  });
  const inputs = describeModel(decodeModel(bytes, { name: path })).inputs.map(({ name }) => name);
  if (["trip_center", "trip_edge"].every((name) => inputs.includes(name))) return ANI;
  throw new Error(
    `Cannot relax over ${path}: it must be ANI-1x, or have its manifest beside it (x.json for x.onnx): ` +
      `its inputs are ${inputs.join(", ")}`,
  );
}

/** Opens the model, or exits with an error. */
async function opened(path: string): Promise<OnnxModel> {
  try {
    return await OnnxModel.open(path, await saidOf(path));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}

await using model = await opened(file);
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
