/**
 * Graphs that react to padded edges, or fail on empty lists or an element, in engines with default options.
 */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { Batch, NVE } from "@hooke/hooke";
import { type Backend, openWebGpu } from "@hooke/hooke/backend";
import { ModelMismatchError, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { decodeModel, GraphBuilder } from "@hooke/hooke/onnx";
import { numberLimits } from "../../src/models/onnx/elements/number_limits.ts";
import { device, testOnGpu } from "../backend/gpu.ts";
import { slow, test } from "../suite.ts";
import { CUTOFF, edgeSprings } from "./edge_springs.ts";

/** Hydrogen atoms on a line. */
const line = (...x: number[]) => ({
  numbers: x.map(() => 1),
  positions: x.flatMap((x) => [x, 0, 0]),
});

/** c(H) = 1 per atom, and (3 − 5)² for both directions of a pair at 3 Å. */
const PAIR = line(0, 3), PAIR_ENERGY = 2 + 4;
const ALONE = line(0, 30), ATOM = line(0);

async function run(
  bytes: Uint8Array,
  systems: Parameters<typeof Batch.from>[0],
  { backend, onWarning, ...options }: OnnxModelOptions & {
    backend?: Backend;
    onWarning?: (text: string) => void;
  } = {},
) {
  const more = { name: "springs.onnx", cutoff: CUTOFF, ...options };
  await using model = await OnnxModel.open(bytes, more);
  const batch = Batch.from(systems);
  await using md = new NVE({
    model,
    dt: 1,
    ...(backend === undefined ? {} : { backend }),
    onWarning: ({ error }) => onWarning?.((error as Error).message),
  });
  await md.run(batch, 0);
  return {
    energies: Array.from(batch.get("energy")),
    forces: Array.from(batch.get("forces")).filter((_, i) => i % 3 === 0),
    text: model.describe(),
  };
}

test("a graph that reacts to padded edges gives the right results with default options", async () => {
  const { energies, forces, text } = await run(edgeSprings({ isMasked: false }), [
    PAIR,
    ATOM,
    PAIR,
  ]);
  assertEquals(energies, [PAIR_ENERGY, 1, PAIR_ENERGY]);
  assertEquals(forces, [-4, 4, 0, -4, 4]);
  assert(text.includes("lists are padded on WebGPU only"), text);
});

test("requested padding is compared, and a graph that reacts to it is refused", async () => {
  const error = await assertRejects(
    () => run(edgeSprings({ isMasked: false }), [PAIR, ATOM], { padding: true }),
    ModelMismatchError,
    "springs.onnx: padded edges (from atom 0 to itself, 100 Å away) must add nothing; with them energy[0] is ",
  );
  assert(
    error.message.endsWith("leave out padding: true, so that its lists are not padded"),
  );
  const { energies, forces } = await run(edgeSprings(), [PAIR, ATOM], { padding: true });
  assertEquals([energies, forces], [[PAIR_ENERGY, 1], [-4, 4, 0]]);
});

test("an isolated atom gets its own energy from a graph that fails without edges", async () => {
  for (const hasTriplets of [false, true]) {
    const bytes = edgeSprings({ isNeedy: true, hasTriplets });
    const options = hasTriplets ? { reach: 4 } : {};
    const alone = await run(bytes, [ATOM], options);
    assertEquals([alone.energies, alone.forces], [[1], [0]]);
    const many = await run(bytes, [ATOM, ALONE, ATOM], options);
    assertEquals([many.energies, many.forces], [[1, 2, 1], [0, 0, 0, 0]]);
    // Edges, and no triplets.
    const mixed = await run(bytes, [ATOM, PAIR, ALONE], options);
    assertEquals([mixed.energies, mixed.forces], [[1, PAIR_ENERGY, 2], [0, -4, 4, 0, 0]]);
  }
});

test("a graph of single systems that fails without edges gives an error that names the system", async () => {
  for (const kind of [{ isNeedy: true }, { hasMean: true }]) {
    const bytes = edgeSprings({ ...kind, isSingle: true });
    assertEquals((await run(bytes, [PAIR, PAIR])).energies, [PAIR_ENERGY, PAIR_ENERGY]);
    const words = "springs.onnx on system 1 (far.xyz): none of its atoms has a neighbor within 5 Å";
    const named = { ...ALONE, info: { file: "far.xyz" } };
    await assertRejects(() => run(bytes, [PAIR, named]), RangeError, words);
  }
  assertEquals((await run(edgeSprings({ isSingle: true }), [PAIR, ALONE])).energies, [
    PAIR_ENERGY,
    2,
  ]);
});

test("an element beyond a table of the graph is refused with the atom and the system", async () => {
  const known = edgeSprings({ firstElement: 1 });
  assertEquals((await run(known, [ATOM])).energies, [0]);
  // Number 0 would be row −1, which a runtime takes as the last row.
  for (const [number, symbol] of [[11, "Na"], [0, "X"]] as const) {
    const info = { label: "salt" };
    const strange = { numbers: [1, number], positions: [0, 0, 0, 2, 0, 0], info };
    await assertRejects(
      () => run(known, [ATOM, strange]),
      RangeError,
      `Cannot use springs.onnx on atom 1 of system 1 (salt): it is ${symbol}, number ${number} to the model, ` +
        "whose table ",
    );
  }
  // Row 0 of a table is unused in a model of atomic numbers.
  const unknown = { numbers: [1, 0], positions: [0, 0, 0, 2, 0, 0] };
  await assertRejects(
    () => run(edgeSprings(), [ATOM, unknown]),
    RangeError,
    "on atom 1 of system 1: it is X, which is no element",
  );
  const numbered = { elements: { Na: 10, H: 1 } };
  const sodium = { numbers: [11], positions: [0, 0, 0] };
  assertEquals((await run(known, [sodium], numbered)).energies, [9]);
});

test("an element for which a graph fails is found by trial runs and named", async () => {
  const sparse = edgeSprings({ isSparse: true });
  const strange = { numbers: [1, 11], positions: [0, 0, 0, 2, 0, 0], info: { label: "salt" } };
  for (const systems of [[PAIR, strange], [strange], [{ numbers: [11], positions: [0, 0, 0] }]]) {
    const { length } = systems.at(-1)!.numbers;
    const error = await assertRejects(() => run(sparse, systems), RangeError);
    const where = `atom ${length - 1} of system ${systems.length - 1}${
      length > 1 ? " (salt)" : ""
    }`;
    const words =
      `Cannot use springs.onnx on ${where}: it is Na, number 11 to the model, and the graph fails`;
    assert(error.message.startsWith(words), error.message);
  }
});

test("the element numbers of a graph are found from its tables and one-hot rows", () => {
  const g = new GraphBuilder("lookups");
  const z = g.input("z", "i64", ["N"]), other = g.input("other", "i64", ["N"]);
  const table = g.constant("f32", [0, 0, 0, 0], [4]);
  const column = g.unsqueeze(g.sub(z, 2), [1]);
  const sum = g.add(g.constant("i64", 1), z);
  const looked = [
    g.gather(table, g.squeeze(column, [1])),
    g.op("GatherND", [table, column], "f32"),
    g.op("OneHot", [sum, g.constant("i64", 8), g.constant("f32", [0, 1])], "f32"),
    g.op("Equal", [g.unsqueeze(z, [1]), g.constant("i64", [0, 1, 2, 3, 4])], "bool"),
    g.gather(table, g.gather(z, other)), // of the ends of edges
    // Neither by the numbers of elements, nor all of them.
    g.gather(table, other),
    g.op("Equal", [g.unsqueeze(z, [1]), g.constant("i64", [1, 6, 8])], "bool"),
    g.gather(table, g.mul(z, 2)),
  ];
  looked.forEach((value, i) => g.output(`out${i}`, value));
  const limits = numberLimits(decodeModel(g.build()), "z");
  assertEquals(limits.map(({ range }) => range), [[2, 5], [2, 5], [-1, 6], [0, 4], [0, 3]]);
});

/** Runs `use` with a backend on the device that all tests share. */
async function onGpu(work: (backend: Backend) => Promise<void>): Promise<void> {
  const backend = await openWebGpu({ device: device! });
  try {
    await work(backend);
  } finally {
    backend.dispose();
  }
}

slow(testOnGpu)(
  "padding is compared before the first run on WebGPU, and a graph that reacts to it runs on the host",
  async () => {
    await onGpu(async (backend) => {
      const warnings: string[] = [];
      const onWarning = (text: string) => void warnings.push(text);
      const seen = await run(edgeSprings({ isMasked: false }), [PAIR, ATOM], {
        backend,
        onWarning,
      });
      assertEquals([seen.energies, seen.forces], [[PAIR_ENERGY, 1], [-4, 4, 0]]);
      assertEquals(warnings.length, 1);
      assert(
        warnings[0]!.startsWith("springs.onnx runs on the host and not on WebGPU"),
        warnings[0],
      );
      await assertRejects(
        () => run(edgeSprings({ isMasked: false }), [PAIR], { backend, padding: true }),
        ModelMismatchError,
        "must add nothing",
      );
      await using model = await OnnxModel.open(edgeSprings({ isMasked: false }), {
        cutoff: CUTOFF,
      });
      for (const systems of [[PAIR], [PAIR, PAIR]]) { // found once, and known for the second batch
        const batch = Batch.from(systems);
        const warn = ({ error }: { readonly error: unknown }) =>
          onWarning((error as Error).message);
        await using md = new NVE({ model, dt: 1, backend, onWarning: warn });
        await md.run(batch, 0);
        assertEquals([...batch.get("energy")], systems.map(() => PAIR_ENERGY));
      }
      assertEquals(warnings.length, 2);
      const masked = await run(edgeSprings({ isNeedy: true }), [ATOM, ALONE], {
        backend,
        onWarning,
      });
      assertEquals([masked.energies, warnings.length], [[1, 2], 2]);
      assert(masked.text.includes("padded and exact lists give the same results"));
      for (const force of masked.forces) assertAlmostEquals(force, 0, 1e-6);
    });
  },
);
