/** The door on wasm: what it opens, what it gives, and what it says when it cannot. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { dataOf, openSession, type SessionOptions, withRuntime } from "../../src/onnx/mod.ts";
import { openSessionHere } from "../../src/onnx/session/open_session.ts";
import {
  attribute,
  DOUBLE,
  farWeight,
  graphAttribute,
  graphOf,
  modelOf,
  node,
  unary,
  value,
  weight,
} from "./tiny_model.ts";

const ROW = { x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] } };

/** The rejection of something, which must be of this class and have these words. */
async function refused<E extends Error>(
  act: () => Promise<unknown>,
  // deno-lint-ignore no-explicit-any -- errors differ in what makes them
  kind: abstract new (...args: any[]) => E,
  ...words: string[]
): Promise<E> {
  const error = await assertRejects(act, kind);
  assertEquals(error.constructor, kind);
  for (const word of words) assertStringIncludes(error.message, word);
  assert(/^Cannot .*(: |: ).*/s.test(error.message), error.message);
  return error;
}

Deno.test("a session opens from bytes, paths and addresses, and errors name its file", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/my #1 model.onnx`;
  await Deno.writeFile(path, DOUBLE);
  const server = Deno.serve(
    { port: 0, onListen: () => {} },
    (request) =>
      request.url.endsWith("double.onnx")
        ? new Response(DOUBLE)
        : new Response("gone", { status: 404 }),
  );
  const origin = `http://localhost:${server.addr.port}`;
  const url = new URL(`file://${folder}/${encodeURIComponent("my #1 model.onnx")}`);
  const here = Deno.cwd();
  try {
    Deno.chdir(folder);
    const sources: Array<[Parameters<typeof openSession>[0], string]> = [
      [DOUBLE, "a model"],
      [DOUBLE.buffer, "a model"],
      [path, "my #1 model.onnx"],
      ["my #1 model.onnx", "my #1 model.onnx"],
      [url, "my #1 model.onnx"],
      [url.href, "my #1 model.onnx"],
      [`${origin}/double.onnx`, "double.onnx"],
      [`data:application/octet-stream;base64,${DOUBLE.toBase64()}`, "a model in a data: address"],
    ];
    for (const [source, name] of sources) {
      await using session = await openSession(source);
      assertEquals(session.name, name);
      assertEquals(dataOf(await session.run(ROW), "y", "float32"), Float32Array.of(2, 4, 6));
    }
    await refused(() => openSession(`${origin}/no.onnx`), Error, "no.onnx", "404");
    const { cause } = await refused(() => openSession("no.onnx"), Error, "no.onnx", "ENOENT");
    assertEquals((cause as { code: string }).code, "ENOENT");
    // A path does not lead to the network, nor an address to a folder.
    await refused(() => openSession("http.onnx"), Error, "http.onnx", "ENOENT");
  } finally {
    Deno.chdir(here);
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a session lists its inputs, outputs and operators", async () => {
  await using session = await openSession(modelOf({
    nodes: [
      node("Gather", ["table", "z"], ["h"]),
      node("ReduceSum", ["h"], ["e"], { attributes: [attribute("keepdims", 0)] }),
      node("Cast", ["z"], ["b"], { attributes: [attribute("to", 9)] }),
    ],
    inputs: [value("z", "int64", ["N"])],
    outputs: [value("e", "float32", []), value("b", "bool", ["N"])],
    weights: [weight("table", Float32Array.of(0.5, 1, 2))],
  }));
  assertEquals(session.inputs, [{ name: "z", dtype: "int64", shape: ["N"] }]);
  assertEquals(session.outputs, [
    { name: "e", dtype: "float32", shape: [] },
    { name: "b", dtype: "bool", shape: ["N"] },
  ]);
  assertEquals([session.device, session.gpuDevice, session.isCaptured], ["wasm", undefined, false]);
  assertEquals([...session.outline.opsets], [["", 18]]);
  assertEquals([...session.outline.operators.keys()], ["Gather", "ReduceSum", "Cast"]);
  const outputs = await session.run({ z: { data: BigInt64Array.of(0n, 2n, 2n) } });
  assertEquals(outputs["e"]!.dims, []);
  assertEquals(dataOf(outputs, "e", "float32"), Float32Array.of(4.5));
  assertEquals(dataOf(outputs, "b", "bool"), Uint8Array.of(0, 1, 1));
});

