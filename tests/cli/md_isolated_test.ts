import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { fcc, rattle, type System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { hooke, tempFolder } from "./session.ts";

const [DIMER] = parseExtxyz("2\n\nAr 0 0 0\nAr 0 0 3.9\n");
const CRYSTAL = rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.05, 1);

async function written(path: string, systems: readonly System[]): Promise<string> {
  await Deno.writeTextFile(path, writeExtxyz(systems));
  return path;
}

/** Pressures and volumes of a log, as the file has them. */
async function pressuresIn(run: string): Promise<string[][]> {
  const [head, ...rows] = (await Deno.readTextFile(`${run}/log.csv`)).trimEnd().split("\n");
  assertEquals(head!.split(",").slice(7), ["pressure", "volume"]);
  return rows.map((row) => row.split(",").slice(7));
}

Deno.test("md of a molecule has no pressure in table, log, JSON and report, and resumes", async () => {
  await using folder = await tempFolder();
  const from = await written(`${folder.path}/dimer.xyz`, [DIMER!]), to = `${folder.path}/run`;
  const args = ["--temperature", "20", "--steps", "20", "--log-every", "10"];
  const { code, out, err } = await hooke(["md", from, ...args, "-o", to]);
  assertEquals([code, err], [0, ""]);
  assertMatch(out, /^ +20 .* - +-$/m);
  assertEquals(await pressuresIn(to), [["", ""], ["", ""], ["", ""]]);
  const report = await Deno.readTextFile(`${to}/report.html`);
  assert(report.includes("energy/total") && !report.includes("Pressure, GPa"));
  const resumed = await hooke(["resume", to, "--steps", "40", "--json"]);
  assertEquals([resumed.code, resumed.err], [0, ""]);
  const rows = resumed.out.split("\n").map((line) => JSON.parse(line))
    .filter(({ type }) => type === "thermo");
  assertEquals(rows.map(({ step, pressure, volume }) => [step, pressure, volume]), [
    [30, null, null],
    [40, null, null],
  ]);
  assertEquals((await pressuresIn(to)).length, 5);
});

Deno.test("in a batch with a molecule, only the crystal has a pressure, and the table shows it", async () => {
  await using folder = await tempFolder();
  const boxed = parseExtxyz(
    '2\nLattice="20 0 0 0 20 0 0 0 20" pbc="F F F"\nAr 0 0 0\nAr 0 0 3.9\n',
  );
  const from = await written(`${folder.path}/all.xyz`, [DIMER!, CRYSTAL, boxed[0]!]);
  const alone = await written(`${folder.path}/alone.xyz`, [CRYSTAL]);
  const args = ["--ensemble", "nve", "--temperature", "20", "--steps", "10", "--log-every", "10"];
  const { code, out, err } = await hooke(["md", from, ...args, "-o", `${folder.path}/run`]);
  assertEquals([code, err], [0, ""]);
  const rows = await pressuresIn(`${folder.path}/run`);
  assertEquals(rows[0], ["", ""]);
  assertEquals(rows[2], ["", "8000"]);
  const [, pressure, volume] = /^ +10 .* (-?\d\.\d{5}) +(\d+\.\d{3})$/m.exec(out)!;
  assertAlmostEquals(Number(rows[4]![0]), Number(pressure), 1e-5);
  assertAlmostEquals((Number(rows[4]![1]) + 8000) / 2, Number(volume), 1e-3);
  // The pressure of step 0 without its kinetic part is that of the crystal alone.
  await hooke(["md", alone, ...args, "-o", `${folder.path}/alone`]);
  const other = (await pressuresIn(`${folder.path}/alone`))[0]!;
  assertAlmostEquals(Number(rows[1]![0]), Number(other[0]), 0.1);
  assertMatch(await Deno.readTextFile(`${folder.path}/run/report.html`), /Pressure, GPa/);
});

Deno.test("md runs a crystal with a model that gives no stress", async () => {
  await using folder = await tempFolder();
  const from = await written(`${folder.path}/a.xyz`, [CRYSTAL]), model = `${folder.path}/lj.onnx`;
  await Deno.writeFile(model, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 }));
  const args = ["--model", model, "--steps", "2", "-o", `${folder.path}/run`];
  const { code, out, err } = await hooke(["md", from, ...args]);
  assertEquals([code, err], [0, ""]);
  assertMatch(out, /^ +2 .* - +1191\.016$/m);
  assertEquals((await pressuresIn(`${folder.path}/run`)).map(([pressure]) => pressure), [""]);
});
