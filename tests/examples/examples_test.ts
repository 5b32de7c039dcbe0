/** Every file in examples/ is run as a user would, and its output checked. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { fileURLToPath } from "node:url";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { decodeModel, encodeModel } from "../../src/onnx/codec/codec.ts";
import { GraphBuilder, lennardJonesModel, openEvaluator } from "../../src/onnx/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";
import { lacksGpu } from "../backend/gpu.ts";
import { FOLDER, runExample as run } from "./run_example.ts";
import { farWeight, modelOf, node, value, weight } from "../onnx/tiny_model.ts";
import { lacks } from "../machine.ts";
import { slowTest } from "../suite.ts";

Deno.test("examples/is_hook.ts does what it says", async () => {
  assertEquals(
    await run("is_hook"),
    [
      "isHook(new MyHook()): true",
      "isHook({ stage }): false",
      "Step 0: energy = -2.2963",
      "Step 1: energy = -2.2973",
      "Step 2: energy = -2.2988\n",
    ].join("\n"),
  );
});

Deno.test("examples/step_timer.ts does what it says", async () => {
  const output = await run("step_timer");
  const times = [...output.matchAll(/^Step [012]: (\d+\.\d\d) ms$/gm)].map(([, ms]) => Number(ms));
  assertEquals(times.length, 3, output);
  const fastest = Number(/^3 steps, fastest (\d+\.\d\d) ms$/m.exec(output)?.[1]);
  assertEquals(fastest, Math.min(...times));
  assert(fastest > 0, "two thousand atoms take their time");
});

Deno.test("examples/universal_logger.ts does what it says", async () => {
  assertEquals(
    await run("universal_logger"),
    [
      "[dynamics] step 0: fmax=0.1751",
      "[dynamics] step 10: fmax=0.1424",
      "[pipeline] step 0: processed 1",
      "[pipeline] step 10: processed 11",
      "[custom] step 0: stage=garden/AFTER_RAIN",
      "[custom] step 10: stage=garden/AFTER_RAIN",
      "in the garden it runs by otherwise\n",
    ].join("\n"),
  );
});

Deno.test("examples/file_writer.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/out.csv`;
    const closed = `closed ${path}: completed\n`.repeat(2);
    const output = await run("file_writer", path);
    const rows = await Deno.readTextFile(path);
    assertEquals(output, `${closed}${rows}\n`);
    // Steps 0, 10 and 20 of the first run; the second goes on at 25 and has step 30.
    assertEquals(rows.replaceAll(/,-.*/g, ""), "step,energy\n0\n10\n20\n30\n");
    const energies = [...rows.matchAll(/,(-.*)/g)].map(([, energy]) => Number(energy));
    // As the reference backend has them, in float64: energy of motion becomes energy of position.
    const float64 = [-2.4834702591, -2.4789048377, -2.4673788304, -2.4505959828];
    assertEquals(energies.length, float64.length);
    for (const [i, energy] of energies.entries()) assertAlmostEquals(energy, float64[i]!, 1e-5);
    // The header is written once, also where the file is there already.
    await run("file_writer", path);
    assertEquals(await Deno.readTextFile(path), rows + rows.replace(/.*\n/, ""));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/file_writer.ts names the file it makes when it is given none", async () => {
  const path = /^closed (.+): completed$/m.exec(await run("file_writer"))?.[1];
  assert(path !== undefined);
  try {
    assertEquals((await Deno.readTextFile(path)).split("\n")[0], "step,energy");
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("examples/own_loop.ts does what it says", async () => {
  assertEquals(
    await run("own_loop"),
    [
      "orchard/BEFORE_TREE  log           every 2 steps            orchard.*",
      "                     start         every step, once         orchard.BEFORE_TREE",
      "orchard/AFTER_TREE   log           every 2 steps            orchard.AFTER_TREE",
      "                     third         every step, conditional  orchard.AFTER_TREE",
      "orchard/ON_WORM      log           every event              orchard.*",
      "press/AFTER_JUICE    log           every 2 steps            press.AFTER_JUICE",
      "                     StopWhenFull  every step               call",
      "",
      "tree 0: orchard/BEFORE_TREE",
      "the first tree",
      "tree 0: 7 apples",
      "tree 1: orchard/ON_WORM",
      "tree 2: orchard/BEFORE_TREE",
      "tree 2: 11 apples",
      "every third tree is for the birds",
      "tree 2: 2 l",
      "tree 4: orchard/BEFORE_TREE",
      "tree 4: 15 apples",
      "tree 4: 3 l",
      "every third tree is for the birds",
      '{ status: "stopped", reason: "4 litres", step: 5 }\n',
    ].join("\n"),
  );
});

Deno.test("examples/gates_and_pipes.ts does what it says", async () => {
  assertEquals(
    await run("gates_and_pipes"),
    [
      "training begins",
      "epoch 0",
      "  batch 0: loss 4",
      "  batch 1: loss NaN",
      "  batch 2: loss 20.25",
      "epoch 1",
      "  batch 3: loss 1",
      "  batch 4: loss NaN",
      "  batch 5: loss 5.0625",
      "training ends: y = 1.75 x\n", // the clip is 4, and batches 1 and 4 are skipped
    ].join("\n"),
  );
});

Deno.test("examples/profile_and_log.ts does what it says", async () => {
  const output = await run("profile_and_log");
  assertEquals(
    // Milliseconds differ from run to run, and so do the widths of their columns.
    output.replaceAll(/\d+\.\d{4}/g, "#").replaceAll(/ +/g, " "),
    [
      "transition count mean/ms std/ms min/ms max/ms",
      "walk/BEFORE_STEP→walk/AFTER_STEP 5 # # # #",
      '{"type":"start","step":0,"configHash":"6eee97b2"} 3 hooks',
      '{"type":"change","change":"disable","hook":"profiler","step":49} 3 hooks',
      '{"type":"end","step":100,"outcome":{"status":"completed"}} 3 hooks\n',
    ].join("\n"),
  );
});

Deno.test("examples/relax_file.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [from, to, log] = ["in.xyz", "out.xyz", "log.csv"].map((name) => `${folder}/${name}`);
    const crystal = fcc({ element: "Kr", a: 5.7, cells: 2 });
    const dimer = new System({ symbols: ["Ne", "Xe"], positions: [0, 0, 0, 4, 0, 0] });
    await Deno.writeTextFile(from!, writeExtxyz([rattle(crystal, 0.1, 1), dimer]));
    assertMatch(await run("relax_file", from!, to!, log!), /^2 of 2 relaxed in \d+ steps\n$/);
    const relaxed = parseExtxyz(await Deno.readTextFile(to!));
    assertEquals(relaxed.map(({ nodeCount }) => nodeCount).sort(), [2, 32]);
    // The bottom of the mixed well, σ = (2.74 + 3.98)/2 Å, at 2^(1/6) σ; 0.01 eV/Å leaves it within a few tenths.
    const { positions } = relaxed.find(({ nodeCount }) => nodeCount === 2)!;
    assertAlmostEquals(positions[3]! - positions[0]!, 2 ** (1 / 6) * 3.36, 0.25);
    const [header] = (await Deno.readTextFile(log!)).split("\n");
    assertEquals(header, "step,time,systemId,status,energy,fmax,temperature");
    const input = await Deno.readTextFile(from!), link = `${folder}/link.xyz`;
    await Deno.symlink(from!, link);
    for (const more of [[], ["--overwrite"]]) {
      for (const out of [from!, link]) {
        await assertRejects(() => run("relax_file", from!, out, ...more), Error, "OUT must be");
      }
    }
    assertEquals(await Deno.readTextFile(from!), input);
    await assertRejects(() => run("relax_file", from!, to!), Error, "add --overwrite");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/relax_folder.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/in`);
    const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
    const dimer = new System({ symbols: ["Ne", "Kr"], positions: [0, 0, 0, 3.2, 0, 0] });
    const files = [[0.1, 0.02, 0.2].map((stdev, i) => rattle(crystal, stdev, i)), [dimer]];
    for (const [i, systems] of files.entries()) {
      await Deno.writeTextFile(`${folder}/in/${i}.xyz`, writeExtxyz(systems));
    }
    const go = (...more: string[]) =>
      run("relax_folder", `${folder}/in`, `${folder}/out.xyz`, ...more);
    assertMatch(await go("25"), /^\d of \d relaxed in 25 steps, more to come\n$/);
    assertMatch(await go(), /^4 of 4 relaxed in \d+ steps\n$/);
    const relaxed = parseExtxyz(await Deno.readTextFile(`${folder}/out.xyz`));
    const indices = relaxed.map((one) => one.info.sourceIndex ?? one.get("sourceIndex")[0]);
    assertEquals(indices.sort(), [0, 1, 2, 3]);
    const { positions } = relaxed.find(({ nodeCount }) => nodeCount === 2)!;
    assertAlmostEquals(positions[3]! - positions[0]!, 2 ** (1 / 6) * (2.74 + 3.65) / 2, 0.25);
    assertMatch(await go(), /^4 of 4 relaxed in \d+ steps\n$/); // nothing is left to do
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/fuse_stages.ts does what it says", async () => {
  assertEquals(
    await run("fuse_stages", "20", "10"),
    [
      "step 0: crystal 0 relaxed",
      "step 32: crystal 1 relaxed",
      "step 48: crystal 2 relaxed",
      "crystal 0: 1 + 20 + 10 steps, 60 fs, energy kept: true",
      "crystal 1: 33 + 20 + 10 steps, 60 fs, energy kept: true",
      "crystal 2: 49 + 20 + 10 steps, 60 fs, energy kept: true",
      "79 steps in all\n",
    ].join("\n"),
  );
});

Deno.test("examples/resume.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const last = (output: string) => output.trimEnd().split("\n").at(-1)!;
    const whole = await run("resume", `${folder}/whole.hooke`, "600");
    assertMatch(whole, /^begins with step 0\nstep 600: \d+\.\d+ K, mean of 60 steps \d+\.\d+ K\n$/);
    await run("resume", `${folder}/parts.hooke`, "400");
    const rest = await run("resume", `${folder}/parts.hooke`, "600"); // of all steps
    assertEquals(rest.split("\n")[0], "begins with step 400");
    assertEquals(last(rest), last(whole)); // to the last digit
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/print_fmax.ts does what it says", async () => {
  assertEquals(
    await run("print_fmax"),
    [
      "Step 0: fmax = 0.1371 eV/Å",
      "Step 1: fmax = 0.1365 eV/Å",
      "Step 2: fmax = 0.1356 eV/Å",
      "Step 3: fmax = 0.1346 eV/Å",
      "Step 4: fmax = 0.1333 eV/Å\n",
    ].join("\n"),
  );
});

Deno.test("examples/own_gradient_rule.ts does what it says", async () => {
  assertEquals(
    await run("own_gradient_rule"),
    [
      "the rule has the slope that differences have, and so has its slope",
      "6 nodes more",
      // σ(α) = 0.845796 with α = 1.702: σ ± α σ (1 − σ) at 1, and 1 less than that at −1
      "at -1: -0.067780",
      "at 0: 0.500000",
      "at 1: 1.067780\n",
    ].join("\n"),
  );
});

Deno.test("examples/argon_observables.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const output = await run("argon_observables", `${folder}/g.svg`);
    const numbers = [...output.matchAll(/-?\d+\.\d+(e-\d+)?/g)].map(([text]) => Number(text));
    const [crystal, melt] = [numbers.slice(0, 7), numbers.slice(7)];
    assertMatch(output, /^crystal: .*\n {2}D = .*\n {2}p = .*\nmelt: /);
    assertAlmostEquals(crystal[0]!, 5.3 / Math.SQRT2, 0.1);
    assertAlmostEquals(crystal[1]!, 12, 0.1); // within 4.6 Å, where the melt has fewer
    assert(melt[1]! < 11, output);
    assert(crystal[3]! < 5e-6, output);
    // Of liquid argon near its boiling point 2 to 3e-5 are measured; this melt is warmer.
    for (const diffusion of melt.slice(3, 5)) assertAlmostEquals(diffusion, 3.5e-5, 2e-5);
    for (const [pressure, error] of [crystal.slice(5), melt.slice(5)]) {
      assert(error! > 0 && error! < 0.1 * pressure!, output);
    }
    assertMatch(await Deno.readTextFile(`${folder}/g.svg`), /^<svg .*g\(r\) of argon/s);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/nve_drift.ts does what it says", async () => {
  assertMatch(
    await run("nve_drift"),
    /^dt = 4 fs: within 0.1 meV per atom to the end\ndt = 60 fs: off by \d+\.\d+ meV per atom in step \d+\n$/,
  );
});

Deno.test("examples/nvt_own_log.ts does what it says", async () => {
  const output = await run("nvt_own_log");
  const steps = [...output.matchAll(/^step (\d+), system (\d): -0\.0\d{3} eV per atom$/gm)];
  assertEquals(
    steps.map(([, step, system]) => [Number(step), Number(system)]),
    [0, 1000, 2000, 3000].flatMap((step) => [[step, 0], [step, 1]]),
  );
  const means = [...output.matchAll(/^system \d: (\d+\.\d) K on average of 101 rows$/gm)];
  // Of a hundred rows, a few times their correlation apart: 2 / (3 N) of T² each, and some ten independent.
  for (const [i, want] of [60, 30].entries()) {
    assertAlmostEquals(Number(means[i]![1]), want, 0.08 * want);
  }
});

Deno.test("examples/two_criteria.ts does what it says", async () => {
  assertEquals(
    await run("two_criteria"),
    [
      "forces alone: step 19, fmax 0.0433 eV/Å, energy change 1e-2 eV",
      "both: step 68, fmax 0.0005 eV/Å, energy change 3e-7 eV\n",
    ].join("\n"),
  );
});

Deno.test("examples/composed_run.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    assertEquals(
      await run("composed_run", folder),
      [
        "completed after 32 steps",
        "step,time,systemId,status,energy,fmax,temperature",
        "12 rows, steps 0,10,20,30",
        "12 frames, steps 0,10,20,30",
        "system 2 was relaxed in step 0: -2.4756 eV",
        "system 1 was relaxed in step 19: -2.4410 eV",
        "system 0 was relaxed in step 31: -2.4449 eV\n",
      ].join("\n"),
    );
    const rows = (await Deno.readTextFile(`${folder}/hooks.csv`)).split("\n");
    // System 2 is at rest from step 1 on: its rows but for the first column are all those of step 0.
    const ofSystem2 = rows.filter((row) => row.split(",")[2] === "2").map((row) => row.split(","));
    assertEquals(ofSystem2.map(([step]) => step), ["0", "10", "20", "30"]);
    assertEquals(ofSystem2.map(([_, , , status]) => status), ["0", "1", "1", "1"]);
    assertEquals(new Set(ofSystem2.map((row) => row[4])).size, 1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** The table that examples/relax_with_onnx.ts prints: system, atoms, steps, energies before and after, fmax. */
function relaxations(output: string): number[][] {
  const [where, titles, ...rows] = output.trimEnd().split("\n");
  assertMatch(where!, / on (wasm|webgpu)$/);
  assertMatch(titles!, /^system +atoms +steps +energy before +after/);
  return rows.map((row) => row.trim().split(/ +/).map(Number));
}

Deno.test("examples/relax_with_onnx.ts does what it says", async () => {
  const rows = relaxations(await run("relax_with_onnx"));
  assertEquals(rows.map(([system, atoms]) => [system, atoms]), [[0, 32], [1, 32], [2, 32]]);
  for (const [, , steps, before, after, fmax] of rows) {
    assert(steps! > 10 && steps! < 100, `${steps} steps`);
    assert(before! > after! + 0.1);
    assertAlmostEquals(after!, 32 * -0.07761, 4e-3); // the perfect crystal's
    assert(fmax! <= 0.01);
  }
});

slowTest(
  "examples/relax_with_onnx.ts takes a model, what stands beside it, and structures",
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.copyFile(new URL("../data/morse.onnx", import.meta.url), `${folder}/m.onnx`);
      await Deno.writeTextFile(`${folder}/m.json`, '{ "cutoff": 6 }');
      const dimer = (x: number) =>
        new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, x, 0, 0] });
      await Deno.writeTextFile(`${folder}/in.xyz`, writeExtxyz([dimer(2.7), dimer(3.2)]));
      const paths = ["m.onnx", "in.xyz", "out.xyz"].map((name) => `${folder}/${name}`);
      const output = await run("relax_with_onnx", ...paths);
      assertStringIncludes(output, "m.onnx on ");
      for (const [, , , , after] of relaxations(output)) assertAlmostEquals(after!, -0.35, 1e-4);
      // The bottom of its well; 0.01 eV/Å leaves a dimer within F / k = F / (2 D a²) of it.
      for (const { positions } of parseExtxyz(await Deno.readTextFile(paths[2]!))) {
        assertAlmostEquals(positions[3]! - positions[0]!, 2.9, 0.01);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

slowTest(
  "examples/onnx_relax_md.ts relaxes atoms and cells, and keeps them at a temperature",
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      const file = decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
      file.graph!.output = file.graph!.output.filter(({ name }) => name === "energy");
      await Deno.writeFile(`${folder}/m.onnx`, encodeModel(file));
      const crystals = [5.2, 5.4].map((a, i) =>
        rattle(fcc({ element: "Ar", a, cells: 2 }), 0.02, i)
      );
      await Deno.writeTextFile(`${folder}/in.xyz`, writeExtxyz(crystals));
      const out = `${folder}/out`;
      const output = await run("onnx_relax_md", `${folder}/m.onnx`, `${folder}/in.xyz`, out, "40");
      assertStringIncludes(output, "virial by strains of positions, shifts");
      const relaxed = parseExtxyz(await Deno.readTextFile(`${out}/relaxed.xyz`));
      const lengths = relaxed.map(({ cell }) => cell[0]! / 2);
      assertAlmostEquals(lengths[0]!, lengths[1]!, 5e-3); // from above and from below
      for (const one of relaxed) assert(one.get("stress").every((x) => Math.abs(x) < 1e-3));
      const energies = relaxed.map(({ energy }) => energy!.toFixed(4));
      assertStringIncludes(output, `0 relaxed ${energies[0]} eV\n1 relaxed ${energies[1]} eV\n`);
      assertStringIncludes(output, `22 frames, 100 steps at 40 K, in ${out}\n`);
      const steps = parseExtxyz(await Deno.readTextFile(`${out}/md.xyz`)).map(({ info }) =>
        info.step
      );
      assertEquals([steps.length, steps[0], steps.at(-1)], [22, 0, 99]);
      const rows = (await Deno.readTextFile(`${out}/md.csv`)).trimEnd().split("\n").slice(1);
      assertEquals(rows.map((row) => Number(row.split(",")[0])), steps.map(Number));
      await assertRejects(
        () => run("onnx_relax_md", `${folder}/m.onnx`, `${folder}/in.xyz`, out),
        Error,
        "of another run: name another folder",
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

slowTest("examples/observe_on_gpu.ts does what it says", async (t) => {
  for (const where of ["wasm", "webgpu"] as const) {
    const ignore = where === "webgpu" && lacksGpu();
    await t.step({ name: where, ignore, fn: () => observe(where) });
  }

  async function observe(where: string): Promise<void> {
    assertEquals(
      await run("observe_on_gpu", where),
      [
        `on ${where}`,
        "51 steps seen, in order",
        'outcome: { status: "stopped", reason: "cooler than 40 K", step: 50 }',
        "system 0: total energy within 10 µeV per atom",
        "system 1: total energy within 10 µeV per atom\n",
      ].join("\n"),
    );
  }
});

Deno.test("every example is run by a test", async () => {
  const slow = new URL("training_slow_test.ts", import.meta.url);
  const texts = [import.meta.url, slow].map((url) => Deno.readTextFile(new URL(url)));
  const tests = (await Promise.all(texts)).join("\n");
  for await (const { name, isFile } of Deno.readDir(FOLDER)) {
    if (!isFile) continue; // modules that examples import
    assertStringIncludes(tests, `"examples/${name} `);
  }
});