Deno.test("outputs are fetched by name, or into the caller's arrays", async () => {
  await using session = await openSession(modelOf({
    nodes: [node("Add", ["x", "x"], ["y"]), node("Mul", ["x", "x"], ["z"])],
    inputs: [value("x", "float32", ["N"])],
    outputs: [value("y", "float32", ["N"]), value("z", "float32", ["N"])],
  }));
  const x = { data: Float32Array.of(3, 4) };
  assertEquals(Object.keys(await session.run({ x })), ["y", "z"]);
  assertEquals(Object.keys(await session.run({ x }, ["z"])), ["z"]);
  const room = new Float32Array(2);
  const outputs = await session.run({ x }, { z: { data: room }, y: null });
  assertEquals(room, Float32Array.of(9, 16));
  assert(dataOf(outputs, "z", "float32") === room);
  assertEquals(dataOf(outputs, "y", "float32"), Float32Array.of(6, 8));
  await refused(() => session.run({ x }, ["w"]), TypeError, "y, z", "unknown output w");
  const fetches = { z: { data: new Float32Array(3) } };
  await refused(() => session.run({ x }, fetches), RangeError, "z", "2 values", "3");
  const whole = { z: { data: new Int32Array(2) } };
  await refused(() => session.run({ x }, whole), TypeError, "z", "float32", "Int32Array");
});

Deno.test("every element type can be input and output", async () => {
  const cases = [
    ["float32", Float32Array.of(1.5, -2)],
    ["float64", Float64Array.of(1.1, -2)],
    ["int32", Int32Array.of(-1, 2147483647)],
    ["int64", BigInt64Array.of(-1n, 9007199254740993n)],
    ["uint8", Uint8Array.of(1, 255)],
    ["bool", Uint8Array.of(0, 1)],
  ] as const;
  for (const [dtype, data] of cases) {
    await using session = await openSession(modelOf({
      nodes: [node("Identity", ["x"], ["y"])],
      inputs: [value("x", dtype, ["N"])],
      outputs: [value("y", dtype, ["N"])],
    }));
    assertEquals(dataOf(await session.run({ x: { data } }), "y", dtype), data);
  }
});

Deno.test("invalid inputs are rejected with the reason", async () => {
  await using session = await openSession(DOUBLE, { name: "double.onnx" });
  const at = (data: Float32Array, dims?: number[]) => () =>
    session.run({ x: dims === undefined ? { data } : { data, dims } });
  const of = (n: number) => new Float32Array(n);
  await refused(() => session.run({}), TypeError, "double.onnx", "input x is required");
  await refused(() => session.run({ ...ROW, q: ROW.x }), TypeError, "one of x", "unknown input q");
  await refused(at(of(3)), RangeError, "x must have the shape [N, 3]", "[3]");
  await refused(at(of(4), [2, 2]), RangeError, "[N, 3]", "[2, 2]");
  await refused(at(of(3), [1.5, 3]), RangeError, "[1.5, 3]");
  await refused(at(of(4), [1, 3]), RangeError, "1 * 3 values", "4");
  const whole = { data: Int32Array.of(1, 2, 3), dims: [1, 3] };
  await refused(() => session.run({ x: whole }), TypeError, "x must be float32", "Int32Array");
  const buffer = { buffer: {} as GPUBuffer, dims: [1, 3] };
  await refused(() => session.run({ x: buffer }), TypeError, "x must be in host memory");
  // None of that reached the runtime.
  assertEquals(dataOf(await session.run(ROW), "y", "float32"), Float32Array.of(2, 4, 6));
  // No rows are rows too.
  const { y } = await session.run({ x: { data: of(0), dims: [0, 3] } });
  assertEquals([y!.dims, y!.location], [[0, 3], "host"]);
});

