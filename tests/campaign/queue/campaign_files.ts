/**
 * Files of a small campaign, and the results that one undisturbed process gives.
 *
 * @module
 */

import { fcc, rattle } from "../../../src/batch/crystal.ts";
import { writeExtxyz } from "../../../src/batch/extxyz/mod.ts";
import { openResultStore } from "../../../src/campaign/store/result_store.ts";
import { hooke, tempFolder } from "../../cli/session.ts";

/**
 * A hook that lets a process wait in the middle of a structure: the process writes `$HOLD.begun`, and goes on when
 * `$HOLD.go` exists. It changes no result.
 */
const HOLD = `
const hold = Deno.env.get("HOLD");
const exists = (path) => Deno.stat(path).then(() => true, () => false);
export default {
  stage: "dynamics/AFTER_STEP",
  frequency: 10,
  async call() {
    if (hold === undefined) return;
    await Deno.writeTextFile(hold + ".begun", "");
    while (!await exists(hold + ".go")) await new Promise((resolve) => setTimeout(resolve, 20));
  },
};
`;

const RECIPE = `
model: lj:argon
stages:
  - stage: relax
    steps: 5
  - stage: md
    steps: 40
    temperature: 30
    options: { dt: 2 }
`;

/** A folder with a recipe and structures. */
export interface CampaignFiles extends AsyncDisposable {
  readonly path: string;
  /** Path of the recipe. */
  readonly recipe: string;
  /** Path of the file of structures. */
  readonly structures: string;
  /** Returns a path in the folder. */
  at(name: string): string;
}

/** Writes a recipe, and crystals of argon of 4 atoms times the cube of `cells`. */
export async function writeCampaign(
  count: number,
  { cells = 1, holds = false }: { readonly cells?: number; readonly holds?: boolean } = {},
): Promise<CampaignFiles> {
  const folder = await tempFolder(), at = (name: string) => `${folder.path}/${name}`;
  const crystals = Array.from(
    { length: count },
    (_, seed) => rattle(fcc({ element: "Ar", a: 5.3, cells }), 0.1, seed),
  );
  await Deno.writeTextFile(at("hold.js"), HOLD);
  await Deno.writeTextFile(at("recipe.yaml"), holds ? `${RECIPE}hooks: [./hold.js]\n` : RECIPE);
  await Deno.writeTextFile(at("a.xyz"), writeExtxyz(crystals));
  return {
    path: folder.path,
    recipe: at("recipe.yaml"),
    structures: at("a.xyz"),
    at,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Returns the records in a folder by id, and the number of lines in its shards. */
export async function recordsIn(
  folder: string,
): Promise<{ readonly records: Readonly<Record<string, string>>; readonly lines: number }> {
  await using store = await openResultStore(folder);
  if (store.faults.length > 0) throw new Error(`results differ: ${JSON.stringify(store.faults)}`);
  const records: Record<string, string> = {};
  for (const { id } of store.all()) {
    records[id] = new TextDecoder().decode(await store.bytesOf(id));
  }
  let lines = 0;
  for (const { path } of store.shards()) {
    lines += (await Deno.readTextFile(path)).split("\n").length - 1;
  }
  return { records, lines };
}

/** Computes a campaign in one undisturbed process. Returns its records by id. */
export async function recordsAlone(
  { at, recipe, structures }: CampaignFiles,
): Promise<Readonly<Record<string, string>>> {
  const where = ["-o", at("alone"), "--local", "--allow-modules", "any", "-q"];
  const { code, err } = await hooke(["submit", recipe, structures, ...where]);
  if (code !== 0) throw new Error(err);
  return (await recordsIn(at("alone"))).records;
}
