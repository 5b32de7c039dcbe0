/** Graphs that are written here, before the checker and the shape inference of Python's `onnx`. */
import { assertEquals, assertMatch } from "@std/assert";
import {
  decodeModel,
  expose,
  gpuForm,
  gradient,
  Graph,
  GraphBuilder,
  lennardJonesModel,
  type Pass,
  points,
  PROCESSOR_PASSES,
  replaceBy,
  runPasses,
  SIMPLIFYING_PASSES,
  statistics,
  strainInput,
  valueInfo,
  WEBGPU_PASSES,
  withForces,
  zero,
} from "../../src/onnx/mod.ts";
import { lacks } from "../machine.ts";
import { openPython, pythonTest } from "../python.ts";
import { torchCases } from "./grad/torch_cases.ts";
import { MODELS, readModel } from "./shared_models.ts";

/**
 * Prints what is wrong with each model of a folder, or null.
 *
 * Where data is propagated, onnx takes every list of known length for a shape, and its elements for what they were
 * before Unsqueeze: it refuses unsqueeze(float[2], 1) * float[3]. Such models are inferred without that.
 */
const CHECK = `
import json, pathlib, sys
import onnx

def complaint(path):
    try:
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        try:
            infer(model, data_prop=True)
        except onnx.shape_inference.InferenceError as error:
            if "Invalid rank for" not in str(error):
                raise
            infer(model, data_prop=False)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def infer(model, data_prop):
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=data_prop)

print(json.dumps({path.stem: complaint(path) for path in pathlib.Path(sys.argv[1]).glob("*.onnx")}))
`;

/** Models by what they are. */
type Models = Readonly<Record<string, Uint8Array>>;

