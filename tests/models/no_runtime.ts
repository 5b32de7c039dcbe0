// Runs a model in a process and prints whether onnxruntime was loaded. Started by a test.
import { Batch, fcc, NVE, rattle } from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";

if (import.meta.main) {
  const [file, runtime] = Deno.args;
  // When onnxruntime is loaded, it first reads its own location.
  const { process } = globalThis as unknown as { readonly process: unknown };
  let isLoaded = false;
  Object.defineProperty(globalThis, "process", {
    get() {
      isLoaded ||= new Error().stack?.includes("onnxruntime-web") === true;
      return process;
    },
  });
  await using model = await OnnxModel.open(file!, runtime === "evaluator" ? { runtime } : {});
  const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.1, 1)]);
  for (const device of ["reference", "wasm"] as const) {
    await using md = new NVE({ model, dt: 1, device });
    await md.run(batch, 2);
  }
  console.log(isLoaded ? "onnxruntime was loaded" : "no onnxruntime was loaded");
}
