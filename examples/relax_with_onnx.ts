/**
 * Relaxes all structures of a file at once with a potential in an .onnx file, on the GPU if there is one. A JSON file
 * beside the model describes what the model does not (cutoff, units, elements): docs/models.md. Without files it
 * relaxes three crystals of argon with its own Lennard-Jones graph.
 *
 * Run: `deno run -P=onnx-files examples/relax_with_onnx.ts [MODEL.onnx IN.xyz [OUT.xyz]]`; if OUT.xyz exists, it needs
 * `--overwrite`.
 */
import {
  Batch,
  ConvergenceHook,
  fcc,
  FIRE,
  hook,
  lennardJonesModel,
  OnnxModel,
  parseExtxyz,
  rattle,
  type System,
  writeExtxyz,
} from "@hooke/hooke";

const [file, from, to] = Deno.args.filter((arg) => arg !== "--overwrite");
if (file !== undefined && from === undefined) {
  console.error("It takes a model and structures: MODEL.onnx IN.xyz [OUT.xyz] [--overwrite]");
  Deno.exit(2);
}
const there = to === undefined ? undefined : await realPath(to);
if (there !== undefined && (there === await realPath(file!) || there === await realPath(from!))) {
  console.error(`OUT must be another file than MODEL and IN: ${to}`);
  Deno.exit(2);
}
if (there !== undefined && !Deno.args.includes("--overwrite")) {
  console.error(`${to} exists: add --overwrite to replace it`);
  Deno.exit(2);
}

/** Returns the path of a file with links followed; `undefined` if there is no such file. */
async function realPath(path: string): Promise<string | undefined> {
  return await Deno.realPath(path).catch(() => undefined);
}

function argon(): System[] {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  return [1, 2, 3].map((seed) => rattle(crystal, 0.1, seed));
}

await using model = file === undefined
  ? await OnnxModel.open(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }), {
    name: "argon",
  })
  : await OnnxModel.open(file);
const batch = Batch.from(
  from === undefined ? argon() : parseExtxyz(await Deno.readTextFile(from)),
);

const earlier = [...batch.ensure("stepsDone")]; // the file contains the steps that its systems have done
let before: number[] = [];
const begin = hook({
  name: "begin",
  once: true,
  reads: ["energy"],
  on: { dynamics: { BEFORE_STEP: ({ read }) => void (before = [...read.energy]) } },
});
let fmax: number[] = [];
const end = hook({
  name: "end",
  frequency: 100,
  atEnd: true,
  reads: ["fmax"],
  on: { dynamics: { AFTER_STEP: ({ read }) => void (fmax = [...read.fmax]) } },
});
await using opt = new FIRE({
  model,
  dt: 0.1,
  nSteps: 2000,
  device: "auto",
  hooks: [ConvergenceHook.fromFmax(0.01), begin, end],
});
await opt.run(batch);

console.log(`${model.name} on ${opt.device!.device}`);
for (const { device, reason } of opt.device!.skipped) console.error(`not ${device}: ${reason}`);
console.log("system  atoms  steps  energy before      after / eV  fmax / eV/Å");
const isRelaxed = [...batch.get("status")].map((status) => status === 1);
for (const [i, energy] of batch.get("energy").entries()) {
  const columns = [
    String(i).padEnd(6),
    String(batch.nodeOffsets[i + 1]! - batch.nodeOffsets[i]!).padStart(5),
    String(batch.get("stepsDone")[i]! - earlier[i]!).padStart(5),
    before[i]!.toFixed(4).padStart(13),
    energy.toFixed(4).padStart(15),
    fmax[i]!.toFixed(4).padStart(11),
  ];
  console.log(columns.join("  ") + (isRelaxed[i] ? "" : "  not relaxed"));
}
if (isRelaxed.includes(false)) Deno.exitCode = 1;
if (to !== undefined) await Deno.writeTextFile(to, writeExtxyz(batch));
