import { fileURLToPath } from "node:url";
import { ROOT } from "../check/entry_points.ts";
import { buildPage } from "../page/build.ts";

/**
 * Permissions that the executable embeds, those of the command: it reads structures and models from anywhere, and
 * its own files; it writes below the folder in which it is started. It reaches no network, environment or program.
 */
export const PERMISSIONS: readonly string[] = ["--allow-read", "--allow-write=."];

/** Files of onnxruntime-web that Deno loads, for the processor and for WebGPU. The other files have 95 MB. */
const RUNTIME_FILES =
  /^(ort\.node\.min\.mjs|ort\.(wasm|webgpu)\.bundle\.min\.mjs|ort-wasm-simd-threaded(\.asyncify)?\.(mjs|wasm))$/;

/** Compiles the command to an executable at `path`. Returns what `deno compile` prints: the list of embedded files. */
export async function compile(path: string, flags: readonly string[] = []): Promise<string> {
  await buildPage();
  const excluded = [...await unusedFiles(), oldModules(), ...await typesOfNode()]
    .map((file) => `--exclude=${file}`);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--no-check",
      "--exclude-unused-npm",
      ...PERMISSIONS,
      "--include=src/page/assets",
      ...excluded,
      ...flags,
      `--output=${path}`,
      fileURLToPath(new URL("src/cli/main.ts", ROOT)),
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  if (!success) throw new Error(`deno compile failed: ${text}`);
  return text;
}

/** Returns the files of onnxruntime-web that no part of the command loads. */
export async function unusedFiles(): Promise<string[]> {
  const folder = new URL("./", import.meta.resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm"));
  const files: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!RUNTIME_FILES.test(name)) files.push(fileURLToPath(new URL(name, folder)));
  }
  return files;
}

/** Returns the folder of CommonJS modules in the protobuf library: the same code as in its modules, 0.9 MB. */
function oldModules(): string {
  return fileURLToPath(new URL("../cjs", import.meta.resolve("@bufbuild/protobuf")));
}

/** Returns the content of the packages of Node's declarations, on which protobufjs depends: 2.6 MB that nothing loads. */
async function typesOfNode(): Promise<string[]> {
  const wasm = import.meta.resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm");
  const packages = new URL("../../../", wasm), files: string[] = [];
  for (const name of ["@types/node", "undici-types"]) {
    for await (const version of Deno.readDir(new URL(`${name}/`, packages))) {
      if (!version.isDirectory) continue;
      const folder = new URL(`${name}/${version.name}/`, packages);
      for await (const file of Deno.readDir(folder)) {
        files.push(fileURLToPath(new URL(file.name, folder)));
      }
    }
  }
  return files;
}

/**
 * Returns the milliseconds from the start of an executable to the end of its `--help`: the least of five runs.
 *
 * @throws {Error} if the executable fails
 */
export async function startTime(path: string): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    const { success } = await new Deno.Command(path, { args: ["--help"], stdout: "null" }).output();
    if (!success) throw new Error(`${path} --help failed`);
    least = Math.min(least, performance.now() - began);
  }
  return least;
}
