import { assert, assertStringIncludes } from "@std/assert";
import { lacks, MODELS_FOLDER } from "../machine.ts";
import { runExample } from "./run_example.ts";

Deno.test({
  name: "examples/fine_tune_ani.ts does what it says",
  ignore: lacks("models"),
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      const model = `${MODELS_FOLDER}/ani1x_1_e.onnx`;
      const output = await runExample("fine_tune_ani", model, `${folder}/t.onnx`);
      const off = [...output.matchAll(/ off by ([\d.]+) me?V.* before, ([\d.]+) after$/gm)];
      const [energy, forces] = off.map(([, ...numbers]) => numbers.map(Number));
      assert(energy![1]! < energy![0]! / 2 && forces![1]! < forces![0]! / 3, output);
      assertStringIncludes(output, "trained: W3 [4, 96, 1], b3 [4, 1, 1]\n");
      assertStringIncludes(output, "moved: W3, b3 of 43 tensors\n");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