Deno.test("a file that cannot be opened is reported with the cause and a remedy", async () => {
  const inner = graphOf({
    nodes: [node("Wobble", ["x"], ["t"])],
    inputs: [],
    outputs: [value("t", "float32", ["N", 3])],
  });
  const wrong: Array<[Uint8Array, string[]]> = [
    [new Uint8Array(0), ["it has no graph", "0 bytes"]],
    [DOUBLE.slice(0, 40), ["is truncated", "40 bytes", "byte 2 "]],
    [Uint8Array.of(...DOUBLE, 0x3a), ["is truncated", "76 bytes", "byte 75"]],
    [new TextEncoder().encode("<!doctype html><title>404"), ["protobuf", "<!doctype html>"]],
    [
      new TextEncoder().encode("version https://git-lfs.github.com/spec/v1\n"),
      ["it begins with", "https://git-lfs"],
    ],
    [unary("Wobble"), ["opset 18 has no operator Wobble (node .y)", "Export"]],
    [
      modelOf({
        nodes: [node("Wobble", ["x"], ["y"], { domain: "com.acme" })],
        inputs: [value("x", "float32", ["N"])],
        outputs: [value("y", "float32", ["N"])],
      }),
      ["it uses operators of com.acme"],
    ],
    [unary("Relu", 99), ["opset must be at most 26", "got 99", "18 to 21"]],
    [unary("Sin", 5), ["opset 5 has no operator Sin (node .y)"]],
    [
      modelOf({
        nodes: [node("Add", ["x", "x"], ["y"])],
        inputs: [value("x", "float32", ["N"])],
        outputs: [value("y", "float32", ["N"])],
        opset: 5,
      }),
      ["implementation on wasm", "Add of opset 1 (node .y)", "18 to 21"],
    ],
    [
      modelOf({
        nodes: [node("Relu", ["x"], ["y"])],
        inputs: [value("x", "float32", ["N"])],
        outputs: [value("y", "float32", ["N"])],
        ir: 99,
      }),
      ["IR version must be at most 13", "got 99"],
    ],
    [
      modelOf({
        nodes: [node("Add", ["x", "lost"], ["y"])],
        inputs: [value("x", "float32", ["N"])],
        outputs: [value("y", "float32", ["N"])],
      }),
      ["a node uses lost"],
    ],
    [
      modelOf({
        nodes: [node("Celu", ["x"], ["y"])],
        inputs: [value("x", "float64", ["N"])],
        outputs: [value("y", "float64", ["N"])],
      }),
      ["types do not match", "double", "Celu"],
    ],
    [
      modelOf({
        nodes: [node("Add", ["x", "w"], ["y"])],
        inputs: [value("x", "float32", ["N", 3])],
        outputs: [value("y", "float32", ["N", 3])],
        weights: [weight("w", Float32Array.of(1, 2, 3), [1_000_000_000, 3])],
      }),
      ["a weight declares a size beyond"],
    ],
    [
      modelOf({
        nodes: [
          node("If", ["c"], ["y"], {
            attributes: [
              graphAttribute("then_branch", inner),
              graphAttribute("else_branch", inner),
            ],
          }),
        ],
        inputs: [value("c", "bool", []), value("x", "float32", ["N", 3])],
        outputs: [value("y", "float32", ["N", 3])],
      }),
      ["has no operator Wobble (node .t)"],
    ],
  ];
  for (const [bytes, words] of wrong) {
    await refused(
      () => openSession(bytes, { name: "wrong.onnx" }),
      SyntaxError,
      "Cannot open wrong.onnx: ",
      ...words,
    );
  }
  const texts = modelOf({
    nodes: [node("Identity", ["x"], ["y"])],
    inputs: [value("x", "string", ["N"])],
    outputs: [value("y", "string", ["N"])],
  });
  await refused(() => openSession(texts), TypeError, "x must be a tensor of numbers", "string");
  // None of that keeps the next one from being opened.
  await (await openSession(DOUBLE)).dispose();
});

