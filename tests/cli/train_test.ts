import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inputs } from "./argon_frames.ts";
import { hooke, tempFolder } from "./session.ts";

const COMMON = ["--set", "modelOptions.cutoff=5", "--runtime", "web"];

Deno.test("fine-tune writes a model with smaller errors, a run folder and a table of epochs", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path), out = `${folder.path}/run`;
  const { code, out: text, err } = await hooke([
    "fine-tune",
    model,
    frames,
    ...COMMON,
    "--epochs",
    "6",
    "--lr",
    "0.001",
    "-o",
    out,
  ]);
  assertEquals([code, err], [0, ""]);
  const lines = text.split("\n");
  assertStringIncludes(lines[0]!, "20 frames");
  assertMatch(lines[1]!, /epoch +val loss +val energy MAE meV\/atom +val forces MAE meV\/Å/);
  assertStringIncludes(lines[2]!, "(val: of the validation frames)");
  const losses = lines.slice(3, 9).map((line) => Number(line.trim().split(/\s+/)[1]));
  assert(losses[5]! < losses[0]! / 2, text);
  const [, before, after] = /validation forces MAE: ([\d.]+) → ([\d.]+) meV\/Å {2}[▁-█]{6}/.exec(
    text,
  )!;
  assert(Number(after) < Number(before) / 2, text);
  const files = [...Deno.readDirSync(out)].map(({ name }) => name);
  for (
    const name of [
      "model.onnx",
      "model.json",
      "model.ref.json",
      "config.json",
      "report.html",
      "checkpoints",
    ]
  ) {
    assert(files.includes(name), `${name} of ${files.join()}`);
  }
  const { config } = JSON.parse(await Deno.readTextFile(`${out}/config.json`));
  assertEquals([config.command, config.lr, config.batchSize, config.elementEnergies], [
    "fine-tune",
    0.001,
    4,
    "shift",
  ]);
  assertMatch(config.modelSha256, /^[0-9a-f]{64}$/);
  const inspected = await hooke(["inspect", out]);
  assertMatch(
    inspected.out,
    /\n {2}epochs {4}6 of 6\n {2}best {6}epoch \d, loss [\d.e-]+ of the val/,
  );
  assertMatch(inspected.out, /[▁-█]{6} {2}validation forcesMAE, [\d.]+ to [\d.]+ meV/);
  const energy = await hooke([
    "singlepoint",
    `${frames}@0`,
    "--model",
    `${out}/model.onnx`,
    "-o",
    `${folder.path}/e.xyz`,
  ]);
  assertEquals([energy.code, energy.err], [0, ""]);
});

Deno.test("train takes the options of mace_run_train, and fits energies of elements", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path, "REF_"), out = `${folder.path}/run`;
  const { code, out: text, err } = await hooke([
    "train",
    "--model",
    model,
    "--train_file",
    frames,
    "--valid_fraction",
    "0.2",
    "--energy_key",
    "REF_energy",
    "--forces_key",
    "REF_forces",
    "--batch_size",
    "8",
    "--max_num_epochs",
    "3",
    "--lr",
    "0.002",
    "--ema",
    "--patience",
    "2",
    ...COMMON,
    "--json",
    "-o",
    out,
  ]);
  assertEquals([code, err], [0, ""]);
  const events = text.split("\n").map((line) => JSON.parse(line));
  assertEquals(events.map(({ type }) => type), ["epoch", "epoch", "epoch", "end"]);
  assert(
    Number.isFinite(events[0]["val/forcesMAE"]) &&
      events[3].after["val/loss"] < events[3].before["val/loss"],
    text,
  );
  const { config } = JSON.parse(await Deno.readTextFile(`${out}/config.json`));
  assertEquals([
    config.command,
    config.ema,
    config.patience,
    config.validFraction,
    config.elementEnergies,
  ], ["train", true, 2, 0.2, "fit"]);
});

Deno.test("an interrupted training continues with --restart-latest and gives the same model", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path);
  const args = ["fine-tune", model, frames, ...COMMON, "--epochs", "5", "--lr", "0.001"];
  const at = (name: string) => ["-o", `${folder.path}/${name}`];
  await hooke([...args, ...at("whole")]);
  const stop = new AbortController();
  const first = await hooke([...args, ...at("parts")], {
    signal: stop.signal,
    onLine: (line) => /^ +2 /.test(line) && stop.abort("SIGINT"),
  });
  assertEquals(first.code, 130);
  assertStringIncludes(first.err, "Interrupted; a checkpoint is saved");
  const second = await hooke([...args, ...at("parts"), "--restart-latest"]);
  assertEquals(second.code, 0);
  assertMatch(second.out, /Resuming at step (10|11)/);
  const [whole, parts] = await Promise.all(
    ["whole", "parts"].map((name) => Deno.readFile(`${folder.path}/${name}/model.onnx`)),
  );
  assertEquals(whole, parts);
});