/** Returns the complaints of Python's onnx, by model. */
async function complaints(models: Models): Promise<Record<string, string>> {
  const python = await openPython("onnx");
  const folder = await Deno.makeTempDir();
  try {
    const names = Object.keys(models);
    for (const [i, name] of names.entries()) {
      await Deno.writeFile(`${folder}/${i}.onnx`, models[name]!);
    }
    const said: Record<string, string | null> = JSON.parse(await python.run(CHECK, [folder]));
    assertEquals(Object.keys(said).length, names.length);
    const wrong = Object.entries(said).filter((each): each is [string, string] => each[1] !== null);
    return Object.fromEntries(wrong.map(([i, text]) => [names[Number(i)]!, text]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };

/** The Lennard-Jones model in all its forms. */
function lennardJonesModels(): Models {
  const forms = (["shift", "cut"] as const).flatMap((truncation) =>
    (["full", "half"] as const).flatMap((list) =>
      (["stacked", "separate"] as const).flatMap((edges) =>
        (["atom", "edge"] as const).map((batchIndex) => ({ truncation, list, edges, batchIndex }))
      )
    )
  );
  return Object.fromEntries(forms.map((form) => [
    `Lennard-Jones ${Object.values(form).join(", ")}`,
    lennardJonesModel({ ...ARGON, ...form }),
  ]));
}

const ALL: readonly Pass[] = [...SIMPLIFYING_PASSES, ...WEBGPU_PASSES];

/** Every model of a list after every pass, each alone, after all of them, and as the GPU needs it. */
function passed(models: Models): Models {
  const results = Object.entries(models).flatMap(([name, model]) => {
    const after = (title: string, passes: readonly Pass[]): [string, Uint8Array] => {
      const graph = new Graph(decodeModel(model));
      runPasses(graph, passes);
      return [`${name}, ${title}`, graph.encode()];
    };
    return [
      ...[...ALL, ...PROCESSOR_PASSES].map((pass) => after(pass.name, [pass])),
      after("all passes", ALL),
      [`${name}, gpuForm`, gpuForm(model)] as const,
    ];
  });
  return Object.fromEntries(results);
}

/** Every model of a list with a strain, which it can be differentiated by. */
function strained(models: Models): Models {
  const results = Object.entries(models).map(([name, model]) => {
    const graph = new Graph(decodeModel(model));
    const [positions, shifts, batch, edges] = [
      "positions",
      "shifts",
      "batch_idx",
      "edge_index",
    ] as const;
    strainInput(graph, { positions, shifts, batch, edges });
    return [`${name}, strained`, graph.encode()];
  });
  return Object.fromEntries(results);
}

pythonTest("Python's onnx reports invalid models", async () => {
  const type = new GraphBuilder("type");
  type.output("y", { ...type.add(type.input("x", "f32", ["N"]), 1), type: "i64" });
  const shape = new GraphBuilder("shape");
  const x = shape.input("x", "f32", [2, 3]);
  shape.output("y", shape.op("MatMul", [x, x], "f32"), [2, 3]);
  const found = await complaints({
    type: type.build(),
    shape: shape.build(),
    right: lennardJonesModel(ARGON),
  });
  assertEquals(Object.keys(found).sort(), ["shape", "type"]);
  assertMatch(found["type"]!, /type/i);
  assertMatch(found["shape"]!, /incompatible dimensions/i);
});

pythonTest(
  "Python's onnx accepts the Lennard-Jones models before and after passes",
  async () => {
    const models = lennardJonesModels();
    assertEquals(await complaints(models), {});
    assertEquals(await complaints(passed(models)), {});
  },
);

Deno.test({
  name: "Python's onnx accepts real models after passes",
  ignore: lacks("python") || lacks("models"),
  fn: async () => {
    const models = Object.fromEntries(MODELS.map((name) => [name, readModel(name)]));
    assertEquals(await complaints(passed(models)), {});
    assertEquals(await complaints(strained(models)), {});
  },
});

/** With every value exposed, the statistics of each, a patch with a switch; and with forces and virials. */
function tapped(models: Models): Models {
  const results = Object.entries(models).flatMap(([name, model]) => {
    const exposed = new Graph(decodeModel(model));
    expose(exposed, "*");
    const watched = new Graph(decodeModel(model));
    const floats = points(watched, "*").filter(({ type, kind }) =>
      type === "f32" && kind === "value"
    );
    const names = floats.map((point) => point.name);
    statistics(watched, names, {
      of: ["mean", "std", "min", "max", "norm", "nonFinite", "histogram"],
      histogram: { bins: 8, range: [-1, 1] },
    });
    replaceBy(watched, names[0]!, { gate: true });
    zero(watched, names.at(-1)!);
    return [
      [`${name}, exposed`, exposed.encode()],
      [`${name}, with statistics and patches`, watched.encode()],
      [`${name}, with forces`, withForces(model, { stress: true }).bytes],
    ] as const;
  });
  return Object.fromEntries(results);
}

Deno.test({
  name: "Python's onnx accepts real models with taps and patches, and with forces and virials",
  ignore: lacks("python") || lacks("models"),
  fn: async () => {
    const models = MODELS.filter((name) => name.endsWith("_e.onnx"));
    const tapping = tapped(Object.fromEntries(models.map((name) => [name, readModel(name)])));
    assertEquals(await complaints(tapping), {});
  },
});

/** Energies' gradients by positions; and those of a sum over these gradients by all weights. */
function differentiated(models: Models): Models {
  const results = Object.entries(models).flatMap(([name, model]) => {
    const graph = new Graph(decodeModel(model));
    gradient(graph, { of: "energy", wrt: { positions: "slope" } });
    const first = graph.encode();
    graph.addInput(valueInfo("v", "f32", ["N", 3]));
    const loss = graph.make("ReduceSum", [graph.make("Mul", ["slope", "v"])], { keepdims: 0 });
    const weights = graph.model.graph!.initializer.map((tensor) => tensor.name)
      .filter((weight) => graph.type(weight) === "f32");
    gradient(graph, { of: loss, wrt: ["positions", ...weights], unused: "zeros" });
    return [[`${name}, first order`, first], [`${name}, second order`, graph.encode()]] as const;
  });
  return Object.fromEntries(results);
}

pythonTest("Python's onnx accepts the gradients of the Lennard-Jones models", async () => {
  assertEquals(await complaints(differentiated(lennardJonesModels())), {});
});

Deno.test({
  name: "Python's onnx accepts the gradients of real models before and after passes",
  ignore: lacks("python") || lacks("models"),
  fn: async () => {
    const models = Object.fromEntries(
      MODELS.filter((name) => name.endsWith("_e.onnx")).map((name) => [name, readModel(name)]),
    );
    const gradients = differentiated(models);
    assertEquals(await complaints(gradients), {});
    assertEquals(await complaints(passed(gradients)), {});
  },
});

pythonTest(
  "Python's onnx accepts first and second derivatives of operators",
  async () => {
    const models: Record<string, Uint8Array> = {};
    // The checker takes GroupNormalization of opset 18 for deprecated, as its successor was.
    const cases = torchCases().filter(({ name }) =>
      !name.startsWith("GroupNormalization: scale by group")
    );
    for (const { name, graph: build, wrt, weigh, second } of cases) {
      for (const lengths of ["named", "fixed"] as const) {
        const graph = build(lengths);
        const { names } = gradient(graph, { of: "loss", wrt, unused: "zeros" });
        models[`${name}, ${lengths} lengths`] = graph.encode();
        if (second === undefined) continue;
        weigh(graph, names);
        const by = Object.fromEntries(Object.keys(second).map((each) => [each, `second_${each}`]));
        gradient(graph, { of: "weighed", wrt: by, unused: "zeros" });
        models[`${name}, ${lengths} lengths, second order`] = graph.encode();
      }
    }
    assertEquals(await complaints(models), {});
  },
);
