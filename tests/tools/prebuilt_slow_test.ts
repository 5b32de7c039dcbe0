// The package that `deno task prebuilt` writes, used by programs of a folder that links it.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { buildPrebuilt } from "../../tools/prebuilt/build.ts";
import { slowTest } from "../suite.ts";

/** A relaxation whose forces are computed by workers, and an ONNX model, which is decoded. */
const PROGRAM = `
import { Batch, ConvergenceHook, decodeModel, fcc, FIRE, lennardJones, lennardJonesModel, rattle } from "@hooke/hooke";
import { openThreads } from "@hooke/hooke/backend";
import { Batch as SameBatch } from "@hooke/hooke/batch";

const argon = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
const batch: SameBatch = Batch.from([1, 2].map((seed) => rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, seed)));
const backend = openThreads(2);
const hook = ConvergenceHook.fromFmax(0.01);
await using engine = new FIRE({ model: lennardJones(argon), dt: 0.5, nSteps: 500, hooks: [hook], backend });
await engine.run(batch);
console.log(JSON.stringify({
  energies: [...batch.get("energy")],
  outputs: decodeModel(lennardJonesModel(argon)).graph?.output.map(({ name }) => name),
  name: hook.constructor.name,
  isSame: Batch === SameBatch,
}));
backend.dispose();
`;

/** Runs Deno in a folder. Returns what it printed, and fails if it fails. */
async function deno(cwd: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const [out, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert(success, `${args.join(" ")}\n${out}\n${errors}`);
  return `${out}${args[0] === "run" ? "" : errors}`;
}

/** Writes the program into a folder of a user with a linked package. */
async function userFolder(linked: string): Promise<string> {
  const folder = await Deno.makeTempDir();
  const config = { links: [linked], imports: { "@hooke/hooke": "jsr:@hooke/hooke" } };
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
  await Deno.writeTextFile(`${folder}/program.ts`, PROGRAM);
  return folder;
}

slowTest(
  "a prebuilt package has the results, names, types and command of the sources",
  async () => {
    const prebuilt = await Deno.makeTempDir();
    await buildPrebuilt(prebuilt);
    const root = decodeURIComponent(new URL("../../", import.meta.url).pathname);
    const [user, clone] = [await userFolder(prebuilt), await userFolder(root)];
    try {
      const run = ["run", "--no-check", "--allow-read", "program.ts"];
      const result = JSON.parse(await deno(user, ...run));
      assertEquals(result, JSON.parse(await deno(clone, ...run)), "the same bits");
      assertEquals([result.name, result.isSame], ["ConvergenceHook", true]);
      await deno(user, "check", "program.ts");
      const command = ["run", "--allow-read", `${prebuilt}/dist/src/cli/main.js`];
      assertStringIncludes(await deno(user, ...command, "--help"), "COMMAND --help describes");
      assertStringIncludes(await deno(user, ...command, "relax", "--help"), "--fmax");
      const published = await deno(prebuilt, "publish", "--dry-run", "--allow-dirty", "--no-check");
      assertStringIncludes(published, "types/mod.d.ts");
      // The sources are more than 600 files; each file costs time when a program starts.
      const loaded = await staticImports(`file://${prebuilt}/dist/mod.js`);
      assert(loaded.size < 240, `a program loads ${loaded.size} files of code`);
    } finally {
      for (const folder of [prebuilt, user, clone]) await Deno.remove(folder, { recursive: true });
    }
  },
);

/** Returns the addresses of a module of the bundle and of all modules that load with it. */
async function staticImports(address: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(address)) return found;
  found.add(address);
  const text = await Deno.readTextFile(new URL(address));
  for (const [, path] of text.matchAll(/\b(?:from|import)"(\.[^"]+)"/g)) {
    await staticImports(new URL(path!, address).href, found);
  }
  return found;
}
