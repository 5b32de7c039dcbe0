/**
 * Measures how long viewers of structures need for a picture of 10,125 atoms: this package on WebGL2 and WebGPU, 3Dmol.js
 * and NGL, in one Chromium on an adapter in software.
 *
 * Run: `deno task bench:viewer [--peers DIR]`. The folder keeps the packages of npm; the default is a temporary one.
 *
 * The time of JavaScript says what the processor does for a picture on any machine. The whole time includes shaders in
 * software, and says little about graphics processors.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { System } from "../../src/batch/mod.ts";
import { contentOf, PAGE_FILES } from "../../tools/page/bundles.ts";
import { OURS, PEERS, type Subject } from "./subjects.ts";

/** Molecules of water along an edge of the box, and the edge, Å. */
const MOLECULES = 15, EDGE = 46.6;

/** Pictures of each measurement, and rounds of which the median counts. */
const PICTURES = 8, ROUNDS = 3;

const FLAGS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
];

/** Times of one subject, ms. */
interface Times {
  /** From the text of the file to the first picture. */
  readonly first: number;
  /** JavaScript of a picture after the camera turned. */
  readonly turnScript: number;
  /** The whole picture after the camera turned, with the shaders in software. */
  readonly turn: number;
  /** JavaScript of a picture with new positions. */
  readonly moveScript: number;
}

/** Returns a box of water whose molecules are turned at random. */
function water(): System {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const symbols: string[] = [], positions: number[][] = [], step = EDGE / MOLECULES;
  const angle = 104.5 * Math.PI / 180;
  for (let n = 0; n < MOLECULES ** 3; n++) {
    const at = [
      n % MOLECULES,
      Math.floor(n / MOLECULES) % MOLECULES,
      Math.floor(n / MOLECULES ** 2),
    ]
      .map((k) => (k + 0.5) * step);
    const z = 2 * random() - 1, turn = 2 * Math.PI * random(), r = Math.sqrt(1 - z * z);
    const u = [r * Math.cos(turn), r * Math.sin(turn), z];
    const v = [-Math.sin(turn), Math.cos(turn), 0];
    const bond = (share: number) =>
      at.map((x, k) => x + 0.96 * (Math.cos(share) * u[k]! + Math.sin(share) * v[k]!));
    symbols.push("O", "H", "H");
    positions.push(at, bond(0), bond(angle));
  }
  return new System({ symbols, positions, cell: [EDGE, EDGE, EDGE] });
}

/** Returns a text in the format PDB, which all subjects read, without a cell and bonds. */
function pdbOf({ symbols, positions }: System): string {
  const lines = symbols.map((symbol, i) => {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    const number = (value: number) => value.toFixed(3).padStart(8);
    return `HETATM${String(i + 1).padStart(5)} ${` ${symbol}`.padEnd(4)} HOH A${
      String(Math.floor(i / 3) % 9999 + 1).padStart(4)
    }    ${number(x!)}${number(y!)}${number(z!)}  1.00  0.00          ${symbol.padStart(2)}`;
  });
  return [...lines, "END", ""].join("\n");
}

async function measure(page: Page, subject: Subject, text: string): Promise<Times> {
  await page.evaluate(subject.script);
  const first = await page.evaluate<number>(`(async () => {
    const start = performance.now();
    await start_(${JSON.stringify(text)});
    await finish_();
    return performance.now() - start;
  })()`);
  const loop = async (call: string) => {
    const [script, whole] = await page.evaluate<[number, number]>(`(async () => {
      let script = 0;
      const start = performance.now();
      for (let i = 0; i < ${PICTURES}; i++) {
        const begin = performance.now();
        ${call}(i);
        script += performance.now() - begin;
        await finish_();
      }
      return [script / ${PICTURES}, (performance.now() - start) / ${PICTURES}];
    })()`);
    return { script, whole };
  };
  await loop("turn_"); // compiles shaders and code
  const turned = await loop("turn_");
  await loop("move_");
  const moved = await loop("move_");
  return { first, turnScript: turned.script, turn: turned.whole, moveScript: moved.script };
}

