import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { fcc, System } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { atomsSvg } from "../../src/cli/draw/atoms.ts";
import { runFolder } from "./run_folders.ts";
import { hooke, tempFolder } from "./session.ts";

/** Returns the centers, radii and fills of the atoms of a picture, in the order in which they are drawn. */
function circlesOf(svg: string): { x: number; y: number; r: number; fill: string }[] {
  const drawn = svg.slice(0, svg.indexOf('class="label"')).replace(/<circle[^>]*>$/, "");
  return [
    ...drawn.matchAll(/<circle cx="(.*?)" cy="(.*?)" r="(.*?)" fill="url\(#hooke-(\w+)\)"\/>/g),
  ]
    .map(([, x, y, r, fill]) => ({ x: Number(x), y: Number(y), r: Number(r), fill: fill! }))
    .slice(0, -1);
}

Deno.test("a picture of atoms draws the farthest first, with the radii of the elements and the cell", () => {
  const system = new System({
    symbols: ["H", "O", "H"],
    positions: [0, 3, 0, 0, 0, 0, 0, -3, 0], // from far away to near
  });
  const svg = atomsSvg(system, { title: "Three <atoms>" });
  const atoms = circlesOf(svg);
  assertEquals(atoms.map(({ fill }) => fill), ["H", "O", "H"]);
  assert(Math.abs(atoms[1]!.r / atoms[0]!.r - 66 / 31) < 0.03, "covalent radii, pm");
  assert(atoms[0]!.y < atoms[2]!.y, "farther atoms are higher: one looks from above");
  assertStringIncludes(svg, 'aria-label="Three &lt;atoms&gt;: 2 H, 1 O"');
  assert(!svg.includes('edge" d='));
  const crystal = atomsSvg(fcc({ element: "Ar", a: 5 }), { title: "Argon" });
  assertEquals(crystal.match(/class="axis edge"/g)?.length, 12 * 16);
  assertStringIncludes(crystal, "4 Ar, with the edges of the cell");
});

Deno.test("a picture moves atoms into the cell, and leaves out those that are hidden", () => {
  const cell = [10, 0, 0, 0, 10, 0, 0, 0, 10];
  const at = (positions: number[]) =>
    circlesOf(atomsSvg(new System({ symbols: ["Cu"], positions, cell, pbc: true }), { title: "" }));
  assertEquals(at([5, 5, 5]), at([25, -15, 5]));
  const block = atomsSvg(fcc({ element: "Cu", a: 3.6, cells: 8 }), { title: "" });
  assertStringIncludes(block, "Cu 2048");
  const count = circlesOf(block).length;
  assert(count > 200 && count < 1300, `${count} of 2048 atoms can be seen`);
});

Deno.test("a picture shows atoms that have flown apart, and refuses positions that are not finite", () => {
  const pair = (x: number) => new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, x, 0, 0] });
  const [one, other] = circlesOf(atomsSvg(pair(1e5), { title: "" }));
  assertEquals([one!.r, other!.r], [1, 1]);
  assert(Math.abs(one!.x - other!.x) > 250);
  const lost = pair(1);
  lost.positions[3] = NaN;
  assertThrows(() => atomsSvg(lost, { title: "" }), RangeError, "a position is not finite");
});

