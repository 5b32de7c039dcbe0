import { assert, assertEquals, assertThrows } from "@std/assert";
import { mlpInput, schnetInput, type StoredTensor } from "../../bench/training/inputs.ts";
import { assertSameLosses } from "../../bench/training/same_losses.ts";
import { hasModels, readReference } from "../onnx/shared_models.ts";

function floatsOf({ b64 }: StoredTensor): Float32Array {
  return new Float32Array(Uint8Array.fromBase64(b64).buffer);
}

Deno.test("mlpInput() gives parameters within one over the root of their inputs, pixels, classes", () => {
  const { parameters, inputs, targets } = mlpInput();
  for (const [name, dims, wide] of [["w1", [256, 784], 784], ["b2", [10], 256]] as const) {
    const values = floatsOf(parameters[name]!), bound = 1 / Math.sqrt(wide);
    assertEquals(parameters[name]!.dims, dims);
    assertEquals(values.length, dims.reduce<number>((product, length) => product * length, 1));
    const largest = values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    assert(largest > bound / 2 && largest <= bound * (1 + 1e-6), `${name}: ${largest}`);
  }
  assert(floatsOf(inputs.x!).every((x) => x >= 0 && x <= 1));
  const labels = new BigInt64Array(Uint8Array.fromBase64(targets.labels!.b64).buffer);
  assertEquals([...labels.subarray(0, 12)], [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 0n, 1n]);
});

Deno.test({
  name: "schnetInput() trains all weights of the file, towards what is beside its reference",
  ignore: !hasModels,
  async fn() {
    const { parameters, constants, targets } = (await schnetInput())!;
    assertEquals(Object.keys(parameters).length, 23);
    assertEquals(Object.keys(constants), ["mu"]);
    const { b64 } = readReference("schnet").outputs.forces!;
    const right = new Float64Array(Uint8Array.fromBase64(b64).buffer);
    const off = floatsOf(targets.forces!).map((value, i) => Math.abs(value - right[i]!));
    const largest = Math.max(...off);
    assert(largest > 0.09 && largest <= 0.1 + 1e-6, `${largest}`);
  },
});

Deno.test("assertSameLosses() refuses a peer whose losses are others, or fewer", () => {
  const ours = { losses: [2, 1] };
  assertSameLosses({ ours, torch: { losses: [2.0001, 1] } });
  const others = [{ losses: [2, 1.001] }, { losses: [2] }];
  for (const torch of others) {
    assertThrows(() => assertSameLosses({ ours, torch }), Error, "Cannot compare with torch");
  }
});
