import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { chart } from "../../src/cli/draw/chart.ts";
import { barsSvg } from "../../src/cli/draw/bars.ts";
import { parseLog } from "../../src/cli/plot/log_rows.ts";
import { hooke, tempFolder } from "./session.ts";
import { runFolder } from "./run_folders.ts";

Deno.test("a chart draws a line from corner to corner, with ticks at their values", () => {
  const x = [0, 1, 2, 3, 4, 5, 6, 7], width = 19;
  const lines = chart({ title: "rise, eV", x, y: x.map((one) => 2 * one), width, height: 4 });
  // The line rises by 16 dots over 20, from the first to the last: four rows and ten characters.
  assertEquals(lines, [
    "rise, eV",
    "        │       ⢀⠔⠊",
    "     10 ┤     ⡠⠒⠁",
    "      5 ┤  ⢀⠤⠊",
    "      0 ┤⡠⠔⠁",
    "        └┬─────┬───",
    "         0     5",
  ]);
});

Deno.test("a chart interrupts lines at values that are not finite, and draws points of a parity plot apart", () => {
  const draw = (y: number[], more: object = {}) =>
    chart({ title: "", x: [0, 1, 2], y, width: 30, height: 3, ...more }).join("\n");
  const dots = (text: string) => [...text].filter((char) => /[⠁-⣿]/.test(char)).length;
  assert(dots(draw([1, NaN, 1])) === 2, draw([1, NaN, 1]));
  assert(dots(draw([1, 1, 1])) > 15);
  assert(dots(draw([0, 5, 0], { isLine: false })) === 3);
  assert(dots(draw([0, 1, 2], { isLine: false, isParity: true })) > 5, "the diagonal is drawn");
});

Deno.test("rows of a log: systems are averaged, repeated steps replaced, a cut-off line ignored", () => {
  const csv =
    "step,time,systemId,temperature,potential\n0,0,0,10,-1\n0,0,1,30,-3\n5,20,0,1,1\n5,20,1,2,2\n" +
    "10,40,0,1,1\n10,40,1,2,2\n5,20,0,40,-2\n5,20,1,60,\n10,40,0,7";
  assertEquals(parseLog(csv, "log.csv"), [
    { step: 0, values: { time: 0, temperature: 20, potential: -2 } },
    { step: 5, values: { time: 20, temperature: 50, potential: -2 } },
  ]);
  const jsonl = '{"type":"thermo","step":1,"systemId":0,"total":-2.5,"volume":null}\n' +
    '{"type":"end","step":9}\n{"step":2,"stage":"s","scalars":{"loss":0.5,"x":"NaN"}}\n{"step":3,"sc';
  assertEquals(parseLog(jsonl, "a.jsonl"), [
    { step: 1, values: { total: -2.5, volume: NaN } },
    { step: 2, values: { loss: 0.5, x: NaN } },
  ]);
});

Deno.test("plot draws the columns of a run over the time, also while the run still writes", async () => {
  await using folder = await tempFolder();
  const run = await runFolder(`${folder.path}/run`);
  const { code, out, err } = await hooke(["plot", run, "--columns", "energy,temp"]);
  assertEquals([code, err], [0, ""]);
  const lines = out.split("\n");
  assertEquals(
    lines[0],
    `${run}: 0.08 ps, from left to right; the run has not ended: it still runs, or its process was killed`,
  );
  assertEquals(lines.filter((line) => line.includes("last")), [
    "potential energy, eV (last -1.6 eV)",
    "temperature, K (last 40 K)",
  ]);
  assertMatch(out, /0 +0\.02 +0\.04 +0\.06 +0\.08/);
  // By default also those of the other log; the volume does not change.
  const all = await hooke(["plot", run]);
  assertStringIncludes(all.out, "largest force, eV/Å (last 0.8 eV/Å)");
  assertStringIncludes(all.out, "volume: 64 Å³, constant");
  const json = await hooke(["plot", run, "--json", "--columns", "kinetic"]);
  const { column, unit, xLabel, x, values } = JSON.parse(json.out);
  assertEquals([column, unit, xLabel], ["energy/kinetic", "eV", "time, ps"]);
  assertEquals([x.slice(-2), values.slice(-2)], [[0.07, 0.08], [0.7, 0.8]]);
});

Deno.test("plot writes a picture, and refuses to replace one", async () => {
  await using folder = await tempFolder();
  const run = await runFolder(`${folder.path}/run`), svg = `${folder.path}/a.svg`;
  const args = ["plot", run, "-c", "energy", "-c", "total,temperature", "-o", svg];
  assertEquals(await hooke(args), { code: 0, out: `Wrote ${svg}`, err: "", progress: "" });
  const text = await Deno.readTextFile(svg);
  assertEquals(text.match(/<svg /g)?.length, 3, "one picture around two");
  for (const part of ["Energy, eV", "Temperature, K", "time, ps", 'role="img" aria-label="']) {
    assertStringIncludes(text, part);
  }
  const again = await hooke(args);
  assertEquals(again.code, 2);
  assertStringIncludes(again.err, `Cannot write ${svg}: it exists. Pass --overwrite`);
  assertEquals((await hooke([...args, "--overwrite", "-q"])).out, "");
});

Deno.test("plot takes logs and folders of other programs, and says what is wrong", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/log.csv`, "step,a,b\n0,1,2\n10,3,4\n");
  for (const from of [path, `${path}/`, `${path}/log.csv`]) {
    const { code, out } = await hooke(["plot", from]);
    assertEquals(code, 0);
    assertMatch(out, /10 steps.*\na \(last 3\)\n[^]*\nb \(last 4\)\n/);
  }
  await Deno.writeTextFile(`${path}/x.csv`, "a,b\n1,2\n");
  await Deno.writeTextFile(`${path}/y.csv`, "step,a\n1,2\n3\n");
  await Deno.writeTextFile(`${path}/none.csv`, "step,a\n");
  await Deno.mkdir(`${path}/empty`);
  const wrong: [string[], string][] = [
    [[], "Cannot plot nothing"],
    [[`${path}/nothing`], "nothing: there is no such file or folder"],
    [
      [`${path}/empty`],
      "it is not a run folder, because it has no config.json, and it has no log.csv or",
    ],
    [[`${path}/x.csv`], 'the first line of a log must have a column "step"'],
    [[`${path}/y.csv`], "y.csv, line 3: it must have 2 cells and a step"],
    [[`${path}/none.csv`], "it has no values yet"],
    [[path, "-c", "c"], "Cannot plot column c: the columns are a, b"],
    [[path, "-o", "a.png"], "the name of a picture must end with .svg"],
    [[path, "-q"], "Cannot use --quiet without --output"],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await hooke(["plot", ...args]);
    assertEquals(code, 2, err);
    assertStringIncludes(err, message);
  }
});

Deno.test("plot draws how many steps the structures of a screening took", async () => {
  await using folder = await tempFolder();
  const run = await runFolder(`${folder.path}/run`, { command: "screen" });
  const { code, out } = await hooke(["plot", run, "--width", "40"]);
  assertEquals(code, 0);
  assertMatch(out, /3 converged structures; the run has not ended/);
  assertMatch(out, /\n {2}3 {2}█+ 2\n {2}4 {2}█+ 1$/);
  assertMatch((await hooke(["plot", run, "-c", "fmax"])).out, /4 structures[^]*largest force/);
  const svg = barsSvg([3, 4, 3], { title: "Steps", label: "steps" });
  assertStringIncludes(svg, 'aria-label="Steps: 3: 2, 4: 1"');
});