Deno.test("invalid options are rejected before anything is read", async () => {
  const cases: Array<[unknown, typeof TypeError | typeof RangeError, string[]]> = [
    [{ device: "cuda" }, RangeError, ["wasm or webgpu", '"cuda"']],
    [{ threads: 0 }, RangeError, ["threads", "0"]],
    [{ threads: 1.5 }, RangeError, ["threads", "1.5"]],
    [{ threadMemory: 2 ** 32 }, RangeError, ["threadMemory", "4294901760 bytes", "4294967296"]],
    [{ threadMemory: 1e6 }, RangeError, ["threadMemory", "16777216", "1000000"]],
    [{ timeout: 0 }, RangeError, ["timeout", "above 0", "got 0"]],
    [{ dimensions: { N: -1 } }, RangeError, ["dimension N", "got -1"]],
    [{ dimensions: { N: 2.5 } }, RangeError, ["dimension N", "got 2.5"]],
    [{ outputs: "disk" }, RangeError, ["host or gpu", '"disk"']],
    [{ outputs: "gpu" }, TypeError, ["outputs on the GPU", "webgpu"]],
    [{ capture: true, outputs: "gpu" }, TypeError, ["capture", "webgpu"]],
    [{ cpuFallback: false }, TypeError, ["cpuFallback", "webgpu"]],
    [{ device: "webgpu", capture: true }, TypeError, ["with capture, outputs must be gpu"]],
  ];
  for (const [options, kind, words] of cases) {
    await refused(() => openSession("nowhere.onnx", options as SessionOptions), kind, ...words);
  }
  const outputs = { q: "host" } as const;
  await refused(() => openSession(DOUBLE, { outputs }), RangeError, "unknown output q", "one of y");
});

Deno.test("named dimensions can be fixed by an option", async () => {
  await using session = await openSession(DOUBLE, { dimensions: { N: 2 } });
  assertEquals(session.inputs[0]!.shape, [2, 3]);
  await refused(() => session.run(ROW), RangeError, "[2, 3]", "[1, 3]");
});

