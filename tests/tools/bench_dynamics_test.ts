import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { compareWorst, resultOf, worstOf } from "../../bench/dynamics/against.ts";
import { argonModel, crystals, readInput, shuffled } from "../../bench/dynamics/input.ts";
import { openCase } from "../../bench/dynamics/ours.ts";
import { observers } from "../../bench/dynamics/observers.ts";
import { figuresOf, replaceWritten } from "../../bench/dynamics/report.ts";
import rows from "../../bench/dynamics_table.ts";
import { CASES } from "../../bench/peers/cases.ts";
import { missingOf } from "../../bench/peers/places.ts";
import type { Paired } from "../../bench/peers/rounds.ts";
import { needsOf, playCase } from "../../bench/peers/run.ts";
import type { Done } from "../../bench/peers/serve_turns.ts";
import { type BenchRow, isMeasured } from "../../bench/row.ts";
import { formatJson, formatRow, settingOf } from "../../bench/table.ts";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import { openBackend } from "../../src/backend/mod.ts";
import { updates } from "../../bench/dynamics/updates.ts";
import { NVE } from "../../src/dynamics/mod.ts";

const ROW: BenchRow = {
  id: "dynamics/1",
  name: "NVE",
  limit: 0.0167,
  unit: "x",
  run: () => Promise.resolve({ missing: "needs LAMMPS" }),
};

/** Turns of these CPU times, wall times twice as long, baselines of 10. */
function turns(...cpu: number[]): Paired[] {
  const told = { steps: 7 }, baseline = { cpu: 10, wall: 10, told: {} };
  return cpu.map((one) => ({ turn: { cpu: one, wall: 2 * one, told }, baseline }));
}

Deno.test("a row divides the least of ours by the least of the fastest peer that counts", () => {
  const played = {
    turns: {
      ours: turns(4, 3, 6),
      slow: turns(20, 12, 30),
      fast: turns(11, 10, 15),
      best: turns(1, 1, 1),
    },
    about: {},
  };
  const { value, runs, note } = resultOf({ case: "x", peers: ["slow", "fast"], of: "cpu" }, played);
  assertAlmostEquals(value, 0.3);
  assertEquals(runs, [4 / 11, 3 / 10, 6 / 15]);
  assertEquals(
    note,
    "x: ours 3 ns, slow 12 ns, fast 10 ns, best (not counted) 1 ns; relative to the baselines 0.36×",
  );
  assertEquals(resultOf({ case: "x", peers: ["slow"], of: "wall" }, played).value, 6 / 24);
  assertEquals(resultOf({ case: "x", peers: ["slow"], of: "steps" }, played).value, 1);
});

Deno.test("a row may divide another side of ours, and the worst of several comparisons counts", async () => {
  const turnsOf = { ours: turns(4), "ours native": turns(2), peer: turns(10) };
  const played = { turns: turnsOf, about: {} };
  const asked = { case: "x", peers: ["peer"], of: "cpu", side: "ours native" } as const;
  const { value, note } = resultOf(asked, played);
  assertEquals(value, 0.2);
  assertEquals(
    note,
    "x: ours native 2 ns, ours (not counted) 4 ns, peer 10 ns; relative to the baselines 0.20×",
  );
  const missing = await compareWorst({ work: "/none", makes: false }, [asked]);
  assert(!isMeasured(missing) && missing.missing.includes("--peers"));
  assertEquals(worstOf([{ value: 1, runs: [1], note: "a" }, { value: 2, runs: [2], note: "b" }]), {
    value: 2,
    runs: [2],
    note: "1×, a; 2×, b",
  });
});