/** Runs an example that fails; answers with its exit code and what it says of that. */
async function fails(name: string, ...args: string[]): Promise<[code: number, stderr: string]> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileURLToPath(new URL(`${name}.ts`, FOLDER)), ...args],
    env: { NO_COLOR: "1" },
  }).output();
  return [code, new TextDecoder().decode(stderr).trim()];
}

/** E = Σ w · x² of the input `r`, per atom, with its weight in another file. */
function springs(): Uint8Array<ArrayBuffer> {
  return modelOf({
    nodes: [
      node("Mul", ["r", "r"], ["squares"]),
      node("Mul", ["squares", "w"], ["weighted"]),
      node("ReduceSum", ["weighted", "axis"], ["e"]),
    ],
    inputs: [value("r", "float32", ["N", 3])],
    outputs: [value("e", "float32", ["N", 1])],
    weights: [
      farWeight("w", [1], { location: "w.bin", offset: "0", length: "4" }),
      weight("axis", BigInt64Array.of(1n)),
    ],
  });
}

slowTest(
  "examples/energy_to_forces.ts writes a graph with forces, and says what it did",
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      const [from, to] = [`${folder}/in.onnx`, `${folder}/out.onnx`];
      await Deno.writeFile(from, springs());
      await Deno.writeFile(`${folder}/w.bin`, new Uint8Array(Float32Array.of(1.5).buffer));
      const names = ["--energy", "e", "--positions", "r", "--forces", "f"];
      const output = await run(
        "energy_to_forces",
        from,
        to,
        ...names,
        "--stress",
        "--passes=prune",
      );
      assertMatch(output, /^f by differentiating e by r: 3 → \d+ nodes, opset 18\n/);
      assertStringIncludes(output, "virial by strains of r\n");
      assertStringIncludes(output, ", gives e, f, virial\n");
      const { f, virial } = openEvaluator(await Deno.readFile(to)).run({
        r: { data: Float32Array.of(1, 0, 2), dims: [1, 3] },
      });
      assertEquals([...f!.data].map((x) => x + 0), [-3, 0, -6]);
      assertEquals([...virial!.data].map((x) => x + 0), [-3, 0, -6, 0, 0, 0, -6, 0, -12]);

      const written = await Deno.readFile(to);
      const wrong: readonly [args: string[], code: number, message: RegExp][] = [
        [[`${folder}/no.onnx`, to], 1, /^Cannot read .*no\.onnx: /],
        [[from, `${folder}/no/out.onnx`, ...names], 1, /^Cannot write .*no\/out\.onnx: /],
        [[from, to], 1, /its positions must be one of its inputs, r; got "positions"/],
        [[from, to, ...names, "--passes", "fold"], 1, /passes must be among foldConstants/],
        [[from, to, "--eneryg", "e"], 2, /^There is no --eneryg; --help/],
        [[from, to, ...names, "--shifts", "s"], 2, /^--shifts is for --stress; --help/],
        [[from, to, ...names, "--no-cell"], 2, /^--cell is for --stress; --help/],
        [
          [from, to, "--energy", "e", "--forces"],
          2,
          /^--forces needs a name, and there is none; --help/,
        ],
        [
          [from, to, ...names, "--stress", "--batch", "r"],
          1,
          /batch must be integers \[N\]; got "r" of f32 \[N, 3\]/,
        ],
        [[from], 2, /^It takes two files/],
      ];
      for (const [args, code, message] of wrong) {
        const [found, text] = await fails("energy_to_forces", ...args);
        assertMatch(text, message);
        assertEquals(found, code);
      }
      assertEquals(await Deno.readFile(to), written);
      const left = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
      assertEquals(left, ["in.onnx", "out.onnx", "w.bin"]);
      assertStringIncludes(await run("energy_to_forces", "--help"), "--positions NAME");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test({
  name: "examples/relax_molecule.ts does what it says",
  ignore: lacks("models"),
  async fn() {
    const output = await run("relax_molecule");
    assertStringIncludes(output, "forces by differentiating energy by positions: 147 → ");
    const energy = Number(/^relaxed in \d+ steps: (-?[\d.]+) eV$/m.exec(output)?.[1]);
    assertAlmostEquals(energy, -0.656, 2e-3);
    const bonds = [...output.matchAll(/^([CHO]–[CHO]) ([\d.]+) Å$/gm)];
    // What ANI-1x has them as: within 0.01 Å of what is measured, but for O–H.
    const lengths = { "C–C": 1.512, "C–O": 1.42, "O–H": 0.962, "C–H": 1.096 };
    assertEquals(bonds.map(([, name]) => name), Object.keys(lengths));
    for (const [i, length] of Object.values(lengths).entries()) {
      assertAlmostEquals(Number(bonds[i]![2]), length, 5e-3);
    }
  },
});

slowTest(
  "examples/relax_molecule.ts refuses models other than ANI-1x without a manifest",
  async () => {
    assertStringIncludes(await run("relax_molecule", "--help"), "[MODEL.onnx]");
    const folder = await Deno.makeTempDir();
    try {
      const file = `${folder}/x.onnx`;
      const builder = new GraphBuilder("springs");
      const x = builder.input("positions", "f32", ["N", 3]);
      builder.output("energy", builder.reduceSum(builder.mul(x, x), [1]), ["N"]);
      await Deno.writeFile(file, builder.build());
      const cases: readonly [args: string[], code: number, message: RegExp][] = [
        [[`${folder}/no.onnx`], 1, /^Cannot read .*no\.onnx: .*$/],
        [
          [file],
          1,
          /^Cannot relax over .*x\.onnx: it must be ANI-1x, .*: its inputs are positions$/,
        ],
        [["--cutoff", "5"], 2, /^There is no --cutoff; --help says what there is$/],
      ];
      for (const [args, code, message] of cases) {
        const [found, text] = await fails("relax_molecule", ...args);
        assertMatch(text, message);
        assertEquals(found, code);
      }
      await Deno.writeTextFile(`${folder}/x.json`, "{}");
      assertStringIncludes(await run("relax_molecule", file), "relaxed in ");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

slowTest("examples/train_classifier.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/spirals.onnx`;
    const lines = (await run("train_classifier", path)).trimEnd().split("\n");
    const epochs = [...lines.join("\n").matchAll(/^epoch (\d+) done .* val\/accuracy ([\d.]+) /gm)]
      .map(([, epoch, accuracy]) => [Number(epoch), Number(accuracy)]);
    assertEquals(epochs.map(([epoch]) => epoch), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert(epochs[0]![1]! < 0.8 && epochs[9]![1]! > 0.97, "the share of points on the right arm");
    // 2 · 32 + 32, 32 · 32 + 32, 32 · 2 + 2.
    assertEquals(lines.slice(-2), [
      `1218 parameters in ${path}`,
      "of (0.9, 0) and (-0.9, 0): arms 0,1",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/gradient_histogram.ts does what it says", async () => {
  const [header, ...rows] = (await run("gradient_histogram")).trimEnd().split("\n");
  assertEquals(header!.trim().split(/ +/), ["1e-5", "1e-4", "1e-3", "1e-2", "1e-1"]);
  assertEquals(rows.map((row) => row.slice(0, 2)), ["w1", "w2", "w3", "w4", "w5"]);
  // The columns of six characters are powers of ten; each of 5 · 8 steps is in one of them.
  const bins = rows.map((row) =>
    [0, 1, 2, 3, 4].map((i) => Number(row.slice(4 + 6 * i, 10 + 6 * i)))
  );
  for (const row of bins) assertEquals(row.reduce((a, b) => a + b), 40);
  const mean = bins.map((row) => row.reduce((sum, count, i) => sum + count * i, 0) / 40);
  assertEquals(mean.toSorted((a, b) => a - b), mean, "smaller from layer to layer");
  assert(mean[4]! - mean[0]! > 1.5);
});

Deno.test("examples/attention_map.ts does what it says", async () => {
  const lines = (await run("attention_map")).trimEnd().split("\n");
  assertEquals(lines[0], "value  attention  f32 [B, 8, 8]  Softmax");
  assertMatch(lines[1]!, /^epoch 1: right [1-8]\d %$/);
  const places = [0, 1, 2, 3, 4, 5, 6, 7];
  assertEquals(lines.slice(10), [
    "epoch 10: right 100 %",
    ...places.map((i) => `  ${"  ".repeat(7 - i)}██${"  ".repeat(i)}|`),
  ]);
});

slowTest("examples/patch_activation.ts does what it says", async () => {
  const lines = (await run("patch_activation")).trimEnd().split("\n");
  assertMatch(lines[0]!, /^as it is +0\.0\d{3}$/);
  const whole = lines[0]!.slice(-6);
  assertEquals(lines.at(-1), `as it was   ${whole}`, "without the hook the patch is gone");
  const losses = new Map(
    lines.slice(2, 5).map((line) => line.trim().split(/ +/))
      .map(([point, ...numbers]) => [point, numbers.map(Number)]),
  );
  const [first, second, third] = ["first", "second", "third"].map((point) => losses.get(point)!);
  const loss = Number(whole);
  // Without a part: the variance of what it says, (1 − e⁻⁸)/2 of sin 2a and 1/4 of b/2.
  for (const [of, variance] of [[first, 0.4998], [second, 0.25], [third, 0]] as const) {
    assertAlmostEquals(of![0]!, variance + loss, 0.05);
    assertAlmostEquals(of![1]!, variance + loss, 0.05);
    assertAlmostEquals(of![2]!, 0.1 ** 2 + loss, 0.004);
  }
});

Deno.test("examples/own_loss.ts does what it says", async () => {
  const [before, after] = [
    ...(await run("own_loss")).matchAll(/= ([\d.]+) x \+ ([\d.]+), loss (.*)$/gm),
  ]
    .map(([, ...numbers]) => numbers.map(Number));
  // All points: seven eighths of 2 x + 1 and one of −5 x + 10, about.
  assertAlmostEquals(before![0]!, 2 - 7 / 8, 0.4);
  assertAlmostEquals(before![1]!, 1 + 9 / 8, 0.4);
  assertAlmostEquals(after![0]!, 2, 0.05);
  assertAlmostEquals(after![1]!, 1, 0.05);
  assert(before![2]! > 5 && after![2]! < 0.1 ** 2, "what is left is noise, its tails cut off");
});

Deno.test("examples/own_optimizer.ts does what it says", async () => {
  const [sgd, rprop] = (await run("own_optimizer")).split("\n");
  assertMatch(sgd!, /^sgd: y = 0\.\d+ a \+ /);
  assertEquals(rprop, "rprop: y = 3.000 a + 0.0100 b");
});

Deno.test("examples/halve_rate.ts does what it says", async () => {
  assertEquals(
    await run("halve_rate"),
    [
      "Training of 1 parameters started!",
      "Starting epoch 0",
      ...new Array(10).fill("High loss detected: 15.0000"),
      "Accuracy improvement: 0.5000",
      "Starting epoch 1",
      "High loss detected: 15.0000",
      "Too many high loss batches, reducing learning rate",
      "Accuracy improvement: 0.2500",
      "Training completed",
      "learning rate: 0.0005\n",
    ].join("\n"),
  );
});

Deno.test("examples/quick_start_training.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const output = await run("quick_start_training", folder);
    const lists = [...output.matchAll(/^hooks: (.*)$/gm)].map(([, hooks]) => hooks);
    assertEquals(lists, [
      "my_custom_hook on, console_log on, json_log on, checkpoint on",
      "my_custom_hook on, json_log off, checkpoint on",
    ]);
    const means = [...output.matchAll(/^Average loss: ([\d.]+)$/gm)].map(([, mean]) =>
      Number(mean)
    );
    assertEquals(means.length, 8); // twice in each of four epochs
    assertEquals(means.toSorted((a, b) => b - a), means);
    // The console logged two epochs, and was removed.
    assertEquals([...output.matchAll(/^epoch (\d) done/gm)].map(([, epoch]) => epoch), ["1", "2"]);
    assertMatch(output, /status: "completed",\s+currentEpoch: 4,\s+modelParams: 2,/);
    assertStringIncludes(
      output,
      "\nbest_model.hooke, checkpoint_epoch_2.hooke, checkpoint_epoch_4.hooke, logs\n",
    );
    const logs = [...Deno.readDirSync(`${folder}/logs`)].map(({ name }) => name).sort();
    const rows = logs.flatMap((name) =>
      Deno.readTextFileSync(`${folder}/logs/${name}`).trimEnd().split("\n").map((line) =>
        JSON.parse(line)
      )
    );
    const epochs = rows.filter(({ event }) => event === "epoch_end");
    assertEquals(epochs.map(({ epoch }) => epoch), [1, 2, 4], "off in the third");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/hook_registry.ts does what it says", async () => {
  const output = await run("hook_registry");
  assertEquals(output.replaceAll(/(hidden) -?\d\.\d{3} ± \d\.\d{3}/g, "$1 #").split("\n"), [
    "step 0: hidden #",
    "step 10: hidden #",
    "v has not moved in the last epoch",
    "start 89ad93fb, step 0: activation_log on, identity on, scale off",
    "change enable scale, step 20: activation_log on, identity on, scale on",
    "change disable activation_log, step 20: activation_log off, identity on, scale on",
    "end, step 30: activation_log off, identity on, scale on",
    output.trimEnd().split("\n").at(-1)!,
    "",
  ]);
  assertMatch(
    output,
    /hooks\.forward\[0\]\.name must be one of .*; did you mean activation_log\?\n$/,
  );
});

Deno.test("examples/config_hooks.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const output = await run("config_hooks", folder);
    const lines = output.split("\n");
    assertEquals(lines.slice(0, 2), [
      "PlateauHook, bell, outcome, logging, gradient_monitor, model_checkpoint, early_stopping, lr_monitor",
      "ding",
    ]);
    assertMatch(output, /^epoch 1 {2}batch 0 {2}loss 9\.6/m);
    // Each 40 of 60 steps; the first log that comes after it says so.
    assertEquals(output.match(/^step (1|41) {2}gradient_monitor {2}gradients\/norm /gm)?.length, 2);
    assertStringIncludes(output, "\nTraining plateau detected in epoch 6!\n");
    // 0.05 · 0.99ⁿ, as it was in the last step of an epoch.
    const rates = [...output.matchAll(/^step (\d+) {2}lr_monitor {2}lr\/sgd ([\d.]+)$/gm)];
    assertEquals(rates.map(([, step]) => Number(step)), [10, 20, 30, 40, 50, 60]);
    for (const [, step, rate] of rates) {
      assertAlmostEquals(Number(rate), 0.05 * 0.99 ** (+step! - 1), 1e-6);
    }
    assertMatch(
      output,
      /status: "stopped",\s+reason: "val\/loss did not improve on .* for 2 checks",/,
    );
    assertEquals(lines.at(-2)!.split(", ").length, 3, "the best two, and the last");
    assertMatch(
      lines.at(-2)!,
      /^epoch_\d_loss_0\.01\.hooke, epoch_\d_loss_0\.01\.hooke, last\.hooke$/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/hooks_together.ts does what it says", async () => {
  const [end, analyzed, ...lines] = (await run("hooks_together")).trimEnd().split("\n")
    .toReversed();
  assertEquals(end, "fragile has failed 3 times; training completed");
  const metrics = lines.flatMap((line) =>
    /received metric (.*)$/.exec(line)?.slice(1).map(Number) ?? []
  );
  assertEquals(metrics.length, 3);
  assert(metrics[0]! > 1.8 && metrics[2]! < 1.5, "towards 2, from the last to the first");
  const failed = "fragile at training/BATCH_END: the disk is full";
  assertEquals(lines.map((line) => line.replace(/metric .*/, "metric #")).toReversed(), [
    failed,
    "epoch 0: received metric #",
    failed,
    "epoch 1: received metric #",
    "late: epoch 2, batch 0",
    failed,
    "epoch 2: received metric #",
  ]);
  const [, count] = /^(\d+) of 300 batches analyzed$/.exec(analyzed!)!;
  assert(Number(count) > 15 && Number(count) < 45, "about a tenth");
});

Deno.test("examples/find_nan.ts does what it says", async () => {
  assertEquals(
    await run("find_nan"),
    [
      "step 5: the first is log",
      "trainer diverged in step 5, batch 5 of epoch 1: these values are not finite: loss (1 number). Look for NaN and infinity in the " +
      "data; then try a smaller learning rate, clip: { norm: 1 }, or a NanGuard",
      "20 steps skipped: y = 2.00 ln x + 1.00\n", // one of ten, in each epoch
    ].join("\n"),
  );
});

Deno.test("examples/notify_webhook.ts does what it says", async () => {
  const posted = (text: string, step: number) =>
    `posted: ${JSON.stringify({ text, step, channel: "#training" })}`;
  assertEquals(
    await run("notify_webhook"),
    [
      // (2 − w)² · 2.5 with w = 0, 1.5, 1.875, …: what is left goes down by four.
      posted("New best model! Epoch 1, val/loss: 0.625", 1),
      posted("New best model! Epoch 2, val/loss: 0.03906", 2),
      posted("New best model! Epoch 3, val/loss: 0.002441", 3),
      posted("Training completed! Best val/loss: 0.002441", 3),
      "without the server: completed, with a warning\n",
    ].join("\n"),
  );
});

Deno.test("examples/step_hooks.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const lines = (await run("step_hooks", folder)).trimEnd().split("\n");
    const isUpload = (line: string) => line.startsWith("uploaded"); // whenever they are done
    assertEquals(lines.filter(isUpload), [
      "uploaded: /step_20.hooke, whole",
      "uploaded: /step_40.hooke, whole",
    ]);
    const rest = lines.filter((line) => !isUpload(line));
    const numbers = /loss [\d.]+, norm [\d.]+, lr 20, (\d+) tokens, gradients up to [\d.]+|[\d.]+$/;
    assertEquals(rest.slice(0, 7).map((line) => line.replace(numbers, "# $1").trimEnd()), [
      "begin: table [20,20]",
      "step 20: # 640",
      "eval after step 20: perplexity #",
      "saved after 20 steps: step_20.hooke",
      "step 40: # 1263", // 32 in each but the last of the first epoch, which has 15
      "eval after step 40: perplexity #",
      "saved after 40 steps: step_40.hooke",
    ]);
    const [before, after] = [rest[2]!, rest[5]!].map((line) => Number(line.split(" ").at(-1)));
    assert(before! < 20 && after! < before!, "of 20 letters some follow more often");
    assertEquals(rest.slice(7), [
      "end: completed after 44 steps, 1374 tokens",
      "heartbeat: completed, 44 steps",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("examples/relax_to_files.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  const systems = [1, 2].map((seed) =>
    rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, seed)
  );
  await Deno.writeTextFile(`${folder}/in.xyz`, writeExtxyz(systems));
  const names = ["out.zarr", "out.xyz", "out.db", "out.jsonl"];
  const paths = names.map((name) => `${folder}/${name}`);
  const output = await run("relax_to_files", `${folder}/in.xyz`, ...paths);
  assertMatch(output, /^2 of 2 relaxed in \d+ steps\n/);
  for (const path of paths) {
    assertStringIncludes(output, `${path}: 2 added, 2 there\n`);
    const sink = await openSink(path);
    const batch = await sink.read();
    await sink.close();
    assertEquals([batch.size, [...batch.get("status")]], [2, [1, 1]], path);
    const fmax = Math.max(...batch.get("forces").map(Math.abs));
    assert(fmax <= 0.01, `${path}: ${fmax}`);
  }
  const again = await run("relax_to_files", paths[2]!, paths[1]!, "--add"); // a file of these is read, too
  assertStringIncludes(again, `${paths[1]}: 2 added, 4 there\n`);
  const missing = `${folder}/missing.zarr`; // what is only read is not made
  await assertRejects(() => run("relax_to_files", missing, paths[1]!, "--add"), Error, missing);
  await assertRejects(() => run("relax_to_files", paths[2]!, paths[1]!), Error, "use --add");
  await assertRejects(
    () => run("relax_to_files", paths[1]!, paths[1]!, "--add"),
    Error,
    "OUT must",
  );
  await assertRejects(() => Deno.stat(missing), Deno.errors.NotFound);
  await Deno.remove(folder, { recursive: true });
});

slowTest("examples/report_run.ts does what it says", async () => {
  const folder = await Deno.makeTempDir(), path = `${folder}/argon`;
  assertEquals(await run("report_run", path, "300"), `step 300: see ${path}/report.html\n`);
  assertEquals(
    await run("report_run", path, "600"),
    `goes on with step 300\nstep 600: see ${path}/report.html\n`,
  );
  const report = await Deno.readTextFile(`${path}/report.html`);
  for (const title of ["Energy, eV", "Temperature, K", "Timings", "Parts"]) {
    assertStringIncludes(report, title);
  }
  const frames = await openSink(`${path}/trajectory.zarr`);
  assertEquals([...(await frames.read()).get("step")], [0, 100, 200, 300, 400, 500]);
  await frames.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("examples/argon_npt.ts does what it says", async () => {
  const output = await run("argon_npt");
  assertMatch(output, /^begins at 1\.012 g\/cm³$/m);
  const rows = [...output.matchAll(/^(\d+) ps: ([\d.]+) g\/cm³, (\d+) K, conserved (\S+) eV$/gm)];
  assertEquals(rows.map(([, time]) => Number(time)), [0, 4, 8, 12, 16, 20, 24, 28]);
  // Argon has 1.374 g/cm³ at 94.4 K; a potential that ends at 12 Å holds it together a little less.
  const density = Number(/^second half: ([\d.]+) g\/cm³$/m.exec(output)?.[1]);
  assertAlmostEquals(density, 1.33, 0.03);
  for (const [, , , , conserved] of rows) {
    assertAlmostEquals(Number(conserved), Number(rows[0]![4]), 0.005);
  }
});

Deno.test("examples/buckingham.ts finds the crystal of argon", async () => {
  assertEquals(await run("buckingham"), "a = 5.267 Å\n"); // 5.26 Å is measured
});

Deno.test("examples/own_integrator.ts keeps the temperature of its bath", async () => {
  const [, kelvin] = /^4000 steps of OBABO: (\d+\.\d) K\n$/.exec(await run("own_integrator"))!;
  assertAlmostEquals(Number(kelvin), 40, 1); // 1600 looks at 96 degrees of freedom, some of them alike
});

Deno.test("examples/relax_batch.ts does what it says", async () => {
  const lines = (await run("relax_batch", "16")).trimEnd().split("\n");
  const told = lines.map((line) =>
    /^(\w+): 16 of 16 relaxed in (\d+) to (\d+) steps, none above (-0\.\d{5}) eV per atom$/.exec(
      line,
    )!
  );
  assertEquals(told.map(([, name]) => name), ["FIRE", "LBFGS"]);
  const [fire, lbfgs] = told.map(([, , , most, energy]) => [Number(most), Number(energy)] as const);
  assertEquals(fire![1], lbfgs![1]); // one and the same crystal
  assert(3 * lbfgs![0] < fire![0], `${lbfgs![0]} steps against ${fire![0]}`);
});
