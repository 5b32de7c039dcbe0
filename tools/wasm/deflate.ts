import { run } from "./command.ts";
import { ZOPFLI } from "./pins.ts";

/** Program that compresses a file to another one. It runs in Node, as npm's packages need no lock file there. */
const SCRIPT = `
import { readFileSync, writeFileSync } from "node:fs";
import { deflate } from "@gfx/zopfli";
const [from, to] = process.argv.slice(2);
deflate(readFileSync(from), { numiterations: 15, blocksplittingmax: 0 }, (error, data) => {
  if (error) throw error;
  writeFileSync(to, data);
});
`;

/** Compresses bytes to raw DEFLATE data by zopfli, which takes five seconds for the kernels. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/package.json`, "{}");
    await Deno.writeTextFile(`${folder}/compress.mjs`, SCRIPT);
    await Deno.writeFile(`${folder}/plain`, bytes);
    const install = ["npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run([...install, `@gfx/zopfli@${ZOPFLI}`], { cwd: folder });
    await run(["node", "compress.mjs", "plain", "compressed"], { cwd: folder });
    return await Deno.readFile(`${folder}/compressed`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
