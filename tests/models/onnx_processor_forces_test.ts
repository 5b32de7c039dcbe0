/** Passes that only the processor profits from: where they apply, and how to switch them off. */
import { Batch, GraphBuilder, NVE } from "@hooke/hooke";
import { OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { decodeModel, FORCE_PASSES, type Graph, PROCESSOR_FORCE_PASSES } from "@hooke/hooke/onnx";
import { assert, assertEquals, assertRejects } from "@std/assert";

/** E = log(x + y + z) for each helium atom. The product with 0 is NaN for other atoms if their logarithm is. */
function logarithms(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("logarithms");
  const x = g.input("positions", "f32", ["N", 3]), numbers = g.input("numbers", "i64", ["N"]);
  const sums = g.op("MatMul", [x, g.constant("f32", [1, 1, 1], [3, 1])], "f32");
  const isHelium = g.op("Equal", [numbers, g.constant("i64", 2)], "bool");
  const mask = g.op("Cast", [isHelium], "f32", { to: 1 });
  g.output("energy", g.mul(g.squeeze(g.op("Log", [sums], "f32"), [1]), mask), ["N"]);
  return g.build();
}

/** Opens the model and evaluates a helium atom at (e, 0, 0), and a hydrogen atom that has no logarithm. */
async function evaluated(
  options: OnnxModelOptions,
  device: "wasm" | "reference" = "wasm",
): Promise<{ model: OnnxModel; energy: number; forces: Float64Array | Float32Array }> {
  await using model = await OnnxModel.open(logarithms(), options);
  const batch = Batch.from([{ symbols: ["He", "H"], positions: [Math.E, 0, 0, -3, 0, 0] }]);
  await using md = new NVE({ model, dt: 0.1, device });
  await md.run(batch, 0);
  return { model, energy: batch.get("energy")[0]!, forces: batch.get("forces") };
}

Deno.test("networks per element run for their atoms on the processor, and the exported file stays portable", async () => {
  for (const options of [{}, { passes: PROCESSOR_FORCE_PASSES }]) {
    const { model, energy, forces } = await evaluated(options);
    assert(Math.abs(energy - 1) < 1e-6);
    const expected = [-1, -1, -1, 0, 0, 0].map((x) => x / Math.E);
    assert(forces.every((x, i) => Math.abs(x - expected[i]!) < 1e-6), `${forces}`);
    assert(model.describe().includes("on the processor only: selectRowsFirst 1:"));
    const ops = decodeModel(model.export()).graph!.node.map(({ opType }) => opType);
    assertEquals(ops.includes("NonZero"), false);
  }
});

Deno.test("the passes are left out with the option passes, and by the evaluator", async () => {
  await assertRejects(() => evaluated({ passes: FORCE_PASSES }), Error, "diverged");
  await assertRejects(() => evaluated({ runtime: "evaluator" }), Error, "diverged");
  await assertRejects(() => evaluated({}, "reference"), Error, "diverged");
  await using model = await OnnxModel.open(logarithms(), { passes: FORCE_PASSES });
  assertEquals(model.describe().includes("selectRowsFirst"), false);
});

Deno.test("passes that may follow differentiation change the forces for the processor only", async () => {
  const g = new GraphBuilder("scaled"); // E = Σ x · |x|² for each coordinate x
  const x = g.input("positions", "f32", ["N", 3]);
  const square = g.reduceSum(g.mul(x, x), [1], true);
  g.output("energy", g.reduceSum(g.mul(x, square), [1]), ["N"]);
  const bytes = g.build();
  for (const passes of [PROCESSOR_FORCE_PASSES, FORCE_PASSES]) {
    await using model = await OnnxModel.open(bytes, { passes });
    const batch = Batch.from([{ symbols: ["He"], positions: [1, 2, -1] }]);
    await using md = new NVE({ model, dt: 0.1 });
    await md.run(batch, 0);
    // −d/dx_k Σ_i x_i |x|² = −|x|² − 2 x_k Σ_i x_i
    assertEquals([...batch.get("forces")], [-6 - 4, -6 - 8, -6 + 4]);
    const said = model.describe().includes("on the processor only: repeatShortAxes");
    assertEquals(said, passes === PROCESSOR_FORCE_PASSES);
    const ops = decodeModel(model.export()).graph!.node.map(({ opType }) => opType);
    assertEquals(ops.includes("MatMul"), false);
  }
});

Deno.test("a custom pass before those for the processor runs as often as without them", async () => {
  const runs = new Map<object, number>();
  const own = {
    name: "own",
    about: "counts its runs on one model",
    apply({ model }: Graph): number {
      runs.set(model, (runs.get(model) ?? 0) + 1);
      return 0;
    },
  };
  const { energy } = await evaluated({ passes: [own, ...PROCESSOR_FORCE_PASSES] });
  assert(Math.abs(energy - 1) < 1e-6);
  // Before and after differentiation.
  assertEquals(Math.max(...runs.values()), 2);
});
