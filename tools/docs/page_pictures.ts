/**
 * Pictures of the page of `hooke serve`, which shows real runs.
 *
 * @module
 */

import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import {
  adam,
  Batch,
  cosine,
  fcc,
  GraphBuilder,
  initVelocities,
  meanSquaredError,
  normalNumbers,
  rattle,
  tensorData,
  writeExtxyz,
} from "../../mod.ts";
import { Trainer } from "../../src/config/trainer/training.ts";
import { openRunFolder } from "../../src/config/runs/mod.ts";
import { FolderShelf } from "../../src/page/feed/run_shelf.ts";
import type { PageAsset } from "../../src/page/server/page_handler.ts";
import { servePage } from "../../src/page/server/serve_page.ts";
import { ROOT } from "../check/entry_points.ts";
import { contentOf, presentFiles } from "../page/bundles.ts";

/** Largest picture, bytes. */
const LARGEST = 150_000;

/** A picture of a run: its options, and what is done before it is taken. */
interface Shot {
  readonly file: string;
  readonly run: string;
  readonly options?: BrowserContextOptions;
  readonly prepare?: (page: Page) => Promise<void>;
}

const WIDE = { viewport: { width: 1140, height: 680 } };
const SHOTS: readonly Shot[] = [
  {
    file: "page_dynamics.png",
    run: "argon-md",
    async prepare(page) {
      const plot = page.locator('[data-chart="energy"] .u-over');
      await plot.hover({ position: { x: 160, y: 60 } });
    },
  },
  { file: "page_dark.png", run: "argon-md", options: { colorScheme: "dark" } },
  { file: "page_training.png", run: "plane-training" },
  {
    file: "page_screening.png",
    run: "crystals-screen",
    prepare: (page) => page.locator(".virtual-space .virtual-row").nth(4).click(),
  },
  {
    file: "page_phone.png",
    run: "argon-md",
    options: { viewport: { width: 360, height: 760 }, deviceScaleFactor: 1.5 },
  },
];

/** Runs dynamics, a training and a screening, serves their folder, and takes pictures of the page. */
export async function pagePictures(target: URL): Promise<void> {
  const folder = await Deno.makeTempDir();
  await dynamics(folder);
  await training(folder);
  await screening(folder);
  const files = new Map<string, PageAsset>();
  for (const file of presentFiles()) {
    const path = file.name === "page.html" ? "/" : `/${file.name}`;
    files.set(path, { type: file.type, body: await contentOf(file) });
  }
  const served = await servePage({
    shelf: new FolderShelf([folder]),
    host: "127.0.0.1",
    port: 0,
    assets: (path) => files.get(path),
  });
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
  try {
    for (const shot of SHOTS) await take(browser, served.url, shot, target);
  } finally {
    await browser.close();
    await served.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function take(
  browser: Browser,
  url: string,
  { file, run, options, prepare }: Shot,
  target: URL,
): Promise<void> {
  const context = await browser.newContext({ ...WIDE, ...options });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("link", { name: new RegExp(run) }).click();
  await page.locator(".chart:visible canvas").first().waitFor();
  if (run !== "plane-training") {
    await page.locator("hooke-viewer canvas:not([aria-label*=loading])").waitFor();
  }
  await prepare?.(page);
  await page.waitForTimeout(1000); // the last frame is drawn
  const picture = await page.screenshot();
  await Deno.writeFile(new URL(file, target), picture);
  if (picture.length > LARGEST) console.error(`${file} has ${picture.length} bytes: too many`);
  await context.close();
}

async function dynamics(folder: string): Promise<void> {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.4, cells: 4 })]);
  initVelocities(batch, 60, { seed: 1 });
  await Deno.writeTextFile(`${folder}/argon.xyz`, writeExtxyz([batch.system(0)]));
  await hooke(folder, "md", "argon.xyz", "--temperature", "80", "--dt", "4", "--time", "40");
}

async function screening(folder: string): Promise<void> {
  const structures = Array.from(
    { length: 240 },
    (_, seed) =>
      rattle(
        fcc({ element: "Ar", a: 5.1 + 0.002 * (seed % 150), cells: 1 + seed % 3 }),
        0.15,
        seed,
      ),
  );
  await Deno.writeTextFile(`${folder}/crystals.xyz`, writeExtxyz(structures));
  await hooke(folder, "screen", "crystals.xyz", "--fmax", "0.001", "--steps", "60");
}

/** Fits a small network to a plane. */
async function training(folder: string): Promise<void> {
  const g = new GraphBuilder("plane");
  const hidden = g.op("Tanh", [
    g.op("MatMul", [
      g.input("x", "f32", ["B", 2]),
      g.parameter("encoder", normalNumbers(24, { seed: 1 }), [2, 12]),
    ], "f32"),
  ], "f32");
  const decoder = g.parameter("decoder", normalNumbers(12, { seed: 2 }), [12, 1]);
  g.output("y", g.op("MatMul", [hidden, decoder], "f32"), ["B", 1]);
  const dataOf = (seed: number) => {
    const x = normalNumbers(2 * 320, { seed });
    const target = Float32Array.from({ length: 320 }, (_, i) => x[2 * i]! - x[2 * i + 1]!);
    const fields = { x: { data: x, dims: [320, 2] }, target: { data: target, dims: [320, 1] } };
    return tensorData(fields, { batchSize: 16 });
  };
  await using run = await openRunFolder(`${folder}/plane-training`, { config: { epochs: 30 } });
  const trainer = new Trainer({
    model: g.build(),
    loss: meanSquaredError(),
    data: dataOf(3),
    validation: dataOf(4),
    optimizers: adam({ lr: 0.02 }),
    schedule: cosine({ steps: 600 }),
    epochs: 30,
    threads: 1,
  });
  run.attach(trainer);
  await trainer.train();
  await trainer[Symbol.asyncDispose]();
}

/** Runs the command in a folder. */
async function hooke(folder: string, ...args: readonly string[]): Promise<void> {
  const config = decodeURIComponent(new URL("deno.json", ROOT).pathname);
  const command = decodeURIComponent(new URL("src/cli/main.ts", ROOT).pathname);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", config, command, ...args],
    cwd: folder,
  }).output();
  if (!success) throw new Error(`hooke ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
}

async function chromiumPath(): Promise<string> {
  const { stdout } = await new Deno.Command("which", { args: ["chromium"] }).output();
  const path = new TextDecoder().decode(stdout).trim();
  if (path === "") throw new Error("Cannot take pictures: chromium must be on PATH");
  return path;
}
