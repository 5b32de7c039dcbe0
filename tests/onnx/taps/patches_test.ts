import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import {
  addTo,
  dataOf,
  expose,
  type FeedsByInput,
  Graph,
  type GraphBuilder,
  openSession,
  replaceBy,
  scaleBy,
  statistics,
  valueInfo,
  zero,
} from "../../../src/onnx/mod.ts";
import { branching, modelOf, node } from "../odd_models.ts";
import { f32, flag, graphOf, mlp, noise, run } from "./run.ts";
import { lacks } from "../../machine.ts";

const X = f32([1, 2, 3], 3);

/** y = −(2 x) + x: the value in between is `mul`, and used twice where wanted. */
const small = () =>
  graphOf((g) => {
    const x = g.input("x", "f32", ["N"]);
    const twice = g.describe(g.mul(x, 2), ["N"]);
    g.output("y", g.add(g.op("Neg", [twice], "f32"), x), ["N"]);
    g.output("z", g.mul(twice, twice), ["N"]);
  });

Deno.test("without patches y = −(2 x) + x and z = (2 x)²", async () => {
  assertEquals(await run(small(), { x: X }), { y: [-1, -2, -3], z: [4, 16, 36] });
});

Deno.test("a replaced value is the input at every use, and the original can still be an output", async () => {
  const graph = small();
  const patch = replaceBy(graph, "mul");
  assertEquals(patch, {
    tensor: "mul",
    patched: "mul",
    original: "patch:mul.original",
    input: "patch:mul",
    gate: undefined,
  });
  assertEquals([graph.type("patch:mul"), graph.shape("patch:mul")], ["f32", ["N"]]);
  assertEquals([graph.type("mul"), graph.shape("mul")], ["f32", ["N"]]);
  expose(graph, [patch.patched, patch.original]);
  assertEquals(await run(graph, { "x": X, "patch:mul": f32([10, 20, 30], 3) }), {
    y: [-9, -18, -27],
    z: [100, 400, 900],
    mul: [10, 20, 30],
    "patch:mul.original": [2, 4, 6],
  });
});

Deno.test("a patch with a switch applies while it is on", async () => {
  const graph = small();
  const { input, gate } = replaceBy(graph, "mul", { input: "fed", gate: true });
  assertEquals([input, gate], ["fed", "fed.on"]);
  await using session = await openSession(graph.encode());
  const feeds = { x: X, fed: f32([10, NaN, 30], 3) };
  const numbers = async (isOn: boolean) => {
    const outputs = await session.run({ ...feeds, "fed.on": flag(isOn) });
    return ["y", "z"].map((name) => [...dataOf(outputs, name, "float32")]);
  };
  const [on, off] = [[[-9, NaN, -27], [100, NaN, 900]], [[-1, -2, -3], [4, 16, 36]]];
  assertEquals([await numbers(true), await numbers(false), await numbers(true)], [on, off, on]);
});

Deno.test("addTo() adds at every use, with broadcasting, and only while it is on", async () => {
  const graph = small();
  const { input, gate } = addTo(graph, "mul", { shape: [1], gate: true });
  assertEquals([input, gate], ["patch:mul.add", "patch:mul.add.on"]);
  const feeds = { "x": X, "patch:mul.add": f32([100], 1) };
  const on = await run(graph, { ...feeds, "patch:mul.add.on": flag(true) });
  assertEquals(on, { y: [-101, -102, -103], z: [102 ** 2, 104 ** 2, 106 ** 2] });
  const off = await run(graph, { ...feeds, "patch:mul.add.on": flag(false) });
  assertEquals(off, { y: [-1, -2, -3], z: [4, 16, 36] });
});

Deno.test("scaleBy() scales at every use", async () => {
  const graph = small();
  const { input } = scaleBy(graph, "mul");
  assertEquals([input, graph.shape("patch:mul.scale")], ["patch:mul.scale", []]);
  const outputs = await run(graph, { "x": X, "patch:mul.scale": f32([0.5]) });
  assertEquals(outputs, { y: [0, 0, 0], z: [1, 4, 9] });
});

Deno.test("zero() replaces non-finite elements, too, also with a switch", async () => {
  const x = f32([1, NaN, Infinity], 3);
  const graph = graphOf((g) => {
    const twice = g.describe(g.mul(g.input("x", "f32", ["N"]), 2), ["N"]);
    g.output("y", g.add(twice, 7), ["N"]);
  });
  assertEquals(zero(graph, "mul").input, undefined);
  assertEquals(await run(graph, { x }), { y: [7, 7, 7] });
  const gated = small();
  const { gate = "" } = zero(gated, "mul", { gate: true });
  assertEquals(gate, "patch:mul.zero.on");
  assertEquals((await run(gated, { x: X, [gate]: flag(true) }))["y"], [1, 2, 3]);
  assertEquals((await run(gated, { x: X, [gate]: flag(false) }))["y"], [-1, -2, -3]);
});

