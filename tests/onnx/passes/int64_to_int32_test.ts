/** int32 for int64: what changes, and that nothing does. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  decodeModel,
  describeModel,
  Graph,
  GraphBuilder,
  int64ToInt32,
  tensorValues,
  UnsupportedNodeError,
} from "../../../src/onnx/mod.ts";
import { expectedOf, feeds, indexed } from "../indexed_model.ts";
import { branching } from "../odd_models.ts";
import { f32, fromReference, i32, i64, narrowed, numbersOf, runModel, worst } from "../ort.ts";
import { MODELS, modelTest, readModel, readReference, SMALL_MODELS } from "../shared_models.ts";
import { few, test } from "../../suite.ts";

test("a model with int64 indices gives bitwise identical results with int32", async () => {
  const [plain, graph] = [indexed(), new Graph(decodeModel(indexed()))];
  const before = await runModel(plain, feeds());
  assertEquals(numbersOf(before.sums), expectedOf().sums);
  assertEquals(numbersOf(before.energy), expectedOf().energy);
  assert(int64ToInt32(graph) > 10);
  const after = await runModel(graph.encode(), narrowed(feeds()));
  for (const name of ["sums", "energy", "column", "next"]) {
    assertEquals(numbersOf(after[name]), numbersOf(before[name]), name);
  }
  assertEquals([after.next!.type, before.next!.type], ["int64", "int64"]); // outputs keep their types
});

test("only shapes and values that must be int64 stay int64", () => {
  const graph = new Graph(decodeModel(indexed()));
  int64ToInt32(graph);
  const ops = describeModel(graph.model).ops;
  assertEquals([ops.get("GatherND"), ops.get("ScatterND"), ops.get("Cast")], [
    undefined,
    undefined,
    1,
  ]);
  assertEquals([ops.get("Gather"), ops.get("ScatterElements")], [8, 3]);
  for (const { name } of graph.inputs) assert(graph.type(name) !== "i64", `${name} is int64`);
  const wide = graph.model.graph!.initializer.filter((tensor) => graph.type(tensor.name) === "i64");
  // Axes and shapes; the table of species and the places 0 and 1 are int32.
  const users = wide.flatMap(({ name }) => graph.uses(name).map(({ node }) => node.opType));
  assertEquals([...new Set(users)].sort(), ["ReduceSum", "Reshape", "Unsqueeze"]);
});

test("with keepsInputs the interface of the model does not change", async () => {
  const graph = new Graph(decodeModel(indexed()));
  int64ToInt32(graph, { keepsInputs: true });
  assertEquals(graph.type("edges"), "i64");
  const [before, after] = [
    await runModel(indexed(), feeds()),
    await runModel(graph.encode(), feeds()),
  ];
  for (const name of ["sums", "energy", "column", "next"]) {
    assertEquals(numbersOf(after[name]), numbersOf(before[name]), name);
  }
});

/** The output y of a graph over x [N] and places [M], before and after. */
async function bothWays(
  write: (g: GraphBuilder) => void,
  x: number[],
  at: number[],
): Promise<[before: number[], after: number[], graph: Graph]> {
  const g = new GraphBuilder("small");
  write(g);
  const bytes = g.build();
  const graph = new Graph(decodeModel(bytes));
  int64ToInt32(graph);
  const inputs = { x: f32(x, x.length), at: i64(at, at.length) };
  const before = await runModel(bytes, inputs);
  const after = await runModel(graph.encode(), narrowed(inputs));
  return [numbersOf(before.y), numbersOf(after.y), graph];
}

test("operators that require int64 share one cast", async () => {
  const [before, after, graph] = await bothWays(
    (g) => {
      const [x, at] = [g.input("x", "f32", ["N"]), g.input("at", "i64", ["M"])];
      const sizes = g.mul(at, 2);
      const tiled = g.op("Tile", [x, sizes], "f32");
      g.output(
        "y",
        g.op("Concat", [tiled, g.expand(g.reshape(x, sizes), [1])], "f32", { axis: 0 }),
      );
    },
    [5, 6],
    [1],
  );
  assertEquals([before, after], [[5, 6, 5, 6, 5, 6], [5, 6, 5, 6, 5, 6]]);
  assertEquals(describeModel(graph.model).ops.get("Cast"), 1);
});

