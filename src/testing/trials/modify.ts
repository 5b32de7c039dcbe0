/** Trials of kernels that modify results of other kernels. */
import { call } from "../../backend/backend.ts";
import { alignCells } from "../../kernels/cells/align_cells.ts";
import { clampForces } from "../../kernels/modify/clamp_forces.ts";
import { freezeAtoms } from "../../kernels/modify/freeze_atoms.ts";
import { wrapPositions } from "../../kernels/modify/wrap_positions.ts";
import type { Trials } from "../trial.ts";
import { cellOf, type World } from "../world.ts";

function moved(world: World) {
  const [positions, velocities] = [world.atom("positions"), world.atom("velocities")];
  return { positions, velocities, forces: world.atom("forces") };
}

/** Trials of modifiers, by kernel. */
export const MODIFY: Trials = {
  clamp_forces(world) {
    const forces = world.atom("forces");
    return { calls: [call(clampForces, { forces, limit: 1.5 })], looks: { forces } };
  },
  freeze_atoms(world) {
    const [held, cell] = [moved(world), world.system("cell")];
    const where = { anchors: world.atom("anchors"), images: world.whole("images"), cell };
    const args = { ...held, ...where, frozen: world.whole("frozen"), what: 7 };
    return { calls: [call(freezeAtoms, args)], looks: held };
  },
  wrap_positions(world) {
    const [positions, images] = [world.atom("positions"), world.whole("images")];
    const args = { positions, images, cell: world.system("cell"), pbc: world.whole("pbc") };
    return { calls: [call(wrapPositions, args)], looks: { positions, images } };
  },
  align_cells(world) {
    const [all, cell, pbc] = [moved(world), world.system("cell"), world.whole("pbc")];
    // Use a cell that is not aligned, so that the kernel has to rotate it.
    const turned = world.systems("real", 9, (member) => {
      const h = cellOf(member);
      return [0, 3, 6].flatMap((k) => [h[k + 1]!, h[k + 2]!, h[k]!]);
    });
    return {
      calls: [
        call(alignCells, { cell: turned, ...all, pbc }),
        call(alignCells, { cell, ...all, pbc }),
      ],
      looks: { turned, cell, ...all },
    };
  },
};
