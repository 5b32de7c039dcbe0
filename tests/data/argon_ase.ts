/**
 * Writes argon_ase.xyz and argon_nve_ase.xyz beside this file: Lennard-Jones argon as ASE 3.x computed it in float64.
 *
 * `deno run -A tests/data/argon_ase.ts FOLDER`, where FOLDER has what the reference program of the peers wrote:
 * perfect.json, rattled108.json, rattled500.json, rattled32x64.json, nve108.json, nve32.json. Numbers are copied as
 * they stand there: positions rounded to 1e-10 Å, forces to 1e-12 eV/Å, velocities to 1e-14 Å/fs.
 *
 * @module
 */

interface Computed {
  readonly n: number;
  readonly box: readonly number[];
  readonly positions: readonly (readonly number[])[];
  readonly energy_shifted_eV: number;
  readonly energy_truncated_eV: number;
  readonly pairs: number;
  readonly forces: readonly (readonly number[])[];
  readonly stress_eV_per_A3: readonly (readonly number[])[];
}

interface Trajectory {
  readonly n: number;
  readonly box: readonly number[];
  readonly dt_fs: number;
  readonly velocities_A_per_fs: readonly (readonly number[])[];
  readonly frames: readonly {
    readonly step: number;
    readonly potential_eV: number;
    readonly kinetic_eV: number;
    readonly positions: readonly (readonly number[])[];
  }[];
}

const [folder] = Deno.args;
if (folder === undefined) {
  throw new TypeError(
    "Cannot write the fixtures: the folder of the peers' results must be given",
  );
}

/** Systems of 32 atoms there are 64 of: the first three will do. */
const FEW = 3;

async function read<T>(name: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(`${folder}/${name}.json`)) as T;
}

async function write(name: string, frames: readonly string[]): Promise<void> {
  await Deno.writeTextFile(new URL(name, import.meta.url), frames.join(""));
}

function frame(box: readonly number[], comment: string, rows: readonly (readonly number[])[]) {
  const [a, b, c] = box;
  const lattice = `Lattice="${a} 0.0 0.0 0.0 ${b} 0.0 0.0 0.0 ${c}" pbc="T T T"`;
  const lines = rows.map((row) => `Ar ${row.join(" ")}\n`);
  return `${rows.length}\n${lattice} ${comment}\n${lines.join("")}`;
}

function computed(name: string, one: Computed): string {
  const comment = [
    `Properties=species:S:1:pos:R:3:forces:R:3 energy=${one.energy_shifted_eV}`,
    `truncated=${one.energy_truncated_eV} pairs=${one.pairs}`,
    `stress="${one.stress_eV_per_A3.flat().join(" ")}" label=${name} source="ASE 3.x"`,
  ].join(" ");
  return frame(one.box, comment, one.positions.map((x, i) => [...x, ...one.forces[i]!]));
}

function trajectory({ n, box, dt_fs, velocities_A_per_fs, frames }: Trajectory): string[] {
  return frames.map(({ step, potential_eV, kinetic_eV, positions }) => {
    const isFirst = step === 0;
    const columns = `Properties=species:S:1:pos:R:3${isFirst ? ":vel:R:3" : ""}`;
    const energies = `energy=${potential_eV} kinetic=${kinetic_eV}`;
    const comment =
      `${columns} ${energies} step=${step} dt=${dt_fs} label=nve${n} source="ASE 3.x"`;
    return frame(
      box,
      comment,
      positions.map((x, i) => isFirst ? [...x, ...velocities_A_per_fs[i]!] : x),
    );
  });
}

if (import.meta.main) {
  type Systems = { readonly systems: readonly Computed[] };
  const [perfect, of32, of108, of500] = await Promise.all(
    ["perfect", "rattled32x64", "rattled108", "rattled500"].map((name) => read<Systems>(name)),
  );
  await write("argon_ase.xyz", [
    ...perfect!.systems.map((one) => computed(`perfect${one.n}`, one)),
    ...of32!.systems.slice(0, FEW).map((one, i) => computed(`rattled32_${i}`, one)),
    ...of108!.systems.map((one) => computed("rattled108", one)),
    ...of500!.systems.map((one) => computed("rattled500", one)),
  ]);
  const runs = await Promise.all(["nve108", "nve32"].map((name) => read<Trajectory>(name)));
  await write("argon_nve_ase.xyz", runs.flatMap(trajectory));
}
