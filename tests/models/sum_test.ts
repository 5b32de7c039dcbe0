import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { Batch, NVE, potential, sum, System, tethers } from "@hooke/hooke";

const atom = () => Batch.from([new System({ symbols: ["Ar"], positions: [1, 0, 0] })]);

Deno.test("models of a sum add up, and two tethers keep anchors of their own", async () => {
  const near = tethers({ stiffness: 2, anchors: [0, 0, 0] });
  const far = tethers({ stiffness: 1, anchors: [4, 0, 0] });
  const push = potential(({ forces }) => {
    forces[0]! += 10;
    return 7;
  });
  const batch = atom();
  await using md = new NVE({ model: sum(near, far, push), dt: 1, backend: "reference" });
  await md.run(batch, 0);
  assertAlmostEquals(batch.get("energy")[0]!, 1 + 4.5 + 7, 1e-12);
  assertAlmostEquals(batch.get("forces")[0]!, -2 + 3 + 10, 1e-12);
});

Deno.test("a sum gives what each of its models gives, and needs one", () => {
  const spring = tethers({ stiffness: 1 });
  assertEquals(sum(spring, potential(() => 0)).gives, ["energy", "forces"]);
  assertThrows(() => sum(), RangeError, "it must have a model or more");
});
