import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { builtinPotential } from "../../src/cli/run/noble_gases.ts";
import { hooke, tempFolder } from "./session.ts";

const crystal = (element: string, a: number) => rattle(fcc({ element, a, cells: 2 }), 0.1, 1);

Deno.test("the energy of a structure does not depend on the other files of a command", async () => {
  await using folder = await tempFolder();
  const [argon, xenon] = [`${folder.path}/ar.xyz`, `${folder.path}/xe.xyz`];
  await Deno.writeTextFile(argon, writeExtxyz([crystal("Ar", 5.26)]));
  await Deno.writeTextFile(xenon, writeExtxyz([crystal("Xe", 6.2)]));
  const energy = async (...files: string[]) => {
    const args = ["singlepoint", ...files, "-o", `${folder.path}/out.xyz`, "--overwrite", "--json"];
    const { code, out, err } = await hooke(args);
    assertEquals([code, err], [0, ""]);
    return JSON.parse(out.split("\n")[0]!).energy;
  };
  assertEquals(await energy(argon), await energy(argon, xenon));
  const { cutoff, species } = builtinPotential("lj", ["Ar"]);
  assertEquals(cutoff, 2.5 * 3.98);
  assertEquals(Object.keys(species), ["He", "Ne", "Ar", "Kr", "Xe"]);
});

Deno.test("screen relaxes structures of all noble gases, whichever comes first", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/in`);
  await Deno.writeTextFile(`${folder.path}/in/a.xyz`, writeExtxyz([crystal("Ar", 5.26)]));
  await Deno.writeTextFile(`${folder.path}/in/b.xyz`, writeExtxyz([crystal("Kr", 5.7)]));
  const args = ["screen", `${folder.path}/in`, "-o", `${folder.path}/out`, "--json"];
  const { code, out } = await hooke(args);
  const screened = out.split("\n").map((line) => JSON.parse(line)).filter(({ type }) =>
    type === "screened"
  );
  assertEquals([code, screened.map(({ status }) => status)], [0, ["converged", "converged"]]);
});

Deno.test("results in the input are not those of the command", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, to = `${folder.path}/b.xyz`;
  await Deno.writeTextFile(
    from,
    '2\nLattice="9 0 0 0 9 0 0 0 9" pbc="F F F" stress="1 0 0 0 1 0 0 0 1" energy=7 free_energy=8 ' +
      "Properties=species:S:1:pos:R:3:energies:R:1:tag:R:1\nAr 0 0 0 5 1\nAr 4 0 0 6 2\n",
  );
  const single = await hooke(["singlepoint", from, "-o", to]);
  assertEquals(single.code, 0, single.err);
  assert(!single.out.includes("pressure"), single.out);
  const relaxed = await hooke(["relax", from, "-o", to, "--overwrite"]);
  assertEquals(relaxed.code, 0, relaxed.err);
  const text = await Deno.readTextFile(to), [system] = parseExtxyz(text);
  assert(system!.energy! < 0);
  assertStringIncludes(text, "tag:R:1");
  for (const name of ["energies", "stress", "free_energy"]) assert(!text.includes(name), text);
});

Deno.test("relax names a structure that diverges, and relaxes and writes the others", async () => {
  await using folder = await tempFolder();
  const files = ["a", "overlap", "b"].map((name) => `${folder.path}/${name}.xyz`);
  const overlap = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 0, 0, 0] });
  for (const [i, system] of [crystal("Ar", 5.26), overlap, crystal("Kr", 5.7)].entries()) {
    await Deno.writeTextFile(files[i]!, writeExtxyz([system]));
  }
  const to = `${folder.path}/out.xyz`, traj = `${folder.path}/traj.xyz`;
  const { code, out, err } = await hooke(["relax", ...files, "-o", to, "--traj", traj]);
  assertEquals(code, 3, err);
  assertMatch(err, /overlap\.xyz.* diverged/);
  assertMatch(out, /a\.xyz +converged/);
  const written = parseExtxyz(await Deno.readTextFile(to));
  assertEquals(written.map(({ info }) => info.file), [files[0]!, files[2]!]);
  assert((await Deno.readTextFile(traj)).length > 0);
  const alone = await hooke(["relax", files[1]!, "-o", to, "--overwrite"]);
  assertEquals(alone.code, 3, alone.err);
  assertMatch(alone.out, /1 of 1 .*diverged/);
});
