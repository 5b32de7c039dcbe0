import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { kick } from "../../src/kernels/integrate/kick.ts";
import { outputsOf } from "../../src/models/model.ts";
import {
  Batch,
  type DynamicsContext,
  DynamicsStage,
  type Model,
  NVE,
  potential,
  sum,
  System,
  tethers,
} from "@hooke/hooke";
import { centerBias } from "@hooke/hooke/models";
import { MaxForceClampHook } from "@hooke/hooke/observe";

const atom = () => Batch.from([new System({ symbols: ["Ar"], positions: [1, 0, 0] })]);

Deno.test("models of a sum are added, and two tethers keep their own anchors", async () => {
  const near = tethers({ stiffness: 2, anchors: [0, 0, 0] });
  const far = tethers({ stiffness: 1, anchors: [4, 0, 0] });
  const push = potential(({ forces }) => {
    forces[0]! += 10;
    return 7;
  });
  const batch = atom();
  await using md = new NVE({ model: sum(near, far, push), dt: 1, device: "reference" });
  await md.run(batch, 0);
  assertAlmostEquals(batch.get("energy")[0]!, 1 + 4.5 + 7, 1e-12);
  assertAlmostEquals(batch.get("forces")[0]!, -2 + 3 + 10, 1e-12);
});

Deno.test("a sum gives the outputs that all of its models give, and requires a model", () => {
  const spring = tethers({ stiffness: 1 });
  assertEquals(sum(spring, potential(() => 0)).gives, ["energy", "forces"]);
  assertThrows(() => sum(), RangeError, "at least one model is required; got 0");
  assertThrows(
    () => sum(spring, tethers as never),
    TypeError,
    "argument 1 must be a model; got function tethers",
  );
});

Deno.test("custom potentials and springs name an unknown option", () => {
  assertThrows(() => tethers({ k: 1 } as never), TypeError, 'got "k"');
  assertThrows(() => tethers({} as never), TypeError, "stiffness must be a number");
  const anchor = { stiffness: 1, anchor: [0, 0, 0] };
  assertThrows(() => tethers(anchor), TypeError, "must be among stiffness, anchors; got");
  const middle = { stiffness: 1, middle: [0, 0, 0] };
  assertThrows(() => centerBias(middle as never), TypeError, 'got "middle"');
  const label = { label: "a well" };
  assertThrows(() => potential(() => 0, label as never), TypeError, 'got "label"');
});

Deno.test("asynchronous models are added in their order, regardless of which is ready first", async () => {
  const late = (force: number, milliseconds: number): Model => ({
    name: `in ${milliseconds} ms`,
    gives: ["energy", "forces"],
    open: (state) => ({
      async compute() {
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        state.backend.view(state.field("forces"))[0]! += force;
      },
    }),
  });
  // In another order the sum is 1.
  const model = sum(late(1, 10), late(1e20, 5), potential(() => 0), late(-1e20, 0));
  const batch = atom();
  await using md = new NVE({ model, dt: 1, device: "reference" });
  await md.run(batch, 0);
  assertEquals(batch.get("forces")[0], 0);
});

/** Writes a force of this size along x to a buffer of its own on the host; a kernel adds it to the forces. */
function inTwo(size: number): Model {
  return {
    name: "in two",
    gives: ["energy", "forces"],
    open(state) {
      const given = state.scratch(`given ${size}`, { dtype: "real", level: "node", width: 3 });
      const one = state.constants("real", [1]);
      const half = state.constants("real", [2]);
      return {
        compute: () => state.backend.write(given, [size]),
        // forces += ½ · 2 · given · 1: what a kick does to velocities
        add: () => [
          call(kick, {
            velocities: outputsOf(state).forces,
            forces: given,
            weights: one,
            dt: half,
          }),
        ],
      };
    },
  };
}

Deno.test("kernels of a model run after its computation on the host, and before hooks modify forces", async () => {
  for (const device of ["reference", "wasm"] as const) {
    const seen: number[] = [];
    const batch = atom();
    await using md = new NVE({ model: sum(inTwo(3), inTwo(5)), dt: 1, device });
    md.hooks.add({
      stage: DynamicsStage.AFTER_COMPUTE,
      frequency: 1,
      reads: ["forces"] as const,
      call: (ctx: DynamicsContext<"forces">) => void seen.push(ctx.read.forces[0]!),
    });
    await md.run(batch, 0);
    assertEquals(batch.get("forces")[0], 8); // the forces before step 0
    md.hooks.add(new MaxForceClampHook({ maxForce: 6 }));
    await md.run(batch, 2);
    assertEquals(seen, [6, 6]);
    assertEquals(batch.get("forces")[0], 6);
  }
});

Deno.test("all parts of a sum are closed, whether they compute on the host or not", async () => {
  const closed: string[] = [];
  const closing = (name: string, isVisited: boolean): Model => ({
    name,
    gives: ["energy", "forces"],
    open: () => ({
      ...(isVisited && { compute: () => {} }),
      close: () => void closed.push(name),
    }),
  });
  for (const isVisited of [false, true]) {
    await using md = new NVE({
      model: sum(closing("one", isVisited), tethers({ stiffness: 1 })),
      dt: 1,
    });
    await md.run(atom(), 1);
    assertEquals(closed.length, Number(isVisited));
    await md.close();
  }
  assertEquals(closed, ["one", "one"]);
});
