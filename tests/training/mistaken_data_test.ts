/** Errors about data or models that do not fit the trainer. */
import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { GraphBuilder, lennardJonesModel } from "../../src/onnx/mod.ts";
import { atomsData, energyForces, meanSquaredError } from "../../src/training/mod.ts";
import { sgd, Trainer } from "../../src/training/mod.ts";

/** A potential with a parameter: springs between the atoms of a pair. */
function springs(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("springs");
  const x = g.input("positions", "f32", ["N", 3]);
  const k = g.parameter("k", [1], [1]);
  g.output("energy", g.reduceSum(g.mul(g.mul(x, x), k), [1]), ["N"]);
  return g.build();
}

const DIMER = { symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3.8, 0, 0]] };

/** The error of a trainer about frames. */
async function saidTo(frame: object): Promise<string> {
  await using trainer = new Trainer({
    model: springs(),
    loss: energyForces(),
    optimizers: sgd({ lr: 1 }),
    data: atomsData([{ ...DIMER, ...frame }], { cutoff: 5, batchSize: 1 }),
  });
  const { message } = await assertRejects(() => trainer.train(), TypeError);
  return message;
}

Deno.test("a target that the frames lack is not taken for one that they have", async () => {
  const has = "got z, batch_idx, energy0, positions, edge_index, shifts";
  assertEquals(
    await saidTo({ forces: [0, 0, 0, 0, 0, 0] }),
    `Cannot run trainer: each batch must have "energy_target" [N]; ${has}, forces_target`,
  );
  assertEquals(
    await saidTo({ energy: 1 }),
    `Cannot run trainer: each batch must have "forces_target" [N, 3]; ${has}, energy_target, atoms`,
  );
});

Deno.test("a target that is called almost so is asked about", async () => {
  await using trainer = new Trainer({
    model: springs(),
    optimizers: sgd({ lr: 1 }),
    loss: meanSquaredError({ target: "wanted" }),
  });
  const data = { data: new Float32Array(3), dims: [1, 3] };
  const { message } = await assertRejects(
    () => trainer.step({ positions: data, wantd: { data: Float32Array.of(1), dims: [1] } }),
    TypeError,
  );
  assertEquals(message.slice(message.lastIndexOf(";")), "; did you mean wantd?");
});

Deno.test("the error about a model without float32 parameters lists its tensors", () => {
  const g = new GraphBuilder("double");
  const x = g.input("x", "f64", ["B", 1]);
  g.output("y", g.op("MatMul", [x, g.constant("f64", [2], [1, 1])], "f64"), ["B", 1]);
  const loss = meanSquaredError({ output: "y", target: "wanted" });
  const made = (model: Uint8Array) => new Trainer({ model, loss, optimizers: sgd({ lr: 1 }) });
  const { message } = assertThrows(() => made(g.build()), RangeError);
  assertMatch(message, /must have float32 tensors to train; got \S+ \(f64 \[1, 1\]\)$/);
  const lennardJones = lennardJonesModel({ epsilon: 1, sigma: 1, cutoff: 3 });
  assertThrows(() => made(lennardJones), RangeError, " more");
});
