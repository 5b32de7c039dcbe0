/** Fine-tuning in one call, against a potential that made the frames. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { openBackend } from "../../../src/backend/mod.ts";
import { Batch, System } from "../../../src/batch/mod.ts";
import { hook } from "../../../src/hook.ts";
import { evaluateModel } from "../../../src/models/evaluate.ts";
import { OnnxModel } from "../../../src/models/onnx.ts";
import { decodeModel, GraphBuilder, tensorValues } from "../../../src/onnx/mod.ts";
import { ConsoleLog } from "../../../src/observe/mod.ts";
import { adam, fineTune, type FineTuneOptions } from "../../../src/training/mod.ts";
import { MANIFEST, pairFrames, pairsModel } from "./pairs_model.ts";

const SHIFT = -7.25;
const teacher = pairsModel(0.02);
const frames = await pairFrames(teacher, 12, SHIFT);
const KEYS = { energy: "REF_energy", forces: "REF_forces", stress: "REF_stress" } as const;
const plain = {
  ...KEYS,
  model: pairsModel(0.016),
  manifest: MANIFEST,
  train: frames,
  device: "reference",
  seed: 1,
} satisfies FineTuneOptions;
const still = { ...plain, model: teacher, optimizers: adam({ lr: 1e-12 }), epochs: 1 };

/** A frame without some of what it has. */
function without(frame: System, ...keys: readonly string[]): System {
  const { symbols, positions, cell, pbc } = frame;
  const info = Object.fromEntries(
    Object.entries(frame.info).filter(([key]) => !keys.includes(key)),
  );
  return new System({ symbols, positions, cell, pbc: Array.from(pbc, Boolean), info });
}
function tensorsOf(model: Uint8Array): Record<string, number[]> {
  const { initializer } = decodeModel(model).graph!;
  return Object.fromEntries(
    initializer.map((tensor) => [tensor.name, Array.from(tensorValues(tensor), Number)]),
  );
}

