// Runs a model in a process that says whether onnxruntime was loaded for it. Started by a test.
import { Batch, fcc, NVE, rattle } from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";

if (import.meta.main) {
  const [file, runtime] = Deno.args;
  // The first thing it does when it is loaded is to look where it is.
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
