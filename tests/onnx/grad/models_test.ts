/**
 * Forces of real potentials, as the gradient of their energy: against PyTorch, against the graphs that PyTorch's own
 * autograd was traced into, and against what physics says of them.
 */
import { assert, assertEquals } from "@std/assert";
import {
  dataOf,
  decodeModel,
  gradient,
  Graph,
  openEvaluator,
  openSession,
  type Session,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { worst } from "../ort.ts";
import { readModel, readReference } from "../shared_models.ts";
import {
  alone,
  countsOf,
  doubled,
  type Feeds,
  numbersOf,
  padded,
  referenceFeeds,
  reordered,
  rowsOf,
  turned,
  withPositions,
} from "./atoms.ts";
import { lacks } from "../../machine.ts";

/**
 * Largest accepted differences, relative to the largest force. In float64, only the weights of the file are rounded.
 */
interface Limits {
  readonly float64: number;
  readonly float32: number;
}

const MODELS: Readonly<Record<string, Limits>> = {
  mlp: { float64: 1.5e-7, float32: 4e-6 },
  schnet: { float64: 2.5e-7, float32: 4e-6 },
  painnx: { float64: 1e-6, float32: 4e-6 },
  ani1x_1: { float64: 8e-7, float32: 4e-6 },
};

/** Models with a graph that PyTorch traced forces into → how many nodes that has. */
const TRACED: Readonly<Record<string, number>> = { schnet: 197, ani1x_1: 333 };

/** The model with one more output, the forces. */
function withForces(model: string): Graph {
  const graph = new Graph(decodeModel(readModel(`${model}_e.onnx`)));
  gradient(graph, { of: "energy", wrt: { positions: "slope" } });
  graph.make("Neg", ["slope"], {}, "forces");
  graph.addOutput(valueInfo("forces", "f32", ["N", 3]));
  return graph;
}

/** Energies and forces on onnxruntime, in float32. */
async function run(session: Session, feeds: Feeds) {
  const outputs = await session.run(feeds, ["energy", "forces"]);
  const [energy, forces] = ["energy", "forces"].map((name) => dataOf(outputs, name, "float32"));
  return { energy: energy!.slice(), forces: forces!.slice() };
}

function assertClose(actual: ArrayLike<number>, expected: ArrayLike<number>, limit: number): void {
  const off = worst(actual, expected);
  assert(off <= limit, `${off} of the largest value away, and ${limit} at most is right`);
}

for (const [model, limits] of Object.entries(MODELS)) {
  Deno.test({
    name: `${model}: forces in float64 agree with PyTorch, apart from the rounding of weights`,
    ignore: lacks("models"),
    fn() {
      const { energy, forces } = readReference(model).outputs;
      const found = openEvaluator(withForces(model)).run(referenceFeeds(model), [
        "energy",
        "forces",
      ]);
      assertClose(found["forces"]!.data, numbersOf(forces), limits.float64);
      assertClose(found["energy"]!.data, numbersOf(energy), limits.float64);
    },
  });

  Deno.test({
    name: `${model}: forces in float64 agree with finite differences along a random direction`,
    ignore: lacks("models"),
    fn() {
      const evaluator = openEvaluator(withForces(model)), feeds = referenceFeeds(model);
      const start = Float64Array.from(feeds["positions"]!.data as Float32Array);
      const way = start.map((_, i) => Math.sin(1 + 7 * i));
      const energyAt = (shift: number) => {
        const data = start.map((x, i) => x + shift * way[i]!);
        const positions = { type: "f32", dims: feeds["positions"]!.dims!, data } as const;
        return evaluator.run({ ...feeds, positions }, ["energy"])["energy"]!.data.reduce((a, b) =>
          a + b
        );
      };
      const h = 1e-5;
      const slope = (8 * (energyAt(h) - energyAt(-h)) - (energyAt(2 * h) - energyAt(-2 * h))) /
        (12 * h);
      const { data } = evaluator.run(feeds, ["forces"])["forces"]!;
      assertClose([-data.reduce((sum, force, i) => sum + force * way[i]!, 0)], [slope], 1e-7);
    },
  });

  Deno.test({
    name:
      `${model}: forces on onnxruntime agree with PyTorch in float32, for inputs A, B and A again`,
    ignore: lacks("models"),
    async fn() {
      await using session = await openSession(withForces(model).encode());
      const { energy, forces } = readReference(model).outputs;
      const a = referenceFeeds(model);
      const b = withPositions(
        doubled(a),
        (positions) => positions.map((x, i) => x + 0.01 * Math.sin(i)),
      );
      const first = await run(session, a);
      const between = await run(session, b);
      const second = await run(session, a);
      assertClose(first.forces, numbersOf(forces), limits.float32);
      assertClose(first.energy, numbersOf(energy), limits.float32);
      assert(
        worst(between.forces.subarray(0, first.forces.length), first.forces) > 1e-3,
        "it is another batch",
      );
      assertEquals(second, first);
    },
  });

  Deno.test({
    name: `${model}: forces of each system sum to zero`,
    ignore: lacks("models"),
    async fn() {
      await using session = await openSession(withForces(model).encode());
      const feeds = referenceFeeds(model), { forces } = await run(session, feeds);
      const { systems } = countsOf(feeds), batch = feeds["batch_idx"]!.data as BigInt64Array;
      const sums = new Float64Array(3 * systems);
      for (const [i, force] of forces.entries()) {
        sums[3 * Number(batch[Math.floor(i / 3)]) + i % 3]! += force;
      }
      const largest = forces.reduce((most, force) => Math.max(most, Math.abs(force)), 0);
      assertClose([...sums, largest], [...sums.map(() => 0), largest], 5e-6);
    },
  });

  Deno.test({
    name: `${model}: forces rotate with the positions, and energies do not change`,
    ignore: lacks("models"),
    async fn() {
      await using session = await openSession(withForces(model).encode());
      const feeds = referenceFeeds(model), { energy, forces } = await run(session, feeds);
      const round = await run(session, withPositions(feeds, turned));
      assertClose(round.energy, energy, limits.float32);
      assertClose(round.forces, turned(forces), 3 * limits.float32);
      assert(worst(round.forces, forces) > 0.1, "it is a large turn");
    },
  });

  Deno.test({
    name: `${model}: forces are permuted with the atoms`,
    ignore: lacks("models"),
    async fn() {
      await using session = await openSession(withForces(model).encode());
      const feeds = referenceFeeds(model), { energy, forces } = await run(session, feeds);
      const { atoms } = countsOf(feeds);
      const order = Array.from({ length: atoms }, (_, i) => (i * 17 + 5) % atoms);
      assertEquals(new Set(order).size, atoms);
      const mixed = await run(session, reordered(feeds, order));
      assertClose(mixed.energy, energy, limits.float32);
      assertClose(mixed.forces, rowsOf(forces, order, 3), limits.float32);
    },
  });

  Deno.test({
    name: `${model}: results of a joined batch agree with those of each part`,
    ignore: lacks("models"),
    async fn() {
      await using session = await openSession(withForces(model).encode());
      const feeds = referenceFeeds(model), { energy, forces } = await run(session, feeds);
      const both = await run(session, doubled(feeds));
      for (const [all, one] of [[both.energy, energy], [both.forces, forces]] as const) {
        assertEquals(all.length, 2 * one.length);
        assertClose(all.subarray(0, one.length), one, 1e-6);
        assertClose(all.subarray(one.length), one, 1e-6);
      }
    },
  });

  Deno.test({
    name: `${model}: edges beyond the cutoff change nothing`,
    ignore: lacks("models"),
    async fn() {
      await using session = await openSession(withForces(model).encode());
      const feeds = referenceFeeds(model), before = await run(session, feeds);
      for (const edges of [1, 37]) {
        const after = await run(session, padded(feeds, edges));
        assertClose(after.energy, before.energy, 1e-6);
        assertClose(after.forces, before.forces, 1e-6);
      }
    },
  });

  Deno.test({
    name: `${model}: isolated atoms have zero forces`,
    ignore: lacks("models"),
    async fn() {
      const graph = withForces(model), feeds = alone(referenceFeeds(model));
      await using session = await openSession(graph.encode());
      const { energy, forces } = await run(session, feeds);
      const exact = openEvaluator(graph).run(feeds, ["energy", "forces"]);
      assertClose(energy, exact["energy"]!.data, limits.float32);
      const none = new Float64Array(3 * countsOf(feeds).atoms);
      assertEquals([...forces].map((force) => force + 0), [...none]);
      assertEquals([...exact["forces"]!.data].map((force) => force + 0), [...none]);
    },
  });
}

for (const [model, nodes] of Object.entries(TRACED)) {
  Deno.test({
    name: `${model}: forces agree with PyTorch's traced graph, with fewer nodes`,
    ignore: lacks("models"),
    async fn() {
      const graph = withForces(model), traced = readModel(`${model}_ef.onnx`);
      const feeds = referenceFeeds(model);
      assertEquals(new Graph(decodeModel(traced)).nodes.length, nodes);
      assert(graph.nodes.length < nodes, `${graph.nodes.length} nodes`);
      // The same weights and the same mathematics: in float64 they are equal but for the last bits.
      const [own, theirs] = [graph, traced].map((each) =>
        openEvaluator(each).run(feeds, ["forces"])["forces"]!
      );
      assertClose(own!.data, theirs!.data, 1e-13);
      await using session = await openSession(graph.encode());
      await using tracedSession = await openSession(traced);
      assertClose(
        (await run(session, feeds)).forces,
        (await run(tracedSession, feeds)).forces,
        1e-6,
      );
    },
  });
}
