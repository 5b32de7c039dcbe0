import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { readExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { hooke, tempFolder } from "../cli/session.ts";

const RECIPE = `
model: lj:argon
stages:
  - stage: relax
    fmax: 0.05
  - stage: md
    steps: 5
    temperature: 20
outputs: [forces]
`;

Deno.test("a campaign is submitted, computed, listed and exported", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  const crystals = [1, 2, 3].map((seed) => rattle(fcc({ element: "Ar", a: 5.3 }), 0.1, seed));
  await Deno.writeTextFile(at("recipe.yaml"), RECIPE);
  await Deno.writeTextFile(at("a.xyz"), writeExtxyz(crystals));
  await Deno.writeTextFile(at("b.xyz"), writeExtxyz([fcc({ element: "Cu", a: 3.6 })]));
  const structures = [at("a.xyz"), at("b.xyz"), at("a.xyz")];

  const submitted = await hooke(["submit", at("recipe.yaml"), ...structures, "-o", at("c")]);
  assertEquals([submitted.code, submitted.err], [0, ""]);
  assertStringIncludes(submitted.out, "Added 4 structures");
  const before = await hooke(["status", at("c")]);
  assertEquals(before.code, 3);
  assertStringIncludes(before.out, "4 structures: 0 done, 0 not converged, 0 failed, 4 missing");

  for (const task of ["1", "0"]) {
    const { err } = await hooke(["work", at("c"), "--task", task, "--tasks", "2"]);
    assertEquals(err, "");
  }
  const after = await hooke(["status", at("c"), "--json"]);
  const { items, done, failed, missing, faults } = JSON.parse(after.out);
  assertEquals([items, done, failed, missing, faults, after.code], [4, 3, 1, 0, 0, 3]);

  const listed = await hooke(["results", at("c"), "--status", "failed"]);
  assertMatch(listed.out, /^[0-9a-f]{12} {2}failed {9}\S+b\.xyz {2}.*Cu/);
  assertEquals(listed.code, 0);
  const none = await hooke(["results", at("c"), "--status", "not-converged"]);
  assertEquals([none.code, none.out], [0, "No structure has the status not converged"]);
  for (
    const [args, message] of [
      [["inspect", at("c")], "it is a campaign. hooke status and hooke results show it"],
      [["resume", at("c")], "it is a campaign. hooke work computes what is missing"],
      [["resume", at("none")], "none: there is no such folder"],
      [["submit", at("none.yaml"), at("c")], "none.yaml: there is no such file or folder"],
    ] as const
  ) assertStringIncludes((await hooke([...args])).err, message);
  const all = (await hooke(["results", at("c"), "--json"])).out.split("\n").map((line) =>
    JSON.parse(line)
  );
  assertEquals(all.map(({ source }) => source), all.map(({ source }) => source).sort());
  const written = await hooke(["results", at("c"), "-o", at("out.xyz")]);
  assertStringIncludes(written.out, "Wrote 3 structures");
  const [first] = readExtxyz(await Deno.readTextFile(at("out.xyz")));
  const [found] = all.filter(({ id }) => id === first!.info.item);
  assertEquals(first!.energy, found.energy);
  assertMatch(String(first!.info.file), /a\.xyz@\d$/);

  const local = await hooke([
    "submit",
    at("recipe.yaml"),
    at("a.xyz"),
    "-o",
    at("c"),
    "--local",
    "--seeds",
    "2",
  ]);
  assertStringIncludes(local.out, "Added 3 structures");
  assertStringIncludes(local.out, "3 were there already");
  assertStringIncludes(local.out, "Computed 3 structures: 3 done");
});

