/**
 * A package for Deno in which the modules are bundled, so that programs start faster.
 *
 * @module
 */

import { unpackModule } from "../../src/backend/wasm/module.ts";
import { WASM_TEXT } from "../../src/backend/wasm/module.gen.ts";
import { entryPoints, ROOT } from "../check/entry_points.ts";
import { writeBundle } from "../npm/bundle.ts";
import { filesIn } from "../npm/files_in.ts";
import { writeTypes } from "../npm/declarations.ts";
import { emptyPackageFolder } from "../npm/package_folder.ts";

/** Files of the repository that are part of the package as they are. */
const TEXTS = ["README.md", "LICENSE", "CHANGELOG.md"];

/**
 * Packages that stay imports: the bundle loads them when a session opens. The codec of ONNX files is loaded with the main
 * entry point, so it becomes part of the bundle: the packages of it alone would take 10 ms of each start.
 */
const IMPORTED = ["onnxruntime-web"];

/** Members of deno.json that are used here. */
interface Config {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly imports: Readonly<Record<string, string>>;
}

/**
 * Writes the package into a folder. `types: false` leaves out the declarations.
 *
 * @throws {Error} if the folder has content that this function has not written
 */
export async function buildPrebuilt(
  folder: string,
  { types = true }: { readonly types?: boolean } = {},
): Promise<void> {
  await emptyPackageFolder(folder, "prebuilt");
  // Names stay: those of classes are the names of hooks in lists and messages.
  await writeBundle(`${folder}/dist`, IMPORTED, ["--minify", "--keep-names"]);
  await storeKernels(`${folder}/dist`);
  const entries = Object.entries(await entryPoints())
    .map(([name, href]) => [name, href.slice(ROOT.href.length).replace(/\.ts$/, "")] as const);
  if (types) {
    await writeTypes(`${folder}/types`, { references: false });
    for (const path of filesIn(`${folder}/types`, ".d.ts")) {
      await nameTypes(`${folder}/types/${path}`);
    }
    for (const [, path] of entries) await referToTypes(folder, path);
  }
  const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    `${JSON.stringify(configOf(config, entries), null, 2)}\n`,
  );
  for (const name of TEXTS) await Deno.copyFile(new URL(name, ROOT), `${folder}/${name}`);
}

function configOf(
  { name, version, license, imports }: Config,
  entries: readonly (readonly [name: string, path: string])[],
): object {
  const packages = Object.entries(imports).filter(([, target]) => target.startsWith("npm:"));
  return {
    name,
    version,
    license,
    exports: Object.fromEntries(entries.map(([entry, path]) => [entry, `./dist/${path}.js`])),
    imports: Object.fromEntries(packages),
    publish: { include: ["deno.json", "dist", "types", ...TEXTS] },
  };
}

/**
 * Replaces the compressed kernels by the kernels themselves. `unpackModule` in src/backend/wasm/module.ts reads both.
 *
 * @throws {Error} if no file of the bundle, or more than one, has the compressed kernels
 */
async function storeKernels(dist: string): Promise<void> {
  const kernels = unpackModule().toBase64();
  let found = 0;
  for (const path of filesIn(dist, ".js")) {
    const text = await Deno.readTextFile(`${dist}/${path}`);
    if (!text.includes(WASM_TEXT)) continue;
    found++;
    // The file is a single line, so its source map would be wrong after the kernels.
    const without = text.replace(/^\/\/# sourceMappingURL=.*$/m, "");
    await Deno.writeTextFile(`${dist}/${path}`, without.replace(WASM_TEXT, () => kernels));
    await Deno.remove(`${dist}/${path}.map`);
  }
  if (found !== 1) throw new Error(`the kernels are in ${found} files of the bundle`);
}

/** Lets the declarations of a file import declarations. Deno takes addresses as they are, unlike TypeScript's compiler. */
async function nameTypes(file: string): Promise<void> {
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(
    file,
    text.replace(/(from |import\()"(\.{1,2}\/[^"]+)\.js"/g, '$1"$2.d.ts"'),
  );
}

/** Names the declarations of an entry point in its first line, for Deno and JSR. */
async function referToTypes(folder: string, path: string): Promise<void> {
  const file = `${folder}/dist/${path}.js`, up = "../".repeat(path.split("/").length);
  await Deno.writeTextFile(
    file,
    `// @ts-self-types="${up}types/${path}.d.ts"\n${await Deno.readTextFile(file)}`,
  );
  const map = JSON.parse(await Deno.readTextFile(`${file}.map`));
  await Deno.writeTextFile(`${file}.map`, JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
}
