import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { decodeModel, encodeModel, GraphBuilder, lennardJonesModel } from "../../src/onnx/mod.ts";
import { hooke, tempFolder } from "./session.ts";

/** Edge of the cubic cell of a file with `cells` ** 3 cells, Å. */
async function edgeIn(path: string, cells: number): Promise<number> {
  const [system] = parseExtxyz(await Deno.readTextFile(path));
  return Math.abs(system!.cell[0]!) / cells;
}

/** A graph that gives energies only. */
function energyOnly(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const model = decodeModel(bytes);
  model.graph!.output = model.graph!.output.filter(({ name }) => name === "energy");
  return encodeModel(model);
}

const POTENTIAL = { epsilon: 0.0104, sigma: 3.4, cutoff: 6 };

Deno.test("cells relax and NPT runs with a model of energies only, whose stresses are derived", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, model = `${folder.path}/lj.onnx`;
  await Deno.writeTextFile(
    from,
    writeExtxyz([rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.05, 1)]),
  );
  await Deno.writeFile(model, energyOnly(lennardJonesModel(POTENTIAL)));
  const out = `${folder.path}/b.xyz`;
  const relaxed = await hooke(["relax", from, "--model", model, "--cell", "-o", out]);
  assertEquals([relaxed.code, relaxed.err], [0, ""]);
  assertEquals((await edgeIn(out, 2)).toFixed(1), "5.3");
  const [, pressure] = /pressure (\S+) GPa$/m.exec(relaxed.out)!;
  assert(Math.abs(Number(pressure)) <= 0.0101, pressure);
  const npt = ["--ensemble", "npt", "--steps", "2", "--temperature", "20", "-o"];
  const ran = await hooke(["md", from, "--model", model, ...npt, `${folder.path}/run`]);
  assertEquals([ran.code, ran.err], [0, ""]);
  const more = await hooke(["resume", `${folder.path}/run`, "--steps", "4", "-q"]);
  assertEquals([more.code, more.err], [0, ""]);
  await Deno.writeFile(model, lennardJonesModel(POTENTIAL)); // has an output of forces
  const wrong = await hooke(["relax", from, "--model", model, "--cell", "-o", out, "--overwrite"]);
  assertEquals(wrong.code, 2);
  assertMatch(
    wrong.err,
    /^Cannot use --cell with --model .*: the file has an output of forces, or no energy, and no stresses\. If it has an energy, --set .*\. Otherwise leave out --cell, /,
  );
});

Deno.test("cells relax to the minimum from both sides, also in screenings and under pressure", async () => {
  await using folder = await tempFolder();
  const files = [];
  for (const a of [5.15, 5.4]) {
    files.push(`${folder.path}/${a}.xyz`);
    await Deno.writeTextFile(
      files.at(-1)!,
      writeExtxyz([fcc({ element: "Ar", a, cells: 1 })]),
    );
  }
  // The minimum of the built-in potential, and its cell at 0.3 GPa, from a relaxation with a small --smax. A stress of
  // 0.01 GPa changes the edge by 0.006 Å, because the bulk modulus is 3 GPa.
  const expected: [string[], number, number][] = [
    [["--cell"], 5.2577, 0],
    [["--isotropic"], 5.2577, 0],
    [["--cell", "--pressure", "0.3"], 5.1307, 0.3],
  ];
  for (const [options, edge, pressure] of expected) {
    const out = `${folder.path}/out.xyz`, to = `${folder.path}/${options.join("")}`;
    const relaxed = await hooke(["relax", ...files, ...options, "-o", out, "--overwrite"]);
    assertEquals([relaxed.code, relaxed.err], [0, ""]);
    const pressures = [...relaxed.out.matchAll(/ converged .* pressure (-?[\d.]+) GPa$/gm)];
    assertEquals(pressures.length, 2, relaxed.out);
    for (const [, text] of pressures) assertAlmostEquals(Number(text), pressure, 0.0101);
    const screened = await hooke(["screen", ...files, ...options, "-o", to]);
    assertEquals([screened.code, screened.err], [0, ""]);
    for (const path of [out, `${to}/results.xyz`]) {
      const systems = parseExtxyz(await Deno.readTextFile(path));
      assertEquals(systems.length, 2);
      for (const { cell } of systems) {
        assertAlmostEquals(Math.cbrt(Math.abs(cell[0]! * cell[4]! * cell[8]!)), edge, 6.5e-3);
      }
    }
  }
  const wrong = await hooke(["relax", files[1]!, "--smax", "1"]);
  assertMatch(wrong.err, /^Cannot use --smax: it is about the cells; pass --cell/);
});

Deno.test("a slab has no pressure, and relaxes along its periodic directions with fixed atoms", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/slab.xyz`, out = `${folder.path}/out.xyz`;
  const slab = fcc({ element: "Ar", a: 5.4, cells: [1, 1, 2] });
  slab.pbc[2] = 0;
  slab.cell[8]! += 20;
  await Deno.writeTextFile(from, writeExtxyz([slab]));
  const args = ["--cell", "--constraints", "fix:0", "--fmax", "0.01", "-o", out];
  const { code, out: text, err } = await hooke(["relax", from, ...args]);
  assertEquals([code, err, text.includes("pressure")], [0, "", false], text);
  const [relaxed] = parseExtxyz(await Deno.readTextFile(out));
  assert(relaxed!.cell[0]! < 5.35);
  const stress = relaxed!.get("stress");
  for (const k of [0, 1, 4]) assertAlmostEquals(stress[k]! * 160.2, 0, 0.0101);
});

Deno.test("messages about a file with forces name the option that derives them from the energy", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, model = `${folder.path}/broken.onnx`;
  const out = ["-o", `${folder.path}/b.xyz`, "--overwrite"];
  await Deno.writeTextFile(
    from,
    writeExtxyz([rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.05, 1)]),
  );
  const graph = new GraphBuilder("broken");
  const x = graph.input("positions", "f32", ["N", 3]);
  const square = graph.mul(x, x);
  graph.output("energy", graph.reduceSum(square, [0, 1]), []);
  graph.output("forces", graph.op("Log", [graph.sub(-1, square)], "f32"), ["N", 3]);
  await Deno.writeFile(model, graph.build());
  const option = "--set modelOptions.differentiate=always";
  const args = ["relax", from, "--model", model, "--steps", "1", ...out];
  const broken = await hooke(args);
  assertEquals(broken.code, 3);
  assert(broken.err.includes(`${option} derives them from its energy`), broken.err);
  assertEquals((await hooke([...args, ...option.split(" ")])).err, "");
  const noStress = await hooke([...args, "--cell"]);
  assertEquals(noStress.code, 2);
  assert(noStress.err.includes(`${option} derives forces and stresses`), noStress.err);
});