Deno.test("wrong use of campaigns is refused in plain words", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await Deno.writeTextFile(at("recipe.yaml"), RECIPE);
  await Deno.writeTextFile(at("other.yaml"), RECIPE.replace("0.05", "0.01"));
  await Deno.writeTextFile(at("torn.yaml"), "model: lj:argon\nmodel: lj:argon\n");
  await Deno.writeTextFile(at("hook.yaml"), `${RECIPE}hooks: [./h.ts#h]\n`);
  await Deno.writeTextFile(at("bad.yaml"), RECIPE.replace("fmax", "fmaxx"));
  await Deno.writeTextFile(at("a.xyz"), writeExtxyz([fcc({ element: "Ar", a: 5.3 })]));
  assertEquals((await hooke(["submit", at("recipe.yaml"), at("a.xyz"), "-o", at("c")])).code, 0);
  const wrong: readonly (readonly [readonly string[], number, string])[] = [
    [["submit"], 2, "pass a recipe and structures"],
    [["submit", at("a.xyz"), at("a.xyz")], 2, "its name must end with .json"],
    [["submit", at("torn.yaml"), at("a.xyz")], 2, `Cannot use the recipe ${at("torn.yaml")}:2:1: `],
    [
      ["submit", at("hook.yaml"), at("a.xyz")],
      2,
      `${at("h.ts")}, a hook of the recipe ${at("hook.yaml")}: `,
    ],
    [["submit", at("bad.yaml"), at("a.xyz")], 2, 'got "fmaxx"; did you mean fmax?'],
    [["submit", at("other.yaml"), at("a.xyz"), "-o", at("c")], 1, "Use another folder"],
    [["work", at("c"), "--task", "2", "--tasks", "2"], 2, "--task must be below --tasks 2; got 2"],
    [["work", at("none")], 1, "hooke submit creates one"],
    [["status"], 2, "pass one folder of a campaign"],
    [["results", at("c"), "-o", at("x.doc")], 2, "its name must end with"],
  ];
  for (const [args, code, message] of wrong) {
    const said = await hooke(args);
    assertStringIncludes(said.err, message);
    assertEquals(said.code, code, said.err);
  }
  const [ids] = Array.from(Deno.readDirSync(at("c/items")), ({ name }) => name).sort();
  await Deno.truncate(at(`c/items/${ids}`), 31);
  const said = await hooke(["status", at("c")]);
  assertStringIncludes(said.err, "its size must be a multiple of 32 bytes; got 31");
  assertEquals(said.code, 1);
});

Deno.test("scripts of array jobs start each task with its share, and nothing is written", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await Deno.writeTextFile(at("recipe.yaml"), RECIPE);
  const submit = ["submit", at("recipe.yaml"), at("missing.xyz"), "-o", at("it's 5%")];
  const print = async (scheduler: string, ...more: string[]) => {
    const array = ["--scheduler", scheduler, "--tasks", "8", "--time", "1:00:00", "--print"];
    const { code, out, err } = await hooke([...submit, ...array, "--program", "hooke", ...more]);
    assertEquals([code, err], [0, ""]);
    return out;
  };
  const slurm = await print("slurm", "--directive=--partition=cpu", "--allow-modules", "any");
  for (
    const line of [
      "#SBATCH --array=0-7",
      "#SBATCH --requeue",
      `#SBATCH --output='${at("it'\\''s 5%%")}/logs/task-%a.log'`,
      "#SBATCH --signal=B:USR2@120",
      "#SBATCH --time=1:00:00",
      "#SBATCH --partition=cpu",
      `hooke work '${
        at("it'\\''s 5%")
      }' --task $SLURM_ARRAY_TASK_ID --tasks 8 --quiet --allow-modules any --signal usr2 &`,
    ]
  ) assertStringIncludes(slurm, `${line}\n`);
  const parsed = await new Deno.Command("bash", { args: ["-n", "-c", slurm] }).output();
  assertEquals(parsed.code, 0);
  const pbs = await print("pbs");
  assertStringIncludes(pbs, "#PBS -J 0-7\n");
  assertStringIncludes(pbs, `#PBS -o '${at("it'\\''s 5%")}/logs/'\n`);
  assertStringIncludes(await print("hyperqueue"), "--task $HQ_TASK_ID --tasks 8");
  assertStringIncludes(await print("kubernetes"), "  completions: 8\n");
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["recipe.yaml"]);
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [["--print"], "--print: it has no effect without --scheduler"],
    [["--scheduler", "pbs"], "pass --print"],
    [["--scheduler", "slurm", "--local"], "Cannot use --local"],
    [["--priority", "high"], "--priority: it has no effect without --queue"],
  ];
  for (const [more, message] of wrong) {
    const { code, err } = await hooke([...submit, ...more]);
    assertStringIncludes(err, message);
    assertEquals(code, 2);
  }
});
