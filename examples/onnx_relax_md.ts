/**
 * Relaxes structures and their cells with a potential in an .onnx file that gives energies, as `hooke-export` writes
 * it, and then simulates them at a temperature for 0.1 ps. The relaxed structures, the trajectory and a log of each
 * run go to a folder, which must not contain them yet.
 *
 * Run: `deno run -P=onnx-files examples/onnx_relax_md.ts MODEL.onnx IN.xyz FOLDER [KELVIN]`
 */
import {
  Batch,
  ConvergenceHook,
  initVelocities,
  LBFGS,
  LoggingHook,
  NVTLangevin,
  OnnxModel,
  openSink,
  parseExtxyz,
  SnapshotHook,
  writeExtxyz,
} from "@hooke/hooke";

const [file, from, folder, kelvin = "300"] = Deno.args;
if (file === undefined || from === undefined || folder === undefined) {
  console.error("It takes a model, structures and a folder: MODEL.onnx IN.xyz FOLDER [KELVIN]");
  Deno.exit(2);
}
await Deno.mkdir(folder, { recursive: true });
for await (const { name } of Deno.readDir(folder)) {
  if (!["relax.csv", "relaxed.xyz", "md.csv", "md.xyz"].includes(name)) continue;
  console.error(`${folder} has ${name} of another run: name another folder`);
  Deno.exit(2);
}

await using model = await OnnxModel.open(file, { stress: true }); // cells relax by stresses
console.log(model.describe());
const batch = Batch.from(parseExtxyz(await Deno.readTextFile(from)));

const log = (name: string) =>
  new LoggingHook({ backend: "csv", logPath: `${folder}/${name}`, frequency: 10, atEnd: true });
await using opt = new LBFGS({
  model,
  cell: true,
  nSteps: 500,
  hooks: [ConvergenceHook.fromFmax(0.01), log("relax.csv")],
});
await opt.run(batch);
const isRelaxed = Array.from(batch.get("status"), (status) => status === 1);
for (const [i, energy] of batch.get("energy").entries()) {
  console.log(i, isRelaxed[i] ? "relaxed" : "not relaxed", `${energy.toFixed(4)} eV`);
}
await Deno.writeTextFile(`${folder}/relaxed.xyz`, writeExtxyz(batch));
if (isRelaxed.includes(false)) Deno.exit(1);

const temperature = Number(kelvin);
initVelocities(batch, temperature, { seed: 1 });
const sink = await openSink(`${folder}/md.xyz`);
await using md = new NVTLangevin({
  model,
  dt: 1,
  temperature,
  friction: 0.01,
  seed: 1,
  hooks: [new SnapshotHook({ sink, frequency: 10, atEnd: true }), log("md.csv")],
});
await md.run(batch, 100);
console.log(`${sink.length} frames, ${md.stepCount} steps at ${temperature} K, in ${folder}`);
await sink.close();