Deno.test("a training goes on for more epochs, by --restart-latest and by resume, with its own options", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path), out = `${folder.path}/run`;
  const args = ["fine-tune", model, frames, ...COMMON, "--valid-fraction", "0", "-o", out];
  const first = await hooke([...args, "--epochs", "2"]);
  assertMatch(
    first.out,
    /\n epoch +train loss +train energy MAE.*\n +\(train: of the training frames/,
  );
  assertMatch(first.out, /\n +2( +[\d.e-]+){3}\n/);
  const more = await hooke([...args, "--restart-latest", "--epochs", "3", "--patience", "9"]);
  assertEquals([more.code, more.err], [0, ""]);
  assertMatch(more.out, /\n +3 +[\d.]/);
  const again = await hooke(["resume", out, "--epochs", "4"]);
  assertEquals([again.code, again.err], [0, ""]);
  assertMatch(again.out, /\n +4 +[\d.]/);
  const { config } = JSON.parse(await Deno.readTextFile(`${out}/config.json`));
  assertEquals([config.epochs, config.patience, config.command], [4, 9, "fine-tune"]);
  const other = await hooke([...args, "--restart-latest", "--lr", "0.5"]);
  assertEquals(other.code, 2);
  assertMatch(other.err, /options: --lr was 0\.0001 and is 0\.5\. To go on .*: .* resume .*run\./);
  const steps = await hooke(["resume", out, "--steps", "3"]);
  assertMatch(steps.err, /with --steps: a training goes on with its options, except --epochs/);
});

Deno.test("train and fine-tune say what is missing", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path);
  const said = async (...args: string[]) => {
    const { code, err } = await hooke(args);
    return `${code} ${err}`;
  };
  assertMatch(await said("fine-tune"), /^2 Cannot fine-tune without a model: pass an \.onnx file/);
  assertMatch(await said("train", model), /^2 Cannot train without frames/);
  assertMatch(
    await said("train", `${model}x`, frames),
    /^2 Cannot use --model .*onnxx: no such file/,
  );
  assertMatch(
    await said("train", model, frames, "--restart-latest"),
    /^2 Cannot restart without a folder/,
  );
  assertMatch(
    await said(
      "train",
      model,
      frames,
      "--energy-key",
      "nothing",
      "-o",
      `${folder.path}/x`,
      ...COMMON,
    ),
    /^2 Cannot train: no frame has "nothing" \(energy\); the frames have energy\. Pass --energy-key energy, or/,
  );
  await Deno.mkdir(`${folder.path}/ref`);
  const { frames: others } = await inputs(`${folder.path}/ref`, "REF_");
  assertMatch(
    await said("fine-tune", model, others, "-o", `${folder.path}/x`, ...COMMON),
    /^2 .*"energy" \(energy\); the frames have REF_energy\. Pass --energy-key REF_energy, or/,
  );
  assertMatch(
    await said("fine-tune", model, others, "--energy-key", "REF_energy", ...COMMON),
    /^2 .*"forces" \(forces\); the frames have REF_forces\. Pass --forces-key REF_forces, or --forces/,
  );
});

Deno.test("a training is replaced by --overwrite", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path), out = `${folder.path}/run`;
  const args = ["train", model, frames, ...COMMON, "-o", out, "--epochs", "1", "-q"];
  const idOf = async () => JSON.parse(await Deno.readTextFile(`${out}/config.json`)).id;
  assertEquals((await hooke(args)).code, 0);
  const id = await idOf(), again = await hooke([...args, "--overwrite"]);
  assertEquals([again.code, again.err, await idOf() === id], [0, "", false]);
});

Deno.test("a training that fails before its first step leaves no folder", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path), out = `${folder.path}/run`;
  const args = ["train", model, frames, ...COMMON, "-o", out, "--set", "modelOptions.foo=1"];
  const { code, err } = await hooke(args);
  assert(code > 0, err);
  const wrong = await hooke([...args, "--valid-fraction", "1"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.err, "Cannot use --valid-fraction 1: it must be below 1");
  assertEquals(
    await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name).then((x) => x.sort()),
    [
      "frames.xyz",
      "pairs.onnx",
    ],
  );
});
