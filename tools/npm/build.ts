/**
 * Builds the package for npm: `deno task npm [FOLDER]` writes the package into a folder (default: `npm`), and packs it
 * as a `.tgz` there.
 *
 * The code is bundled, with chunks that entry points share, so that a program loads few files. The types are those that
 * `deno pack` derives from the sources. `@std/cli` and `@std/assert` become part of the bundle, so that a user needs no
 * registry but npm's.
 *
 * @module
 */

import { entryPoints, ROOT } from "../check/entry_points.ts";
import { OLDEST_NODE, packageJson } from "./package_json.ts";
import { filesIn } from "./files_in.ts";
import { withWorkerScripts, WORKERS } from "./worker_scripts.ts";

/** The command, which `bin/hooke.js` runs. */
const COMMAND = "src/cli/command.ts";

/** Files of the repository that are part of the package as they are. */
const TEXTS = ["README.md", "LICENSE", "CHANGELOG.md"];

/** Builds the package into a folder, which is replaced, and returns the path of the packed file in it. */
export async function buildPackage(folder: string): Promise<string> {
  await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
  await Deno.mkdir(`${folder}/package/bin`, { recursive: true });
  const target = `${folder}/package`, config = JSON.parse(await textOf("deno.json"));
  await bundle(`${target}/dist`, Object.keys(config.imports));
  await withWorkerScripts(`${target}/dist`);
  await withoutMachinePaths(`${target}/dist`);
  await writeTypes(`${target}/types`);
  const json = packageJson(config, Deno.env.toObject());
  await Deno.writeTextFile(`${target}/package.json`, `${JSON.stringify(json, null, 2)}\n`);
  await Deno.writeTextFile(
    `${target}/bin/hooke.js`,
    commandScript(OLDEST_NODE),
    { mode: 0o755 },
  );
  for (const name of TEXTS) await Deno.copyFile(new URL(name, ROOT), `${target}/${name}`);
  const packed = `${folder}/hooke-${json.version}.tgz`;
  await run("tar", ["czf", packed, "-C", folder, "package"]);
  return packed;
}

/** Returns the script of the command. It names the oldest version of Node that works before it loads the package. */
function commandScript(oldest: string): string {
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
const [needed, atLeast] = "${oldest}".split(".").map(Number);
if (major < needed || (major === needed && minor < atLeast)) {
  console.error(\`Cannot run hooke: Node must be ${oldest} or later; this is \${process.version}\`);
  process.exit(1);
}
const { runProgram } = await import("../dist/${COMMAND.replace(/ts$/, "js")}");
await runProgram(import.meta.url);
`;
}

/** Bundles the entry points, the scripts of workers and the command. Packages of npm are imported, not bundled. */
async function bundle(out: string, imports: readonly string[]): Promise<void> {
  const external = imports.filter((name) => !name.startsWith("@std/"))
    .flatMap((name) => ["--external", name, "--external", `${name}/*`]);
  const entries = [...Object.values(await entryPoints()).map(pathOf), ...WORKERS, COMMAND];
  await run(Deno.execPath(), [
    "bundle",
    "--platform=browser", // no import of node:module, and no banner: the code finds its host by itself
    "--code-splitting",
    "--sourcemap=linked",
    ...external,
    `--outdir=${out}`,
    ...entries,
  ]);
}

/** Writes the declarations of the public modules, with the folders of the sources. */
async function writeTypes(out: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(Deno.execPath(), ["pack", "--allow-dirty", `--output=${folder}/types.tgz`]);
    await run("tar", ["xzf", `${folder}/types.tgz`, "-C", folder]);
    for (const path of filesIn(`${folder}/package`, ".d.ts")) {
      const to = `${out}/${path}`;
      await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(to, mended(await Deno.readTextFile(`${folder}/package/${path}`)));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Mends two faults of the declarations that `deno pack` writes. It places the comment of a member of a constant after
 * `readonly`, where a comment of several lines ends the declaration; and a script without exports is no module.
 */
function mended(declarations: string): string {
  const text = declarations.replace(/readonly (\/\*\*[^]*?\*\/) /g, "$1 readonly ");
  return /^(export|import)\b/m.test(text) ? text : `${text}export {};\n`;
}

/** Names the sources in source maps by their paths from the root. The bundler names them relative to the map. */
async function withoutMachinePaths(dist: string): Promise<void> {
  const absolute = await Deno.realPath(dist);
  for (const path of filesIn(dist, ".js.map")) {
    const map = JSON.parse(await Deno.readTextFile(`${dist}/${path}`));
    const sources = map.sources.map((source: string) => {
      const { href } = new URL(source, `file://${absolute}/${path}`);
      return href.startsWith(ROOT.href)
        ? `hooke:///${pathOf(href)}`
        : href.replace(/^.*\//, "hooke:///");
    });
    await Deno.writeTextFile(`${dist}/${path}`, JSON.stringify({ ...map, sources }));
  }
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) {
    throw new Error(`${command} ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
  }
}

function pathOf(address: string): string {
  return address.slice(ROOT.href.length);
}

async function textOf(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(name, ROOT));
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

if (import.meta.main) {
  const packed = await buildPackage(Deno.args[0] ?? "npm");
  const { size } = await Deno.stat(packed);
  console.log(`${packed}: ${(size / 1e6).toFixed(2)} MB`);
}