Deno.test("a side that cannot run here takes no turns, and is reported as missing", async () => {
  const cost = { cpu: 1, wall: 1, told: {} };
  const folder = await Deno.makeTempDir();
  const script = `${folder}/ours.ts`;
  await Deno.writeTextFile(
    script,
    `const { runtime } = JSON.parse(Deno.args[1]);
    if (runtime === "native") console.log('{"ready":true,"missing":"no package"}');
    else {
      console.log('{"ready":true}');
      for await (const _ of Deno.stdin.readable) console.log('{"cpu_s":1,"wall_s":1,"events":1}');
    }`,
  );
  const { turns, about } = await playCase("train mlp_large_64", {
    places: { peers: "", work: folder },
    repeats: 1,
    ours: script,
    takes: () => false,
    baseline: { about: {}, turn: () => Promise.resolve(cost), close: () => Promise.resolve() },
  });
  assertEquals([Object.keys(turns), about["ours native"]], [["ours"], { missing: "no package" }]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the table of dynamics has the rows and limits that were promised", () => {
  assertEquals(
    rows.map(({ id, limit }) => [id, limit]),
    [
      ...[0.8, 0.8, 1.15, 0.85, 1, 0.75, 0.067, 0.0167, 1.3, 12, 0.02, 0.05, 1.05, 1.03, 0, 0.5]
        .map((limit, i) => [`dynamics/${i + 1}`, limit]),
      ["dynamics/17", 1.1],
      ["dynamics/18", 0.6],
      ["dynamics/19", 1.3],
    ],
  );
});

Deno.test("a row whose peers are not there says so, and is neither good nor bad", async () => {
  const alone = [10, 14, 15, 17, 18, 19].map((n) => `dynamics/${n}`);
  const work = "/there/is/no/such/folder";
  for (const row of rows.filter(({ id }) => !alone.includes(id))) {
    for (const peers of [undefined, "/no/peers"]) {
      const result = await row.run({ ...peers && { peers }, work, makes: false });
      assert(!isMeasured(result), row.id);
      assertStringIncludes(result.missing, "--peers");
    }
  }
  const result = await ROW.run({ work, makes: false });
  assertStringIncludes(formatRow(ROW, result), "NOT MEASURED");
  assertStringIncludes(formatRow(ROW, result), "needs LAMMPS");
  assertEquals(
    formatJson(ROW, result),
    '{"id":"dynamics/1","value":null,"limit":0.0167,"unit":"x","runs":[]}',
  );
});

Deno.test("settingOf() makes only for peers that were named, and takes none for the guard", async () => {
  assertEquals((await settingOf({ peers: "bench" })).makes, true);
  assertEquals((await settingOf({})).makes, false);
  assertEquals(await settingOf({ peers: "bench", guard: true, venvs: "/v" }), {
    work: "/v",
    makes: false,
    isQuick: true,
  });
});

Deno.test("missingOf() names what a case needs and has not", async () => {
  const work = await Deno.makeTempDir();
  const needs = needsOf(["batch 64x32"]);
  const ofAll = await missingOf({ peers: "", work }, needs);
  assertEquals(ofAll, [
    "the C programs",
    "the environment of lammps",
    "the environment of nvalchemi",
    "the input crystal_32x64",
  ]);
  await Deno.mkdir(`${work}/inputs`);
  await Deno.writeTextFile(`${work}/inputs/crystal_32x64.json`, "");
  assertEquals(await missingOf({ peers: "", work }, needs), ofAll.slice(0, 3));
  await Deno.remove(work, { recursive: true });
});

Deno.test("a case of GROMACS needs its program, which is not made", () => {
  assertEquals(needsOf(["gromacs 4000"]), {
    peers: ["lammps"],
    inputs: ["crystal_4000"],
    programs: ["gmx"],
  });
  assertEquals(needsOf(["crystal 4000"]).programs, []);
});

Deno.test("shuffled() keeps each atom with its velocity, and keeps no order", () => {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const velocities = crystal.positions.map((x) => x / 100);
  const { symbols, positions, cell } = crystal;
  const other = shuffled(new System({ symbols, positions, cell, velocities }), 1);
  assertEquals(other.get("velocities"), other.positions.map((x) => x / 100));
  const atoms = (values: Float64Array) =>
    Array.from({ length: 32 }, (_, i) => values.subarray(3 * i, 3 * i + 3).join());
  assertEquals(atoms(other.positions).sort(), atoms(positions).sort());
  const stayed = atoms(other.positions).filter((atom, i) => atom === atoms(positions)[i]);
  assert(stayed.length < 8, `${stayed.length} of 32 stayed`);
});

/** Writes the input that bench/peers/inputs.py would write for 2 × 32 rattled atoms, and calls `use` with its path. */
async function withInput(use: (path: string) => Promise<void>): Promise<void> {
  const systems = [1, 2].map((seed) => {
    const { cell, positions } = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, seed);
    const velocities = Array.from(positions, (_, i) => 5e-3 * Math.sin(i));
    return { n: 32, cell: [...cell], positions: [...positions], velocities };
  });
  const path = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(path, JSON.stringify({ systems }));
  await use(path);
  await Deno.remove(path);
}

