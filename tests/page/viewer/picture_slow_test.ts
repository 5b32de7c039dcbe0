import { assert, assertEquals } from "@std/assert";
import { testInChromium } from "../../e2e/chromium.ts";
import { openViewerBrowser } from "./opened_page.ts";

/** An oxygen in front of a carbon along z, and a hydrogen beside them. */
const ATOMS = `3
step=7
O 0 0 1.5
C 0 0 -1.5
H 3 0 0
`;

testInChromium(
  "atoms have the colors of their elements, and the foremost hides the others",
  async (t) => {
    await using browser = await openViewerBrowser();
    browser.files.set("/atoms.xyz", ATOMS);
    for (const renderer of ["webgl2", "webgpu"]) {
      await t.step(renderer, async () => {
        const page = await browser.open(
          `<hooke-viewer src="/atoms.xyz" bonds="off" renderer="${renderer}"></hooke-viewer>`,
        );
        assertEquals(await page.evaluate("view.renderer"), renderer);
        const label = await page.locator("hooke-viewer canvas").getAttribute("aria-label");
        assertEquals(label, "CHO, 3 atoms, step 7");
        await page.evaluate("view.lookAlong([0, 0, 1], [0, 1, 0])");
        const front = await middleOf(page, 0);
        await page.evaluate("view.lookAlong([0, 0, -1], [0, 1, 0])");
        const behind = await middleOf(page, 1);
        assert(isRed(front), `oxygen: ${front}`);
        assert(isDarkGray(behind), `carbon: ${behind}`);
        const [corner] = await page.evaluate("pixels([0.02, 0.5])") as number[][];
        assertEquals(corner, [255, 255, 255]);
        await page.close();
      });
    }
    assertEquals(browser.complaints, []);
  },
);

/** Returns the color at the place of the oxygen and the carbon, after the picker finds an atom there. */
async function middleOf(
  page: { evaluate<T>(script: string): Promise<T> },
  atom: number,
): Promise<number[]> {
  const [color, picked] = await page.evaluate<[number[], number]>(`(async () => {
    const { width, height } = view.size, [x, y] = view.project([0, 0, 0]);
    const [color] = await pixels([x / width, y / height]);
    return [color, view.pick([x, y]).atom];
  })()`);
  assertEquals(picked, atom);
  return color;
}

function isRed([r, g, b]: number[]): boolean {
  return r! > 180 && g! < 110 && b! < 110;
}

function isDarkGray([r, g, b]: number[]): boolean {
  return r! < 140 && Math.abs(r! - g!) < 12 && Math.abs(g! - b!) < 12;
}