/** Fetches the packages of the peers into a folder, unless they are there. */
async function fetchPeers(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const { name, version, file } of PEERS) {
    const to = `${folder}/${name}-${version}`;
    if (await Deno.stat(`${to}/${file}`).then(() => true, () => false)) continue;
    await Deno.mkdir(to, { recursive: true });
    await run("npm", ["pack", "--silent", `${name}@${version}`], folder);
    await run("tar", ["xzf", `${name}-${version}.tgz`, "-C", to, "--strip-components=1"], folder);
  }
}

async function run(command: string, args: string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, cwd }).output();
  if (!success) throw new Error(`${command} failed: ${new TextDecoder().decode(stderr)}`);
}

async function main(folder: string): Promise<void> {
  await fetchPeers(folder);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  files.set("/viewer.js", await contentOf(PAGE_FILES.find(({ name }) => name === "viewer.js")!));
  for (const { name, version, file } of PEERS) {
    files.set(`/${name}.js`, await Deno.readFile(`${folder}/${name}-${version}/${file}`));
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url), file = files.get(pathname);
    const script = /^\/page\/(.*)$/.exec(pathname)?.[1];
    if (script !== undefined) {
      const body = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">` +
        `<body style="margin:0"><div id="stage" style="width:800px;height:600px;position:relative"></div>` +
        `<script src="/${script}.js"></script>`;
      return new Response(body, { headers: { "content-type": "text/html" } });
    }
    return file === undefined
      ? new Response("", { status: 404 })
      : new Response(file, { headers: { "content-type": "text/javascript" } });
  });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
  const box = water(), pdb = pdbOf(box), xyz = writeExtxyz(box);
  const load = Deno.loadavg()[0]!.toFixed(1);
  console.log(
    `${box.nodeCount} atoms with bonds, 800 × 600 pixels, Chromium ${browser.version()}, load ${load}`,
  );
  try {
    const subjects = [...OURS, ...PEERS];
    const all = new Map<Subject, Times[]>(subjects.map((subject) => [subject, []]));
    // Rounds alternate, so that a busy moment does not fall on one subject.
    for (let round = 0; round < ROUNDS; round++) {
      for (const subject of subjects) {
        const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
        page.setDefaultTimeout(300_000);
        await page.goto(`http://127.0.0.1:${server.addr.port}/page/${subject.page}`);
        all.get(subject)!.push(await measure(page, subject, subject.page === "viewer" ? xyz : pdb));
        console.error(subject.title, all.get(subject)!.at(-1));
        await page.close();
      }
    }
    const rows = subjects.map((subject) => {
      const times = all.get(subject)!;
      const median = (key: keyof Times) =>
        times.map((each) => each[key]).toSorted((a, b) => a - b)[ROUNDS >> 1]!;
      const size = gzipSync(files.get(`/${subject.page}.js`)!, { level: 9 }).length / 1000;
      const ms = (key: keyof Times) => median(key).toFixed(median(key) < 10 ? 2 : 0);
      return `| ${subject.title} | ${size.toFixed(0)} | ${ms("first")} | ${ms("turnScript")} | ${
        ms("turn")
      } | ${ms("moveScript")} |`;
    });
    console.log(
      "| viewer | script, kB gz | file to picture, ms | camera: JavaScript, ms | camera: whole, ms | new positions: JavaScript, ms |\n" +
        "| --- | --- | --- | --- | --- | --- |",
    );
    console.log(rows.join("\n"));
  } finally {
    await browser.close();
    await server.shutdown();
  }
}

function chromiumPath(): string {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
      try {
        if (Deno.statSync(`${folder}/${name}`).isFile) return `${folder}/${name}`;
      } catch { /* look further */ }
    }
  }
  throw new Error("Cannot measure viewers: chromium must be on PATH; got none");
}

if (import.meta.main) {
  const at = Deno.args.indexOf("--peers");
  await main(at === -1 ? await Deno.makeTempDir() : Deno.args[at + 1]!);
}