Deno.test("report makes the report of a killed run again, with pictures and curves over the time", async () => {
  await using folder = await tempFolder();
  const run = await runFolder(`${folder.path}/run`);
  const frames = [0, 1, 2].map((i) => fcc({ element: "Ar", a: 5 + i }));
  await Deno.writeTextFile(`${run}/trajectory.xyz`, writeExtxyz(frames));
  const { code, out, err } = await hooke(["report", run]);
  assertEquals([code, out, err], [0, `Wrote ${run}/report.html: not ended`, ""]);
  const html = await Deno.readTextFile(`${run}/report.html`);
  for (
    const part of [
      "the run is still going on, or its process was killed",
      'aria-label="First structure: 4 Ar',
      'aria-label="Last structure: 4 Ar',
      'aria-label="Energy, eV; energy between -2 and -1.6, last −1.6; energy/total between',
      "Kinetic energy, eV",
      "Temperature, K",
      "Volume, Å³",
      "time, ps",
      "&quot;traj&quot;: &quot;trajectory.xyz&quot;",
    ]
  ) assertStringIncludes(html, part);
  assert(!/(src|href)="/.test(html), "the file needs no other");
  const markdown = `${folder.path}/a.md`;
  assertEquals((await hooke(["report", run, "-o", markdown, "-q"])).out, "");
  assertMatch(
    await Deno.readTextFile(markdown),
    /!\[First structure\]\(data:.*!\[Last structure\]/,
  );
});

Deno.test("report warns of a damaged trajectory, and has all else", async () => {
  await using folder = await tempFolder();
  const run = await runFolder(`${folder.path}/run`);
  await Deno.writeTextFile(`${run}/trajectory.xyz`, "not a number\n\n");
  const { code, out } = await hooke(["report", run, "--json"]);
  assertEquals(code, 0);
  const { file, status, warnings } = JSON.parse(out);
  assertEquals([file, status], [`${run}/report.html`, "not ended"]);
  assertMatch(warnings[0], /^There is no picture of the structures: Cannot /);
  assertStringIncludes(await Deno.readTextFile(file), "Temperature, K");
});

Deno.test("report has the histogram and the failures of a screening", async () => {
  await using folder = await tempFolder();
  const run = await runFolder(`${folder.path}/run`, { command: "screen", results: "none.xyz" });
  assertEquals((await hooke(["report", `${run}/`])).code, 0);
  const html = await Deno.readTextFile(`${run}/report.html`);
  assertStringIncludes(
    html,
    'aria-label="Steps until convergence (number of structures): 3: 2, 4: 1"',
  );
  assertMatch(html, /<dt>converged<\/dt><dd>3<\/dd>.*<dt>failed<\/dt><dd>1<\/dd>/);
  assertStringIncludes(html, '<td>a.xyz</td><td class="number">3</td><td>too hot</td>');
});

Deno.test("a report names the structure of a batch, and the units of a training", async () => {
  await using folder = await tempFolder();
  const { path } = folder,
    facts = { structures: [{ label: "a", atoms: 4 }, { label: "b", atoms: 2 }] };
  const run = await runFolder(`${path}/run`, { facts });
  const frames = [4, 5, 6, 7, 8].map((a) => fcc({ element: a % 2 === 0 ? "Ar" : "Kr", a }));
  await Deno.writeTextFile(`${run}/trajectory.xyz`, writeExtxyz(frames)); // the second step lacks a structure
  assertEquals((await hooke(["report", run])).code, 0);
  const html = await Deno.readTextFile(`${run}/report.html`);
  assertStringIncludes(html, 'aria-label="Begin of structure 1 of 2: 4 Ar');
  assertStringIncludes(html, 'aria-label="End of structure 1 of 2: 4 Ar');
  const training = await runFolder(`${path}/training`, { command: "train" });
  const log = await Deno.readTextFile(`${training}/logs/scalars.jsonl`);
  await Deno.writeTextFile(
    `${training}/logs/scalars.jsonl`,
    log.replaceAll('"fmax"', '"val/forcesMAE"'),
  );
  assertEquals((await hooke(["report", training])).code, 0);
  const text = await Deno.readTextFile(`${training}/report.html`);
  assertStringIncludes(text, "forcesMAE, meV/Å");
  assertStringIncludes(text, ">step</text>");
});

Deno.test("report says what is wrong", async () => {
  await using folder = await tempFolder();
  const { path } = folder, run = await runFolder(`${path}/run`);
  await Deno.writeTextFile(`${path}/a.html`, "mine");
  const wrong: [string[], string][] = [
    [[], "Cannot report nothing"],
    [[`${path}/none`], "there is no such folder"],
    [[path], "it is not a run folder, because it has no config.json"],
    [[run, run, "-o", `${path}/b.html`], "Cannot write 2 reports to"],
    [[run, "-o", `${path}/b.pdf`], "the name of a report must end with .html or .md"],
    [[run, "-o", `${path}/a.html`], "it exists. Pass --overwrite"],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await hooke(["report", ...args]);
    assertEquals(code, 2, err);
    assertStringIncludes(err, message);
  }
  assertEquals(await Deno.readTextFile(`${path}/a.html`), "mine");
});
