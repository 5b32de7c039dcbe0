import { run } from "./command.ts";
import { hashSource, keptModuleText, ROOT, type SourceRecord } from "./files.ts";
import { compress } from "./lzma.ts";
import { BINARYEN } from "./pins.ts";
import type { Toolchain } from "./route.ts";

/** The compiled package, by path from the root of the project. */
export type Compiled = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** The committed files of those that wasm-pack writes. */
const NAMES = ["hooke.js", "hooke.d.ts", "hooke_bg.wasm", "hooke_bg.wasm.d.ts"];

/** Compiles the kernels of `crate`. `target` is where Cargo keeps what it may use again. */
export async function compile(
  toolchain: Toolchain,
  target: string,
  crate: string | URL = new URL("wasm/", ROOT),
): Promise<Compiled> {
  const hash = await hashSource(toolchain.name);
  const out = await Deno.makeTempDir();
  try {
    const flags = ["--target", "web", "--no-pack", "--no-gitignore", "--no-opt"];
    flags.push("--mode", "no-install", "--out-dir", out, "--out-name", "hooke");
    await run(["wasm-pack", "build", ...flags, ".", "--locked"], {
      cwd: crate,
      env: { ...toolchain.env, CARGO_TARGET_DIR: target },
    });
    if (BINARYEN !== "") await optimize(`${out}/hooke_bg.wasm`);
    const files = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const name of NAMES) files.set(`wasm/pkg/${name}`, await Deno.readFile(`${out}/${name}`));
    if (await hashSource(toolchain.name) !== hash) {
      throw new Error("Cannot record what was compiled: wasm/ must not change meanwhile: it did");
    }
    return await complete(files, { hash, toolchain: toolchain.name });
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}

async function optimize(file: string): Promise<void> {
  const features = [
    "simd",
    "bulk-memory",
    "bulk-memory-opt",
    "nontrapping-float-to-int",
    "sign-ext",
  ];
  const more = ["mutable-globals", "reference-types", "multivalue", "call-indirect-overlong"];
  const flags = [...features, ...more].map((name) => `--enable-${name}`);
  await run([
    "npx",
    "-y",
    "-p",
    `binaryen@${BINARYEN}`,
    "wasm-opt",
    "-O3",
    ...flags,
    file,
    "-o",
    file,
  ]);
}

async function complete(
  files: Map<string, Uint8Array<ArrayBuffer>>,
  record: SourceRecord,
): Promise<Compiled> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const module = await keptModuleText(files.get("wasm/pkg/hooke_bg.wasm")!, compress);
  files.set("wasm/pkg/source.json", encode(`${JSON.stringify(record, null, 2)}\n`));
  files.set("src/backend/wasm/module.gen.ts", encode(module));
  return files;
}