Deno.test("external weights are passed, or read from the model's folder, and never from elsewhere", async () => {
  const far = (location: string, more: Record<string, string> = {}) =>
    modelOf({
      nodes: [node("Add", ["x", "w"], ["y"])],
      inputs: [value("x", "float32", ["N", 3])],
      outputs: [value("y", "float32", ["N", 3])],
      weights: [farWeight("w", [1, 3], { location, ...more })],
    });
  const bytes = new Uint8Array(Float32Array.of(10, 20, 30).buffer);
  const check = async (model: Parameters<typeof openSession>[0], options: SessionOptions = {}) => {
    await using session = await openSession(model, options);
    assertEquals(dataOf(await session.run(ROW), "y", "float32"), Float32Array.of(11, 22, 33));
  };
  await check(far("w.bin"), { externalData: { "w.bin": bytes } });
  await check(far("./w.bin"), { externalData: { "w.bin": bytes } });
  await check(far("w.bin", { offset: "4", length: "12" }), {
    externalData: { "w.bin": Uint8Array.of(9, 9, 9, 9, ...bytes) },
  });
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/inner`);
    await Deno.writeFile(`${folder}/w.bin`, bytes);
    await Deno.writeFile(`${folder}/inner/w 1.bin`, bytes);
    await Deno.writeFile(`${folder}/model.onnx`, far("inner/w 1.bin"));
    await check(`${folder}/model.onnx`);
    await check(far("w.bin"), { externalData: { "w.bin": `${folder}/w.bin` } });
    for (const path of ["../w.bin", `${folder}/w.bin`, "file:///etc/passwd", "a/../../w.bin"]) {
      await Deno.writeFile(`${folder}/inner/bad.onnx`, far(path));
      await refused(() => openSession(`${folder}/inner/bad.onnx`), RangeError, "own folder", path);
    }
    await Deno.writeFile(`${folder}/lone.onnx`, far("no.bin"));
    await refused(
      () => openSession(`${folder}/lone.onnx`),
      RangeError,
      "lone.onnx",
      "no.bin",
      "ENOENT",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  await refused(
    () => openSession(far("w.bin")),
    RangeError,
    "externalData",
    "w.bin are not in its file",
  );
  const short = { externalData: { "w.bin": bytes.slice(0, 8) } };
  await refused(
    () => openSession(far("w.bin", { length: "12" }), short),
    SyntaxError,
    "12 bytes",
    "8",
  );
  await refused(() => openSession(far("w.bin"), short), SyntaxError, "w.bin");
  const other = { externalData: { "v.bin": bytes } };
  await refused(
    () => openSession(far("w.bin"), other),
    RangeError,
    "only files of the model (w.bin); got v.bin",
  );
});

Deno.test("opening can be aborted before and while it reads", async () => {
  const reason = new Error("enough");
  assertEquals(
    await assertRejects(() => openSession(DOUBLE, { signal: AbortSignal.abort(reason) })),
    reason,
  );
  const server = Deno.serve(
    { port: 0, onListen: () => {} },
    () => new Response(new ReadableStream()),
  ); // never ends
  const controller = new AbortController();
  const url = `http://localhost:${server.addr.port}/slow.onnx`;
  const opening = openSession(url, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  assertEquals(await assertRejects(() => opening), reason);
  await server.shutdown();
});

Deno.test("a failing operator is named, and the session stays usable", async () => {
  await using session = await openSession(
    modelOf({
      nodes: [node("Gather", ["table", "z"], ["h"])],
      inputs: [value("z", "int64", ["N"])],
      outputs: [value("h", "float32", ["N"])],
      weights: [weight("table", Float32Array.of(0.5, 1, 2))],
    }),
    { name: "gather.onnx" },
  );
  const run = (z: bigint) => session.run({ z: { data: BigInt64Array.of(z) } });
  await refused(() => run(7n), RangeError, "gather.onnx", "Gather (node .h)", "idx=7", "[-3,2]");
  assertEquals(dataOf(await run(1n), "h", "float32"), Float32Array.of(1));
});

Deno.test("with checkFinite a run reports the first non-finite output", async () => {
  for (const checkFinite of [true, false]) {
    await using session = await openSession(unary("Sqrt"), { checkFinite });
    const run = () => session.run({ x: { data: Float32Array.of(4, 9, -1), dims: [1, 3] } });
    if (checkFinite) await refused(run, RangeError, "y[2] must be finite; got NaN");
    else assertEquals(dataOf(await run(), "y", "float32"), Float32Array.of(2, 3, NaN));
  }
  await using session = await openSession(unary("Reciprocal"), { checkFinite: true });
  await refused(
    () => session.run({ x: { data: Float32Array.of(1, 0, 1), dims: [1, 3] } }),
    RangeError,
    "y[1] must be finite; got Infinity",
  );
});

Deno.test("tensors too large for memory are rejected, and the session stays usable", async () => {
  await using session = await openSession(modelOf({
    nodes: [node("Expand", ["x", "s"], ["h"]), node("ReduceSum", ["h"], ["y"])],
    inputs: [value("x", "float32", [1]), value("s", "int64", [2])],
    outputs: [value("y", "float32", [1, 1])],
  }));
  const run = (...s: bigint[]) =>
    session.run({ x: { data: Float32Array.of(1) }, s: { data: BigInt64Array.from(s) } });
  await refused(() => run(3_000_000_000n, 1n), RangeError, "memory");
  await refused(() => run(1_000_000_000_000n, 1n), RangeError, "memory");
  assertEquals(dataOf(await run(2n, 3n), "y", "float32"), Float32Array.of(6));
});

Deno.test("within one thread all sessions have the number of threads of the first one", async () => {
  await using first = await openSession(DOUBLE);
  await using second = await openSession(DOUBLE, { threads: 1 });
  assertEquals([first.threads, second.threads], [1, 1]);
  await refused(() => openSessionHere(DOUBLE, { threads: 2 }), RangeError, "got 2", "worker");
});

Deno.test("a disposed session rejects new runs, and finishes earlier ones", async () => {
  const session = await openSession(DOUBLE);
  const before = session.run(ROW);
  const disposed = session.dispose();
  assertEquals(dataOf(await before, "y", "float32"), Float32Array.of(2, 4, 6));
  await refused(() => session.run(ROW), Error, "disposed of");
  assert(session.dispose() === disposed);
  await disposed;
});

Deno.test("tasks of the runtime run in order, even after failures", async () => {
  const order: string[] = [];
  let inside = 0;
  const turn = (name: string, fails = false) =>
    withRuntime(async () => {
      assertEquals(++inside, 1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      order.push(name);
      inside--;
      if (fails) throw new Error(name);
    });
  const results = await Promise.allSettled([turn("a"), turn("b", true), turn("c")]);
  assertEquals(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  await turn("d");
  assertEquals(order, ["a", "b", "c", "d"]);
});

Deno.test("40 concurrent runs of four sessions do not mix, while two more open", async () => {
  const sessions = await Promise.all(
    ["Neg", "Abs", "Exp", "Relu"].map((op) => openSession(unary(op))),
  );
  const functions = [(x: number) => -x, Math.abs, Math.exp, (x: number) => Math.max(0, x)];
  const meanwhile = [openSession(DOUBLE), openSession(DOUBLE)];
  const runs = Array.from({ length: 40 }, async (_, i) => {
    const x = (i % 7) - 3;
    const outputs = await sessions[i % 4]!.run({
      x: { data: Float32Array.of(x, 0, 1), dims: [1, 3] },
    });
    const f = functions[i % 4]!;
    const expected = Float32Array.of(f(x), f(0), f(1));
    const found = dataOf(outputs, "y", "float32");
    found.forEach((y, k) => assert(Math.abs(y - expected[k]!) <= 1e-6 * Math.abs(expected[k]!)));
  });
  await Promise.all(runs);
  await Promise.all([...sessions, ...await Promise.all(meanwhile)].map((each) => each.dispose()));
});

/** Opens a session in a process that may do nothing, with what it reads from its input as the runtime. */
const CHILD = `
import { openSession } from ${
  JSON.stringify(import.meta.resolve("../../src/onnx/session/open_session.ts"))
};
import { DOUBLE } from ${JSON.stringify(import.meta.resolve("./tiny_model.ts"))};
const bytes = new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer());
try {
  await using session = await openSession(DOUBLE, bytes.length > 0 ? { wasmFile: bytes } : {});
  const { y } = await session.run({ x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] } });
  console.log(y.data.join());
} catch (error) {
  console.log(error.name, error.reason, error.message);
}`;

Deno.test("the runtime starts from bytes without permissions, and reports the missing permission otherwise", async () => {
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const wasm = new URL("ort-wasm-simd-threaded.wasm", import.meta.resolve("onnxruntime-web"));
  const run = async (input: Uint8Array<ArrayBuffer>) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--no-check",
        `--config=${config}`,
        "--ext=ts",
        `data:text/typescript,${encodeURIComponent(CHILD)}`,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(input);
    await writer.close();
    return new TextDecoder().decode((await child.output()).stdout);
  };
  assertEquals(await run(await Deno.readFile(wasm)), "2,4,6\n");
  const said = await run(new Uint8Array(0));
  for (
    const words of ["BackendUnavailableError broken", "--allow-read", "pass the file as `wasmFile`"]
  ) {
    assertStringIncludes(said, words);
  }
});
