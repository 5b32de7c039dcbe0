/** Gradients of a loss on forces by the parameters of real networks: what training on forces needs. */
import { assert, assertEquals } from "@std/assert";
import {
  dataOf,
  decodeModel,
  gradient,
  Graph,
  openEvaluator,
  openSession,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { worst } from "../ort.ts";
import { readModel, readSecondReference, type Reference } from "../shared_models.ts";
import { feedOf, type Feeds, numbersOf } from "./atoms.ts";
import { lacks } from "../../machine.ts";

/** A network, and how its parameters are in the file. */
interface Network {
  /** Parameters that the exporter has turned, and the names that they have since. */
  readonly turned: Readonly<Record<string, string>>;
  /** Largest accepted difference of gradients in float64, which the rounding of the weights in the file causes. */
  readonly float64: number;
}

const NETWORKS: Readonly<Record<string, Network>> = {
  mlp: { turned: {}, float64: 2e-7 },
  schnet: { turned: {}, float64: 2e-7 },
  // Small square roots: what a weight is rounded by counts more.
  painnx: { turned: { "UV.0.weight": "val_124", "UV.1.weight": "val_208" }, float64: 5e-6 },
};

/** Largest accepted difference of gradients on onnxruntime, relative to the largest element. */
const FLOAT32 = 5e-6;

/** Adds the loss Σ forces · V + Σ energy; answers with the graph, with the loss as an output. */
function withLoss(model: string): Graph {
  const graph = new Graph(decodeModel(readModel(`${model}_e.onnx`)));
  gradient(graph, { of: "energy", wrt: { positions: "slope" } });
  graph.addInput(valueInfo("V", "f32", ["N", 3]));
  const along = graph.make("Mul", [graph.make("Neg", ["slope"]), "V"]);
  const terms = [along, "energy"].map((term) => graph.make("ReduceSum", [term], { keepdims: 0 }));
  graph.make("Add", terms, {}, "loss");
  graph.addOutput(valueInfo("loss", "f32", []));
  return graph;
}

/** A matrix with rows for columns. */
function transposed(data: ArrayLike<number>, [rows, columns]: readonly number[]): Float64Array {
  return Float64Array.from(
    { length: rows! * columns! },
    (_, i) => data[(i % rows!) * columns! + Math.floor(i / rows!)]!,
  );
}

/** The parameters that PyTorch has a gradient by. */
function parametersOf(outputs: Reference["outputs"]): string[] {
  return Object.keys(outputs).filter((name) => name.startsWith("grad:")).map((name) =>
    name.slice("grad:".length)
  );
}

function feedsOf(inputs: Reference["inputs"]): Feeds {
  return Object.fromEntries(Object.entries(inputs).map(([name, each]) => [name, feedOf(each)]));
}

function assertClose(
  name: string,
  own: ArrayLike<number>,
  expected: ArrayLike<number>,
  limit: number,
): void {
  const off = worst(own, expected);
  assert(
    off <= limit,
    `${name} is ${off} of its largest element away, and ${limit} at most is right`,
  );
}

/** Lets a parameter go some way when a number that is fed goes from 0. */
function moveAlong(graph: Graph, parameter: string, t: string): void {
  const { dims } = graph.constant(parameter)!;
  const count = dims.reduce((product, length) => product * Number(length), 1);
  const way = Float32Array.from({ length: count }, (_, i) => 0.1 * Math.sin(3 * i + count));
  const shift = graph.make("Mul", [t, graph.constantOf("f32", way, dims.map(Number))]);
  const moved = graph.add("Add", [parameter, shift]);
  graph.replaceUses(parameter, moved.output[0]!, moved);
}

for (const [model, { turned, float64 }] of Object.entries(NETWORKS)) {
  Deno.test({
    name: `${model}: parameter gradients of a loss on forces agree with PyTorch`,
    ignore: lacks("models"),
    async fn() {
      const { inputs, outputs } = readSecondReference(model);
      const feeds = feedsOf(inputs);
      const parameters = parametersOf(outputs);
      const graph = withLoss(model);
      const names = Object.fromEntries(
        parameters.map((name) => [turned[name] ?? name, `grad:${name}`]),
      );
      assertEquals(gradient(graph, { of: "loss", wrt: names }).names, names);

      const expected = (name: string) => {
        const numbers = numbersOf(outputs[name]), { dims } = outputs[name]!;
        return turned[name.slice(5)] === undefined ? numbers : transposed(numbers, dims);
      };
      const wanted = ["loss", ...Object.values(names)];
      const exact = openEvaluator(graph).run(feeds, wanted);
      await using session = await openSession(graph.encode());
      const rounded = await session.run(feeds, wanted);
      for (const name of wanted) {
        assertClose(name, exact[name]!.data, expected(name), float64);
        assertClose(name, dataOf(rounded, name, "float32"), expected(name), FLOAT32);
      }
    },
  });

  Deno.test({
    name:
      `${model}: parameter gradients of a loss on forces agree with finite differences in float64`,
    ignore: lacks("models"),
    fn() {
      const { inputs, outputs } = readSecondReference(model);
      const parameters = parametersOf(outputs);
      const graph = withLoss(model);
      graph.addInput(valueInfo("t", "f32", []));
      for (const name of parameters.map((name) => turned[name] ?? name)) {
        moveAlong(graph, name, "t");
      }
      gradient(graph, { of: "loss", wrt: { t: "slope by t" } });
      const evaluator = openEvaluator(graph), feeds = feedsOf(inputs);
      const at = (t: number, wanted: string) => {
        const shift = { type: "f32", dims: [], data: Float64Array.of(t) } as const;
        return evaluator.run({ ...feeds, t: shift }, [wanted])[wanted]!.data[0]!;
      };
      const h = 1e-4, loss = (t: number) => at(t, "loss");
      const slope = (8 * (loss(h) - loss(-h)) - (loss(2 * h) - loss(-2 * h))) / (12 * h);
      assertClose("the slope", [at(0, "slope by t")], [slope], 1e-8);
    },
  });
}
