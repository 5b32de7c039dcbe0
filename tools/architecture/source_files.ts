/** Folders that hold nothing of the project's own, or what its tasks generate. */
const SKIPPED = [
  ".git/",
  "node_modules/",
  "coverage/",
  "wasm/target/",
  "wasm/pkg/",
  "src/page/assets/",
];

/** All TypeScript and Rust files under `root`, as sorted paths from it. */
export async function sourceFiles(root: URL): Promise<string[]> {
  const found: string[] = [];
  await collect(root, "", found);
  return found.sort();
}

async function collect(root: URL, folder: string, found: string[]): Promise<void> {
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    const path = folder + entry.name;
    if (entry.isDirectory && !SKIPPED.includes(`${path}/`)) await collect(root, `${path}/`, found);
    if (entry.isFile && /\.(ts|rs)$/.test(path)) found.push(path);
  }
}