Deno.test("integers and booleans can be patched", async () => {
  const write = (g: GraphBuilder) => {
    const x = g.input("x", "f32", ["N"]), at = g.input("at", "i64", ["M"]);
    const isSmall = g.describe(g.less(x, 2), ["N"]);
    g.output("y", g.gather(g.where(isSmall, 0, x), at), ["M"]);
  };
  const feeds: FeedsByInput = { x: X, at: { data: BigInt64Array.of(0n, 1n), dims: [2] } };
  assertEquals(await run(graphOf(write), feeds), { y: [0, 2] });
  const shifted = graphOf(write);
  const one = { data: BigInt64Array.of(1n), dims: [] };
  addTo(shifted, "at", { input: "shift", shape: [] });
  assertEquals(await run(shifted, { ...feeds, shift: one }), { y: [2, 3] });
  const never = graphOf(write);
  zero(never, "less");
  assertEquals(await run(never, feeds), { y: [1, 2] });
});

Deno.test("several patches of a value, an input or a constant apply in order", async () => {
  for (const name of ["mul", "x", "f32_2"]) {
    for (const inputsFirst of [true, false]) {
      const graph = graphOf((g) => g.output("y", g.mul(g.input("x", "f32", []), 2), []));
      const product = graphOf((g) => {
        const twice = g.describe(g.mul(g.input("x", "f32", []), 2), []);
        g.output("y", g.op("Neg", [twice], "f32"), []);
      });
      const target = name === "mul" ? product : graph;
      const add = () => addTo(target, name, { input: "a" });
      const scale = () => scaleBy(target, name, { input: "s" });
      if (inputsFirst) add(), scale();
      else scale(), add();
      const { y: [y] = [] } = await run(target, { x: f32([3]), a: f32([10]), s: f32([100]) });
      const patched = (value: number) => inputsFirst ? (value + 10) * 100 : value * 100 + 10;
      const expected = { mul: -patched(6), x: 2 * patched(3), f32_2: 3 * patched(2) };
      assertEquals(y, expected[name as "mul" | "x" | "f32_2"], `${name}, ${inputsFirst}`);
    }
  }
});

Deno.test("a patched output keeps its name and shape", async () => {
  const graph = small();
  const { original } = scaleBy(graph, "y", { input: "s" });
  expose(graph, original);
  assertEquals(graph.outputs.map(({ name }) => name), ["y", "z", original]);
  assertEquals([graph.shape("y"), graph.shape(original)], [["N"], ["N"]]);
  const { y, [original]: before } = await run(graph, { x: X, s: f32([10]) });
  assertEquals([y, before], [[-10, -20, -30], [-1, -2, -3]]);
});

/** x + W₂ relu(W₁ x) with the block, x without: the same weights in both. */
function residual(hasBlock: boolean): Graph {
  return graphOf((g) => {
    const x = g.input("x", "f32", ["N", 4]);
    if (!hasBlock) return g.output("y", g.mul(x, 3), ["N", 4]);
    const weight = (seed: number) => g.constant("f32", noise(16, seed), [4, 4]);
    const hidden = g.op("Relu", [g.op("MatMul", [x, weight(1)], "f32")], "f32");
    const block = g.describe(g.op("MatMul", [hidden, weight(2)], "f32"), ["N", 4]);
    g.output("y", g.mul(g.add(x, block), 3), ["N", 4]);
  });
}

Deno.test("a network with a zeroed block equals the network without it", async () => {
  const x = f32(noise(20, 5), 5, 4);
  const patched = residual(true);
  const whole = await run(patched, { x });
  zero(patched, "matmul_1");
  const [zeroed, without] = [await run(patched, { x }), await run(residual(false), { x })];
  assertEquals(zeroed, without);
  assertNotEquals(zeroed, whole);
});

Deno.test({
  name: "mlp: patches that change nothing give bitwise identical results",
  ignore: lacks("models"),
  fn: async () => {
    const { graph: plain, feeds } = mlp();
    expose(plain, "tanh");
    const { tanh, energy } = await run(plain, feeds);
    const N = feeds["positions"]!.dims![0]!;
    const same = mlp().graph;
    replaceBy(same, "tanh", { input: "p" });
    assertEquals((await run(same, { ...feeds, p: f32(tanh!, N, 64) }))["energy"], energy);
    const other = await run(same, { ...feeds, p: f32(tanh!.map((value) => value / 2), N, 64) });
    assertNotEquals(other["energy"], energy);
    const gated = mlp().graph;
    const options = { input: "p", gate: true };
    replaceBy(gated, "tanh", options);
    const p = f32(noise(64 * N), N, 64);
    assertEquals((await run(gated, { ...feeds, p, "p.on": flag(false) }))["energy"], energy);
    assertNotEquals((await run(gated, { ...feeds, p, "p.on": flag(true) }))["energy"], energy);
    const added = mlp().graph;
    addTo(added, "tanh", { input: "p", shape: [64] });
    assertEquals((await run(added, { ...feeds, p: f32(noise(64).fill(0), 64) }))["energy"], energy);
  },
});