test("constants that int32 cannot hold keep their node in int64", async () => {
  const [before, after, graph] = await bothWays(
    (g) => {
      const [x, at] = [g.input("x", "f32", ["N"]), g.input("at", "i64", ["M"])];
      const far = g.op("Max", [at, g.constant("i64", [-(2 ** 40)])], "i64");
      g.output("y", g.gather(x, g.sub(far, 1)));
    },
    [5, 6, 7],
    [1, 3],
  );
  assertEquals([before, after], [[5, 7], [5, 7]]);
  const constants = graph.model.graph!.initializer.map((tensor) => [...tensorValues(tensor)]);
  assert(constants.some(([value]) => value === -(2n ** 40n)), `${constants}`);
});

test("comparisons, Where, slices and scatters become int32, and negative indices keep their meaning", async () => {
  const [before, after, graph] = await bothWays(
    (g) => {
      const [x, at] = [g.input("x", "f32", ["N"]), g.input("at", "i64", ["M"])];
      const size = g.op("Shape", [x], "i64");
      const wrapped = g.where(
        g.less(at, 0),
        g.constant("i64", [-1]),
        g.op("Slice", [
          g.op("Concat", [at, at], "i64", { axis: 0 }),
          g.constant("i64", [3]),
          g.constant("i64", [2 ** 40]),
        ], "i64"),
      );
      const last = g.op("Equal", [wrapped, g.sub(size, 1)], "bool");
      const moved = g.op("Add", [wrapped, g.op("Cast", [last], "i64", { to: 7 })], "i64");
      const sums = g.scatterAdd(x, g.op("Min", [moved, g.sub(size, 1)], "i64"), g.gather(x, at));
      g.output("y", sums);
    },
    [1, 10, 100, 1000],
    [0, -1, 2],
  );
  assertEquals(after, before);
  assertEquals(before, [2, 10, 100 + 100, 2000]); // 0 → 0, −1 → 3, 2 → 2
  assertEquals(graph.type("at"), "i32");
});

test("a GatherND or ScatterND over two axes gets int64 indices by a cast", async () => {
  const g = new GraphBuilder("pairs");
  const x = g.input("x", "f32", [2, 2]), at = g.describe(g.input("at", "i64", ["M", 2]), ["M", 2]);
  const scattered = g.op("ScatterND", [x, at, g.op("GatherND", [x, at], "f32")], "f32", {
    reduction: "mul",
  });
  g.output("y", scattered);
  const bytes = g.build();
  const graph = new Graph(decodeModel(bytes));
  int64ToInt32(graph);
  const inputs = { x: f32([1, 2, 3, 4], 2, 2) };
  const before = await runModel(bytes, { ...inputs, at: i64([0, 1, 1, 1], 2, 2) });
  const after = await runModel(graph.encode(), { ...inputs, at: i32([0, 1, 1, 1], 2, 2) });
  assertEquals(numbersOf(before.y), [1, 4, 3, 16]);
  assertEquals(numbersOf(after.y), [1, 4, 3, 16]);
});

test("control flow is rejected with the node, before anything changes", () => {
  const graph = new Graph(branching());
  const before = graph.encode();
  const error = assertThrows(
    () => int64ToInt32(graph),
    UnsupportedNodeError,
    "Cannot use int32 for int64: this edit must not change subgraphs; got the If ",
  );
  assertEquals(error.action, "use int32 for int64");
  assertEquals(graph.encode(), before);
});

for (const file of few(SMALL_MODELS, MODELS)) {
  modelTest(`${file} gives bitwise identical results with int32 indices`, async () => {
    const bytes = readModel(file);
    const { inputs } = readReference(file.replace(/_ef?\.onnx$/, ""));
    const wide = Object.fromEntries(
      Object.entries(inputs).map(([name, tensor]) => [name, fromReference(tensor)]),
    );
    const before = await runModel(bytes, wide);
    const graph = new Graph(decodeModel(bytes));
    int64ToInt32(graph);
    const after = await runModel(graph.encode(), narrowed(wide));
    for (const name of Object.keys(before)) {
      assertEquals(worst(numbersOf(after[name]), numbersOf(before[name])), 0, name);
    }
    const { ops } = describeModel(graph.model);
    // Of SevenNet-0 16 have constant indices, which stay as they are.
    const left = file.startsWith("sevennet0") ? ops.get("ScatterND") : undefined;
    assertEquals([ops.get("GatherND"), ops.get("ScatterND")], [undefined, left]);
  });
}
