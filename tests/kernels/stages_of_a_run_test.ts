/** Kernels that keep systems in the stages of a run. */
import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { countStage } from "../../src/kernels/converge/count_stage.ts";
import { enterStage } from "../../src/kernels/converge/enter_stage.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { spendBudget } from "../../src/kernels/converge/spend_budget.ts";
import { advance } from "../../src/kernels/integrate/advance.ts";
import { Lab, onEach } from "./lab.ts";

onEach(
  "enter_stage activates only systems of its stages, and all of them afterwards",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 1, 1, 1], { active: [1, 1, 0, 1] });
    const awake = lab.i32([0, 0, 0, 0]), status = lab.i32([0, 1, 1, 2]);
    const enter = (first: number, end: number, notes: number) =>
      call(enterStage, { awake, status, first, end, notes });
    const all = enter(-(2 ** 30), 2 ** 30, 0);
    await lab.run([
      enter(1, 2, 1),
      call(advance, {}),
      enter(2, 9, 0),
      call(advance, {}),
      call(advance, {}),
      all,
    ], 1);
    assertEquals(await lab.read(lab.frame.ages), [0, 1, 0, 2]);
    assertEquals(await lab.read(lab.frame.active), [1, 1, 0, 1]);
  },
);

onEach(
  "count_stage counts the steps of each stage separately, for active systems",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 1, 1, 1], { active: [1, 1, 0, 1] });
    const status = lab.i32([0, 1, 1, 0]), stage = lab.i32([9, 9, 9, 9]);
    const steps = lab.i32([5, 5, 5, 5, 5, 5, 5, 5]);
    const count = call(countStage, { status, stage, steps, stages: 2 });
    assertEquals(await lab.run([count], 2), 2);
    lab.backend.write(status, [0, 1, 1, 2]); // a system in no stage is finished, and the run halts
    assertEquals(await lab.run([count], 2), 1);
    assertEquals(await lab.read(lab.frame.active), [1, 1, 0, 0]);
    assertEquals(await lab.read(steps), [8, 5, 5, 8, 5, 5, 7, 5]);
    assertEquals(await lab.read(stage), [0, 1, 1, 2]);
  },
);

onEach(
  "spend_budget advances systems that have used the steps of their stages",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 1, 1, 1, 1], { active: [1, 1, 0, 1, 1] });
    const status = lab.i32([0, 1, 1, 2, 1]), spent = lab.i32([1, 1, 1, 1, 1]);
    const steps = lab.i32([2, 5, 9, 1, 2, 9, 9, 9, 2, 2]);
    const begun = lab.i32([0, 5, 6, 0, 0, 9, 9, 9, 0, 0]);
    const budget = (stop: number) =>
      call(spendBudget, {
        status,
        steps,
        begun,
        spent,
        stages: 2,
        first: 0,
        end: 2,
        budget: 4,
        stop,
      });
    assertEquals(await lab.run([budget(0)], 5), 1);
    assertEquals(await lab.read(status), [0, 2, 1, 2, 2]);
    assertEquals(await lab.read(spent), [0, 1, 0, 0, 1]);
    assertEquals(await lab.read(lab.frame.active), [1, 1, 0, 1, 1]);
    assertEquals((await lab.read(lab.frame.control))[Control.HALT], 1);
    lab.backend.write(status, [0, 1, 1, 2, 2]);
    await lab.run([budget(1)], 1);
    assertEquals(await lab.read(lab.frame.active), [1, 0, 0, 1, 1]);
  },
);
