/**
 * Makes the pictures of the documentation from real runs: atoms before and after melting, the report of a run, and the
 * page of `hooke serve`.
 *
 * Run: `deno task gen:pictures [atoms] [report] [page]`; the last two need Chromium.
 *
 * @module
 */

import { Batch, fcc, initVelocities, type System, wrapPositions } from "../../src/batch/mod.ts";
import { openRunFolder } from "../../src/config/runs/mod.ts";
import { BAR, NPT, NVTLangevin } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { ROOT } from "../check/entry_points.ts";
import { pagePictures } from "./page_pictures.ts";

const PICTURES = new URL("docs/pictures/", ROOT);

/** Size of a panel, and the margin around it, in pixels. */
const PANEL = 280, MARGIN = 36;

/** Draws systems beside each other, looking along y, with near atoms in front and lighter. */
export function atomsSvg(panels: readonly { system: System; title: string }[]): string {
  const width = panels.length * (PANEL + MARGIN) + MARGIN, height = PANEL + 2 * MARGIN + 24;
  const parts = panels.map(({ system, title }, i) => {
    const x = MARGIN + i * (PANEL + MARGIN);
    const label = `<text x="${x + PANEL / 2}" y="${height - 12}">${title}</text>`;
    return atomCircles(system, x) + label;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}">
<style>circle{stroke:#10243a;stroke-width:.6}text{font:15px system-ui,sans-serif;text-anchor:middle;fill:#888}</style>
${parts.join("\n")}
</svg>
`;
}

function atomCircles({ positions, cell }: System, left: number): string {
  const edge = cell![0]!, scale = PANEL / edge, atoms: [x: number, y: number, z: number][] = [];
  for (let k = 0; k < positions.length; k += 3) {
    atoms.push([positions[k]!, positions[k + 1]!, positions[k + 2]!]);
  }
  return atoms.toSorted((a, b) => b[1] - a[1]).map(([x, y, z]) => {
    const light = Math.round(78 - 42 * Math.min(1, Math.max(0, y / edge)));
    const [cx, cy] = [left + scale * x, MARGIN + PANEL - scale * z].map((v) => v.toFixed(1));
    return `<circle cx="${cx}" cy="${cy}" r="${
      (1.45 * scale).toFixed(1)
    }" fill="hsl(208 62% ${light}%)"/>`;
  }).join("\n");
}

/** Melts a crystal of 256 argon atoms, and draws it before and after. */
async function atoms(): Promise<string> {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.4, cells: 4 })]);
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  initVelocities(batch, 40, { seed: 1 });
  const settings = { friction: 0.02, temperature: 20, seed: 1 };
  await using cold = new NVTLangevin({ model, dt: 4, ...settings });
  await cold.run(batch, 500);
  wrapPositions(batch);
  const before = batch.system(0);
  await using hot = new NPT({
    model,
    dt: 4,
    temperature: 95,
    pressure: BAR,
    thermostatTime: 100,
    barostatTime: 1000,
  });
  await hot.run(batch, 5000);
  wrapPositions(batch);
  return atomsSvg([
    { system: before, title: "argon at 20 K" },
    { system: batch.system(0), title: "after 20 ps at 95 K" },
  ]);
}

/** Runs dynamics in a run folder, and takes a picture of its report. */
async function reportPicture(target: URL): Promise<void> {
  const path = `${await Deno.makeTempDir()}/argon`;
  {
    await using folder = await openRunFolder(path, {
      config: { element: "Ar", temperature: 40 },
      profile: true,
    });
    await using md = new NVTLangevin({
      model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
      dt: 4,
      temperature: 40,
      friction: 0.01,
      seed: 1,
    });
    folder.attach(md);
    const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 3 })]);
    initVelocities(batch, 80, { seed: 1 });
    await md.run(batch, 2000);
  }
  const { success, stderr } = await new Deno.Command("chromium", {
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--window-size=900,900",
      `--screenshot=${decodeURIComponent(target.pathname)}`,
      `file://${path}/report.html`,
    ],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`chromium failed: ${new TextDecoder().decode(stderr)}`);
}

if (import.meta.main) {
  const wanted = Deno.args.length === 0 ? ["atoms", "report", "page"] : Deno.args;
  await Deno.mkdir(PICTURES, { recursive: true });
  if (wanted.includes("atoms")) {
    await Deno.writeTextFile(new URL("atoms.svg", PICTURES), await atoms());
  }
  if (wanted.includes("report")) await reportPicture(new URL("report.png", PICTURES));
  if (wanted.includes("page")) await pagePictures(PICTURES);
}
