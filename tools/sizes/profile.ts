import { gzipSync } from "node:zlib";
import { bundle } from "./bundle_size.ts";
import { type Segment, segmentsOf, type SourceMap } from "./source_map.ts";

/**
 * Returns how much smaller the bundle of a page would be without each module, in bytes after gzip, largest first. The
 * numbers do not add up to the size of the bundle, because modules share text.
 */
export async function bundleProfile(page: string): Promise<[module: string, zipped: number][]> {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/bundle.js`;
    await bundle(page, `--output=${file}`, "--sourcemap=external");
    const map = JSON.parse(await Deno.readTextFile(`${file}.map`)) as SourceMap;
    return shares(segmentsOf(await Deno.readTextFile(file), map));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function shares(segments: readonly Segment[]): [module: string, zipped: number][] {
  const without = (module?: string) =>
    gzipSync(
      segments.filter((one) => one.source !== module).map(({ text }) => text).join(""),
      { level: 9 },
    ).length;
  const all = without();
  return [...new Set(segments.map(({ source }) => source))]
    .map((source): [string, number] => [source, all - without(source)])
    .sort(([, a], [, b]) => b - a);
}
