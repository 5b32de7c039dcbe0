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

import { ROOT } from "../check/entry_points.ts";
import { COMMAND, writeBundle } from "./bundle.ts";
import { OLDEST_NODE, packageJson } from "./package_json.ts";
import { emptyPackageFolder } from "./package_folder.ts";
import { run } from "./run.ts";
import { writeTypes } from "./declarations.ts";

/** Files of the repository that are part of the package as they are. */
const TEXTS = ["README.md", "LICENSE", "CHANGELOG.md"];

/**
 * Builds the package into a folder, and returns the path of the packed file in it.
 *
 * @throws {Error} if the folder has content that this function has not written
 */
export async function buildPackage(folder: string): Promise<string> {
  await emptyPackageFolder(folder, "npm");
  await Deno.mkdir(`${folder}/package/bin`, { recursive: true });
  const target = `${folder}/package`, config = JSON.parse(await textOf("deno.json"));
  await writeBundle(`${target}/dist`, Object.keys(config.imports));
  await writeTypes(`${target}/types`, { references: true });
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

async function textOf(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(name, ROOT));
}

if (import.meta.main) {
  const packed = await buildPackage(Deno.args[0] ?? "npm");
  const { size } = await Deno.stat(packed);
  console.log(`${packed}: ${(size / 1e6).toFixed(2)} MB`);
}