async function turnOf(name: string, input: string, steps: number): Promise<Done> {
  const turn = await openCase(name, { input, warm: 10, steps });
  return await turn();
}

Deno.test("ours serves every case of the peers: as many events as it says, and it did them", async () => {
  await withInput(async (input) => {
    for (const [name, { per }] of Object.entries(CASES)) {
      if (per !== "atom-step") continue;
      const { events, cpu_s, builds, kelvin } = await turnOf(name, input, 500);
      assertEquals(events, 64 * 500, name);
      assert(
        Number(cpu_s) > 0 && Number(builds) >= 1 && Number(kelvin) > 0,
        `${name} ${builds} ${kelvin}`,
      );
    }
    const relaxed = await turnOf("relax 64x32", input, 0);
    assert(Number(relaxed.fmax) <= 0.05 && Number(relaxed.steps) > 5, JSON.stringify(relaxed));
  });
  assertEquals((await turnOf("kick and drift", "", 0)).events, 66_600_000);
  assertEquals((await turnOf("velocity Verlet update", "", 0)).events, 66_600_000);
});

Deno.test("updates of the benchmark leave the velocities that the number of kicks makes", () => {
  const all = updates(openBackend("wasm"), 1003);
  all.verlet(100);
  all.kickDrift(50);
  all.check();
  const idle = openBackend("wasm");
  idle.run = () => 0;
  const none = updates(idle, 10);
  assertThrows(() => (none.verlet(1e6), none.check()), Error, "must be done");
});

Deno.test("readInput() has the atoms of the file, whatever their order", async () => {
  await withInput(async (path) => {
    const batch = await readInput(path);
    assertEquals([batch.size, batch.nodeCount], [2, 64]);
    const { systems } = JSON.parse(await Deno.readTextFile(path));
    const sorted = (values: Iterable<number>) => [...values].sort((a, b) => a - b);
    for (const name of ["positions", "velocities"] as const) {
      const given = systems.flatMap((system: Record<string, number[]>) => system[name]!);
      assertEquals(sorted(batch.get(name)), sorted(given));
    }
  });
});

Deno.test("observers of the bench are called when due, with a number for each system", async () => {
  const looking = observers(10, 2), batch = crystals(2, 3);
  await new NVE({ model: argonModel(), dt: 1, hooks: looking }).run(batch, 25);
  assertEquals(looking.map(({ calls }) => calls), [3, 3]);
  assert(Number.isFinite(looking[0]!.sum) && looking[0]!.sum !== 0);
});

Deno.test("the written part of the page is replaced, and nothing else", () => {
  const page = "a\n<!-- written by deno task bench:peers -->\nold\n<!-- end -->\nb\n";
  const written = replaceWritten(page, "new");
  assertEquals(written, "a\n<!-- written by deno task bench:peers -->\n\nnew\n\n<!-- end -->\nb\n");
  assertEquals(replaceWritten(written, "new"), written);
  assertThrows(() => replaceWritten("a", "new"), Error, "must have the lines");
});

Deno.test("figuresOf() shows cost by size and number, and memory", () => {
  const figures = figuresOf({
    bySize: { 864: 93.2, 4000: 92 },
    byCount: { 1: 100 },
    memory: { wasm: 487, batch: 84, process: 900 },
    growth: { heap: 25_000, wasm: 0, steps: 1e5 },
  });
  assertStringIncludes(figures, "| atoms of one system | 864 | 4000 |");
  assertStringIncludes(figures, "| CPU ns per atom and step | 93.2 | 92 |");
  assertStringIncludes(figures, "487 bytes per atom");
});