Deno.test({
  name: "mlp: with its last activations zeroed each atom has the energy of the last bias",
  ignore: lacks("models"),
  fn: async () => {
    const { graph, feeds } = mlp();
    zero(graph, "tanh_1");
    expose(graph, "net.4.bias");
    const { energy, "tap:net.4.bias": [bias] = [] } = await run(graph, feeds);
    const atoms = new Array(energy!.length).fill(0);
    for (const system of feeds["batch_idx"]!.data) atoms[Number(system)] += 1;
    for (const [i, count] of atoms.entries()) {
      const expected = count * bias!;
      assert(Math.abs(energy![i]! - expected) <= 1e-6 * Math.abs(expected), `${energy![i]}`);
    }
  },
});

Deno.test("a patch needs the name of one used tensor, and an unused name for its input", () => {
  const refused = (patch: (graph: Graph) => unknown, words: string) => {
    const graph = small();
    const before = graph.encode();
    const error = assertThrows(() => patch(graph), RangeError);
    assert(error.message.includes(words), error.message);
    assertEquals(graph.encode(), before);
  };
  refused((graph) => zero(graph, "mull"), 'no tensor matches "mull"; the closest names are mul');
  refused(
    (graph) => zero(graph, "mul*"),
    'must name one tensor; got the pattern "mul*"',
  );
  refused(
    (graph) => replaceBy(graph, "mul", { input: "x" }),
    'Cannot replace "mul": the name of the new input must be unused; got "x"',
  );
  refused(
    (graph) => addTo(graph, "mul", { shape: [2, 1] }),
    "the shape of the input must broadcast to [N]; got [2, 1]",
  );
  const idle = new Graph(modelOf({
    node: [node("Neg", ["x"], ["y"])],
    input: [valueInfo("x", "f32", ["N"]), valueInfo("idle", "f32", ["N"])],
    output: [valueInfo("y", "f32", ["N"])],
  }));
  assertThrows(() => zero(idle, "idle"), RangeError, 'no node and no output uses "idle"');
});

Deno.test("a patch needs a known type, and adding and scaling need numbers", () => {
  const graph = new Graph(modelOf({
    node: [
      node("Mystery", ["x"], ["a"]),
      node("Greater", ["a", "a"], ["b"]),
      node("Not", ["b"], ["y"]),
    ],
    input: [valueInfo("x", "f32", ["N"])],
    output: [valueInfo("y", "bool", ["N"])],
  }));
  assertThrows(
    () => replaceBy(graph, "a"),
    TypeError,
    'the type of "a" must be known. Declare it by Graph.describe',
  );
  graph.describe(valueInfo("a", "f32", ["N"]));
  replaceBy(graph, "a");
  assertThrows(() => scaleBy(graph, "y"), TypeError, "got bool");
});

Deno.test("tensors that subgraphs use or make cannot be patched", () => {
  for (const name of ["x", "then_branch_y"]) {
    const graph = new Graph(branching());
    const error = assertThrows(() => zero(graph, name), Error, `Cannot zero a tensor (${name})`);
    assertEquals(error.name, "UnsupportedNodeError");
  }
  const graph = new Graph(branching());
  assertEquals(zero(graph, "y").tensor, "y");
});

Deno.test("taps observe patched results of nodes, and unpatched inputs and constants, in any order", async () => {
  const seen = [true, false].map(async (isFirst) => {
    const graph = small(), names = ["x", "mul", "f32_2"];
    const observe = () => {
      expose(graph, names);
      statistics(graph, names, { of: ["max"] });
    };
    if (isFirst) observe();
    for (const name of names) addTo(graph, name, { input: `${name}+`, shape: [] });
    if (!isFirst) observe();
    const feeds = Object.fromEntries(names.map((name, i) => [`${name}+`, f32([10 ** (i + 1)])]));
    return await run(graph, { x: X, ...feeds });
  });
  const [before, after] = await Promise.all(seen);
  assertEquals(before, after);
  const mul = [1, 2, 3].map((x) => (x + 10) * (2 + 1000) + 100);
  const { y, z: _, ...taps } = after!;
  assertEquals(y, mul.map((value, i) => i + 11 - value));
  assertEquals(taps, {
    "tap:x": [1, 2, 3],
    "tap:x.statistics": [3],
    mul,
    "tap:mul.statistics": mul.slice(2),
    "tap:f32_2": [2],
    "tap:f32_2.statistics": [2],
  });
});

Deno.test("an input that only taps use cannot be patched", () => {
  const graph = graphOf((g) => {
    g.input("unused", "f32", ["N"]);
    g.output("y", g.mul(g.input("x", "f32", ["N"]), 2), ["N"]);
  });
  expose(graph, "unused");
  assertThrows(() => zero(graph, "unused"), RangeError, 'no node and no output uses "unused"');
});
