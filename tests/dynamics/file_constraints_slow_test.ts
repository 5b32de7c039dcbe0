// Files that ASE has written, run as ASE runs them: what is fixed stays, and what no engine knows is said.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { AseDatabaseSink, ExtxyzSink } from "../../src/sinks/mod.ts";
import { openPython, pythonTest } from "../python.ts";
import { ARGON } from "./atoms.ts";

const WRITE = `
import sys
from ase.build import bulk
from ase.constraints import FixAtoms, FixBondLength, FixCartesian
from ase.db import connect
from ase.io import write
atoms = [bulk("Ar", a=5.26, cubic=True).repeat(2) for _ in range(4)]
for i, one in enumerate(atoms):
    one.rattle(0.1, seed=i)
atoms[1].set_constraint(FixAtoms([0, 5]))
atoms[2].set_constraint([FixAtoms([1]), FixCartesian([3, 4], (True, False, True))])
atoms[3].set_constraint([FixAtoms([2]), FixBondLength(6, 7)])
write(sys.argv[1], atoms[:2])
write(sys.argv[2], atoms[2])
with connect(sys.argv[3]) as db:
    for one in atoms[1:2] + atoms[3:]:
        db.write(one)
`;

const READ = `
import json, sys
from ase.io import read
print(json.dumps([c.index.tolist() for c in read(sys.argv[1], "-1").constraints]))
`;

/** Runs a batch, and returns the coordinates of each system that have not changed by a bit. */
async function heldIn(batch: Batch, warnings: HookWarning[] = []): Promise<number[][]> {
  const before = batch.clone();
  await using md = new NVE({ model: ARGON, dt: 2, onWarning: (one) => void warnings.push(one) });
  await md.run(batch, 20);
  return batch.systems().map((system, s) => {
    const was = before.system(s).positions;
    return [...system.positions.keys()].filter((i) => system.positions[i] === was[i]);
  });
}

pythonTest("atoms that ASE has fixed stay, in extended XYZ and in databases", async () => {
  const python = await openPython("ase");
  const folder = await Deno.makeTempDir();
  try {
    const [all, some, db, out] = ["all.xyz", "some.xyz", "some.db", "out.xyz"].map((name) =>
      `${folder}/${name}`
    );
    await python.run(WRITE, [all!, some!, db!]);

    const batch = Batch.from(parseExtxyz(await Deno.readTextFile(all!)));
    const fixed = [0, 1, 2, 15, 16, 17];
    assertEquals(await heldIn(batch), [[], fixed]);
    {
      await using sink = new ExtxyzSink(out!);
      await sink.write(batch);
    }
    assertEquals(JSON.parse(await python.run(READ, [out!])), [[0, 5]]);

    const single = Batch.from(parseExtxyz(await Deno.readTextFile(some!)));
    assertEquals(await heldIn(single), [[3, 4, 5, 9, 11, 12, 14]]);

    const warnings: HookWarning[] = [];
    await using rows = new AseDatabaseSink(db!);
    assertEquals(await heldIn(await rows.read(), warnings), [fixed, [6, 7, 8]]);
    assertEquals(warnings.length, 1);
    assertMatch(String(warnings[0]!.error), /FixBondLengths? of system 1 is ignored/);
    assert(rows.length === 2);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
