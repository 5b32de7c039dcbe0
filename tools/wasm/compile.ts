import { run } from "./command.ts";
import { hashSource, moduleText, ROOT, type SourceRecord } from "./files.ts";
import type { Toolchain } from "./toolchain.ts";

/** The compiled package, by path from the root of the project. */
export type Compiled = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** What is committed of what wasm-pack writes. */
const NAMES = ["hooke.js", "hooke.d.ts", "hooke_bg.wasm", "hooke_bg.wasm.d.ts"];

/** Compiles the kernels. `target` is where Cargo keeps what it may use again. */
export async function compile(toolchain: Toolchain, target: string): Promise<Compiled> {
  const out = await Deno.makeTempDir();
  try {
    const flags = ["--target", "web", "--no-pack", "--no-gitignore", "--no-opt"];
    await run([
      ...["wasm-pack", "build", ...flags, "--mode", "no-install"],
      ...["--out-dir", out, "--out-name", "hooke", ".", "--locked"],
    ], {
      cwd: new URL("wasm/", ROOT),
      env: { ...toolchain.env, CARGO_TARGET_DIR: target },
    });
    const files = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const name of NAMES) files.set(`wasm/pkg/${name}`, await Deno.readFile(`${out}/${name}`));
    return await complete(files, toolchain.name);
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}

async function complete(
  files: Map<string, Uint8Array<ArrayBuffer>>,
  toolchain: string,
): Promise<Compiled> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const record: SourceRecord = { hash: await hashSource(toolchain), toolchain };
  files.set("wasm/pkg/source.json", encode(`${JSON.stringify(record, null, 2)}\n`));
  files.set(
    "src/backend/wasm/module.gen.ts",
    encode(moduleText(files.get("wasm/pkg/hooke_bg.wasm")!)),
  );
  return files;
}
