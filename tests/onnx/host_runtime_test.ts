/** The choice between native code and WebAssembly where onnxruntime-node is not installed. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openSession } from "@hooke/hooke/onnx";
import { Trainer } from "@hooke/hooke/training";
import { explain } from "../../src/onnx/session/session_errors.ts";
import { reasonOf } from "../../src/onnx/session/native/native_runtime.ts";
import { DOUBLE } from "./tiny_model.ts";

Deno.test("auto without the package is web, and notes the reason; an unknown runtime is refused", async () => {
  await using session = await openSession(DOUBLE);
  assertEquals(session.device, "wasm");
  assertEquals(
    session.note,
    "onnxruntime-node is not used: the package onnxruntime-node is not installed",
  );
  await using web = await openSession(DOUBLE, { runtime: "web" });
  assertEquals([web.device, web.note], ["wasm", ""]);
  await assertRejects(
    () => openSession(DOUBLE, { runtime: "fast" as never }),
    RangeError,
    'runtime must be auto, native or web; got "fast"',
  );
  const options = { model: DOUBLE, loss: "mse", optimizers: {}, runtime: "evaluator" } as never;
  assertThrows(() => new Trainer(options), RangeError, "runtime must be one of auto, native, web");
});

Deno.test("without --allow-ffi auto is web without a prompt, and native is an error that names the flag", async () => {
  const program = `
    import { openSession } from ${JSON.stringify(import.meta.resolve("../../src/onnx/mod.ts"))};
    import { DOUBLE } from ${JSON.stringify(import.meta.resolve("./tiny_model.ts"))};
    await using session = await openSession(DOUBLE);
    console.log(session.device, session.note);
    await openSession(DOUBLE, { runtime: "native" }).catch((error) =>
      console.log(error.name, error.reason, error.message)
    );`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-read",
      "--no-prompt",
      "--no-check",
      `--config=${import.meta.dirname}/../../deno.json`,
      "--ext=ts",
      `data:text/typescript,${encodeURIComponent(program)}`,
    ],
  }).output();
  assertEquals(new TextDecoder().decode(stdout).trim().split("\n"), [
    "wasm onnxruntime-node is not used: Deno runs without --allow-ffi",
    "BackendUnavailableError absent Cannot open a model with the native runtime: Deno runs without --allow-ffi. " +
    'Install the npm package onnxruntime-node and, in Deno, pass --allow-ffi; or use runtime: "auto"',
  ]);
});

Deno.test("a package that is installed and does not load is not called missing", () => {
  const missing = [
    'Import "onnxruntime-node" not a dependency and not in import map from "file:///x.ts"',
    'Relative import path "onnxruntime-node" not prefixed with / or ./ or ../',
    "Cannot find package 'onnxruntime-node' imported from /x.mjs",
    'npm package not found in cache: "onnxruntime-node", --cached-only is specified.',
  ];
  for (const text of missing) {
    assertEquals(reasonOf(new Error(text)), "the package onnxruntime-node is not installed");
  }
  const broken = [
    "/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /x/onnxruntime-node/bin/x.node)",
    "Cannot find module '../bin/napi-v6/linux/riscv64/onnxruntime_binding.node'",
  ];
  for (const text of broken) {
    const reason = `onnxruntime-node does not load here (${text})`;
    assertEquals(reasonOf(new TypeError(`${text}\nRequire stack:\n- /x.js`)), reason);
  }
});

Deno.test("errors name the package that runs the session", () => {
  const packages = [
    ["native", "onnxruntime-node"],
    ["wasm", "onnxruntime-web"],
    ["webgpu", "onnxruntime-web"],
  ] as const;
  for (const [device, name] of packages) {
    const messageOf = (said: string, during: "run" | "create") =>
      explain(new Error(said), { name: "m", device, during }).message;
    assertEquals(messageOf("odd", "run"), `Cannot run m: ${name} refused the inputs: odd`);
    assertEquals(messageOf("odd", "create"), `Cannot open m: ${name} refused the model: odd`);
    const strange = messageOf("No opset import for domain 'my.own'", "create");
    assertEquals(strange.includes(`operators of my.own, which ${name} does not have`), true);
  }
});