Deno.test("fineTune() learns energies, forces and stresses, and writes what gives the totals of the data", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const out = `${folder}/tuned.onnx`, lines: string[] = [];
    // Two frames have energies alone.
    const train = [without(frames[0]!, "REF_stress"), without(frames[1]!, "REF_stress")];
    const { before, after, epochs, elementEnergies, manifest, outcome, parameters } =
      await fineTune({
        ...plain,
        device: "wasm",
        train: [...train, ...frames.slice(2, 9)],
        valid: frames.slice(9),
        weights: { energy: 1, forces: 1, stress: 100 },
        stressUnit: "GPa",
        elementEnergies: { Ar: SHIFT },
        optimizers: adam({ lr: 1e-3 }),
        epochs: 12,
        batchSize: 3,
        hooks: [new ConsoleLog({ write: (line) => lines.push(line) })],
        out,
      });
    assertEquals([outcome.status, epochs.length], ["completed", 12]);
    assert(lines.some((line) => /val\/forcesMAE [\d.]+/.test(line)), lines.join("\n"));
    assertEquals(parameters.map(({ name }) => name), ["net.heights", "net.scale"]);
    for (const name of ["energy", "forces", "stress"]) {
      for (const kind of ["MAE", "RMSE"]) {
        const [then, now] = [before, after].map((metrics) => metrics![`val/${name}${kind}`]!);
        assert(now! < then! / 2, `${name}${kind}: ${then} ${now}`);
        assertEquals(epochs.at(-1)!.metrics[`val/${name}${kind}`], now);
        assert(epochs[0]!.metrics[`train/${name}${kind}`]! > 0);
      }
    }
    assertEquals(JSON.parse(await Deno.readTextFile(`${folder}/tuned.json`)), manifest);
    assertEquals(manifest, { ...MANIFEST, atomEnergies: elementEnergies! } as never);
    // It is compared with its reference when it is opened; its notes alone are enough as well.
    await using model = await OnnxModel.open(out);
    const [frame] = frames.slice(9);
    const { energy } = await evaluateModel(model, Batch.from([bare(frame!)]), openBackend("wasm"));
    const off = 1000 * Math.abs(energy[0]! - Number(frame!.info.REF_energy)) / 4;
    assert(off < 3 * after!["val/energyRMSE"]! + 0.01, `${off} meV per atom`);
    const reference = JSON.parse(await Deno.readTextFile(`${folder}/tuned.ref.json`));
    assertEquals([reference.structures.length, reference.stress[0].length], [2, 9]);
    assertAlmostEquals(reference.energy[0], energy[0]!, 1e-5);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function bare({ symbols, positions, cell, pbc }: System) {
  return { symbols, positions, cell, pbc: Array.from(pbc, Boolean) };
}

Deno.test("energies of elements: a shift, a fit, those of the manifest, or a table", async () => {
  const of = async (options: Partial<FineTuneOptions>) =>
    (await fineTune({ ...still, ...options })).elementEnergies;
  assertAlmostEquals((await of({}))!.Ar!, SHIFT, 1e-5);
  const own = { ...MANIFEST, atomEnergies: { Ar: -7, Kr: -9 } };
  const shifted = await of({ elementEnergies: "shift", manifest: own });
  assertAlmostEquals(shifted!.Ar!, SHIFT, 1e-5);
  assertEquals(shifted!.Kr, -9);
  const mean = frames.reduce((sum, { info }) => sum + Number(info.REF_energy) / 4 / 12, 0);
  const fitted = await of({ elementEnergies: "fit", valid: 0 });
  assertAlmostEquals(fitted!.Ar!, mean, 1e-9);
  assertEquals(await of({ elementEnergies: "keep" }), undefined);
  assertEquals(await of({ elementEnergies: "keep", manifest: own }), { Ar: -7, Kr: -9 });
  assertEquals(await of({ elementEnergies: { Ar: -1 }, manifest: own }), { Ar: -1, Kr: -9 });
  assertEquals(await of({ weights: { energy: 0 } }), undefined);
});

Deno.test("a model that made the frames itself has no errors after the shift", async () => {
  const { before, epochs } = await fineTune({ ...still, weights: { stress: 1 } });
  for (const name of ["energy", "forces", "stress"]) {
    assert(before![`val/${name}RMSE`]! < 0.01, `${name}: ${before![`val/${name}RMSE`]}`);
    assert(epochs[0]!.metrics[`train/${name}MAE`]! < 0.01);
  }
  const only = await fineTune({ ...still, forces: false, valid: 0 });
  assertEquals([only.before, only.after], [undefined, undefined]);
  const names = Object.keys(only.epochs[0]!.metrics).filter((name) => /MAE/.test(name));
  assertEquals(names, ["train/energyMAE"]);
});

Deno.test("what is frozen keeps its bits, and adapters end up in the matrices", async () => {
  const before = tensorsOf(plain.model);
  const options = { ...plain, optimizers: adam({ lr: 1e-3 }), epochs: 1 };
  const frozen = tensorsOf((await fineTune({ ...options, freeze: "*.scale" })).model);
  assertEquals(frozen["net.scale"], before["net.scale"]);
  assertNotEquals(frozen["net.heights"], before["net.heights"]);
  const adapted = await fineTune({ ...options, lora: { rank: 1 } });
  assertEquals(adapted.parameters.map(({ name }) => name), [
    "net.heights.lora_A",
    "net.heights.lora_B",
  ]);
  const tensors = tensorsOf(adapted.model);
  assertEquals(Object.keys(tensors), Object.keys(before));
  assertEquals(tensors["net.scale"], before["net.scale"]);
  assertNotEquals(tensors["net.heights"], before["net.heights"]);
  const both = await fineTune({ ...options, lora: { rank: 1 }, parameters: "net.scale" });
  assertNotEquals(tensorsOf(both.model)["net.scale"], before["net.scale"]);
});

Deno.test("replayed frames keep to the reference of the potential, and their elements stay", async () => {
  const old = frames.slice(0, 3).map((frame) =>
    new System({
      ...bare(frame),
      symbols: Array(4).fill("Kr"),
      info: { ...frame.info, REF_energy: Number(frame.info.REF_energy) - 4 * SHIFT },
    })
  );
  const replay = { systems: old, ratio: 0.5, weight: 0.3, partial: true };
  const { epochs, elementEnergies } = await fineTune({ ...still, replay, weights: { forces: 0 } });
  // The species does not enter the energy, so both are without errors.
  assert(
    epochs[0]!.metrics["train/energyRMSE"]! < 0.01,
    `${epochs[0]!.metrics["train/energyRMSE"]}`,
  );
  assertEquals(elementEnergies!.Kr, 0);
  assertAlmostEquals(elementEnergies!.Ar!, SHIFT, 1e-5);
});

Deno.test("verify is the comparison with the reference, and verifyHooks the check of observers", async () => {
  const writes = hook({
    name: "writes",
    on: { training: { AFTER_LOSS: (ctx) => void ((ctx as { loss: number }).loss = 0) } },
  });
  const warned = async (checks: Pick<FineTuneOptions, "verify" | "verifyHooks">) => {
    const warnings: string[] = [];
    const onWarning = ({ hook }: { hook: string }) => void warnings.push(hook);
    const train = frames.slice(0, 1);
    await fineTune({ ...still, train, valid: 0, hooks: [writes], onWarning, ...checks });
    return warnings.length > 0;
  };
  assertEquals(await warned({ verify: true }), false);
  assertEquals(await warned({ verifyHooks: true }), true);
});

Deno.test("what cannot be tuned is refused, and says why", async () => {
  const rejects = (options: object, error: typeof TypeError, text: string) =>
    assertRejects(() => fineTune({ ...plain, ...options }), error, text);
  await rejects({ rate: 1 }, TypeError, "rate");
  await rejects({ valid: 1 }, RangeError, "valid must be an iterable of systems, or a fraction");
  for (const references of [0, -1, 1.5]) {
    await rejects({ references }, RangeError, "references must be a positive integer");
  }
  await rejects({ elementEnergies: "refit" }, RangeError, '"shift", "fit", "keep"');
  await rejects({ forces: "forces" }, RangeError, 'systems has "forces"');
  const { forces: _, ...rest } = plain; // the key of forces is forgotten
  await assertRejects(() => fineTune(rest), RangeError, "to leave it out, pass forces: false");
  await rejects({ stress: "REF_virial", weights: { stress: 1 } }, RangeError, "none of");
  const g = new GraphBuilder("forces"), x = g.input("positions", "f32", ["N", 3]);
  g.output("forces", g.mul(x, g.parameter("k", [1], [1])), ["N", 3]);
  await rejects(
    { model: g.build(), manifest: {} },
    RangeError,
    "on energies: no output is recognized as these",
  );
});
