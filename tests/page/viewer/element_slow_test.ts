import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { System } from "../../../src/batch/mod.ts";
import { Batch } from "../../../src/batch/batch.ts";
import { writeExtxyz } from "../../../src/batch/extxyz/mod.ts";
import { writeStructures } from "../../../src/formats/mod.ts";
import { ZarrSink } from "../../../src/sinks/mod.ts";
import { testInChromium } from "../../e2e/chromium.ts";
import { openViewerBrowser, type ViewerBrowser } from "./opened_page.ts";

/** A water molecule and an argon atom in a cell, at a time. */
function systemAt(frame: number): System {
  return new System({
    symbols: ["O", "H", "H", "Ar"],
    positions: [[1, 1, 1 + 0.1 * frame], [1.96, 1, 1], [0.76, 1.93, 1], [4, 4, 4]],
    cell: [6, 6, 6],
    velocities: [[0, 0, 0.1 * frame], [0, 0, 0], [0, 0, 0], [0.3, 0, 0.4]],
    info: { step: 10 * frame },
  });
}

const label = (page: Page) => page.locator("hooke-viewer canvas").getAttribute("aria-label");

/** Waits until the description of the picture is a text. */
async function labelIs(page: Page, text: string): Promise<void> {
  await page.locator(`hooke-viewer canvas[aria-label="${text}"]`).waitFor();
}

async function addFolder(browser: ViewerBrowser, folder: string, at: string): Promise<void> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) await addFolder(browser, `${folder}/${name}`, `${at}/${name}`);
    else browser.files.set(`${at}/${name}`, await Deno.readFile(`${folder}/${name}`));
  }
}

testInChromium(
  "files of each format are shown, stores by range requests, and errors in words",
  async (t) => {
    const folder = await Deno.makeTempDir();
    await using browser = await openViewerBrowser();
    for (const name of ["cell.cif", "POSCAR", "cell.pdb", "cell.traj"]) {
      await writeStructures(`${folder}/${name}`, [systemAt(0)]).catch(() => {}); // .traj is only written by ASE
    }
    const sink = new ZarrSink(`${folder}/run.zarr`);
    for (let frame = 0; frame < 300; frame++) {
      const batch = Batch.from([systemAt(frame)]);
      batch.set("step", 10 * frame, { level: "system", unit: "" });
      await sink.write(batch);
    }
    await sink.close();
    await addFolder(browser, folder, "");
    browser.files.set("/run.xyz", [0, 1, 2].map((frame) => writeExtxyz(systemAt(frame))).join(""));
    browser.files.set("/bad.xyz", "3\n\nO 0 0 zero\n");
    const open = (src: string, more = "") =>
      browser.open(`<hooke-viewer src="${src}" ${more}></hooke-viewer>`);

    for (
      const [src, expected] of [
        ["/cell.cif", "ArH2O, 4 atoms"],
        ["/POSCAR", "ArH2O, 4 atoms"],
        ["/cell.pdb", "ArH2O, 4 atoms"],
        ["/run.xyz", "ArH2O, 4 atoms, step 0, frame 1 of 3"],
        ["/run.zarr", "ArH2O, 4 atoms, step 0, frame 1 of 300"],
      ] as const
    ) {
      await t.step(src, async () => {
        const page = await open(src);
        const found = await label(page);
        assert(found?.startsWith("ArH2O, 4 atoms"), `${found}`);
        if (expected.includes("step")) assertEquals(found, expected);
        await page.close();
      });
    }
    await t.step("the last frame of a store, without reading all of it", async () => {
      browser.requests.length = 0;
      const page = await open("/run.zarr", 'frame="-1" color-by="velocities"');
      assertEquals(await label(page), "ArH2O, 4 atoms, step 2990, frame 300 of 300");
      const [z] = await page.evaluate<number[]>("[view.frame.positions[2]]");
      assertAlmostEquals(z!, 1 + 0.1 * 299, 1e-4);
      assertAlmostEquals(await page.evaluate<number>("view.scale.most"), 29.9, 1e-3);
      assert(
        browser.requests.some((one) => /positions\/c\/.* bytes=/.test(one)),
        browser.requests.join("\n"),
      );
      await page.close();
    });
    for (
      const [src, expected] of [
        [
          "/bad.xyz",
          /Cannot read frame 0 of \/bad.xyz: .* declares 3 atoms, but the file ends/,
        ],
        ["/none.xyz", /Cannot load http.*\/none.xyz: the server answered 404/],
        ["/none.zarr", /there is no http.*\/none.zarr\/zarr.json/],
        ["/notes.txt", /its name must be POSCAR/],
      ] as const
    ) {
      await t.step(`error of ${src}`, async () => {
        browser.files.set("/notes.txt", "nothing");
        const page = await open(src);
        const text = await page.locator("hooke-viewer [role=alert]").innerText();
        assert(expected.test(text), text);
        await page.close();
      });
    }
    assertEquals(browser.complaints, []);
    await Deno.remove(folder, { recursive: true });
  },
);

testInChromium("text between the tags is shown, without requests", async () => {
  await using browser = await openViewerBrowser();
  const page = await browser.open("<hooke-viewer>\n2\nstep=3\nO 0 0 0\nH 0 0 1\n</hooke-viewer>");
  assertEquals(await label(page), "HO, 2 atoms, step 3");
  assertEquals(browser.requests.filter((one) => !/page\d*\.|viewer\.js/.test(one)), []);
});

testInChromium(
  "keyboard, mouse and buttons move, pick, measure, play and drag; nothing is drawn meanwhile",
  async (t) => {
    await using browser = await openViewerBrowser();
    browser.files.set("/run.xyz", [0, 1, 2].map((frame) => writeExtxyz(systemAt(frame))).join(""));
    const page = await browser.open(
      '<hooke-viewer src="/run.xyz" controls renderer="webgl2"></hooke-viewer>',
      { height: 500 },
    );
    const canvas = page.locator("hooke-viewer canvas"),
      status = page.locator("hooke-viewer [role=status]");
    const clickAtom = async (atom: number) => {
      const [x, y] = await page.evaluate<number[]>(`view.project(view.atomAt(${atom}).position)`);
      await canvas.click({ position: { x: x!, y: y! } });
    };

    await t.step("idle", async () => {
      const before = await page.evaluate<number>("view.drawn");
      // Frames of the browser go by, and none of them is drawn.
      await page.evaluate(
        "new Promise((done) => { let n = 20; const next = () => n-- > 0 ? requestAnimationFrame(next) : done(); next(); })",
      );
      assertEquals(await page.evaluate<number>("view.drawn"), before);
    });
    await t.step("picking and measuring", async () => {
      await page.evaluate("view.lookAlong([0, 0, 1], [0, 1, 0])");
      await clickAtom(1);
      assert(
        (await status.innerText()).startsWith("H 1: (1.960, 1.000, 1.000) Å, velocities"),
        await status.innerText(),
      );
      await clickAtom(0);
      assertEquals(await status.innerText(), "H 1 – O 0: distance 0.960 Å");
      await clickAtom(2);
      assertEquals(await status.innerText(), "H 1 – O 0 – H 2: angle 104.5°");
      await canvas.press("Escape");
      assertEquals(await status.isVisible(), false);
      await canvas.press("]");
      assert((await status.innerText()).startsWith("O 0: "));
      await canvas.press("Escape");
    });
    await t.step("keyboard", async () => {
      const rotation = () => page.evaluate<number[]>("view.camera.rotation");
      const reach = () => page.evaluate<number>("view.camera.reach");
      const [turned, near] = [await rotation(), await reach()];
      await canvas.press("ArrowLeft");
      assert((await rotation()).some((x, k) => Math.abs(x - turned[k]!) > 0.01));
      await canvas.press("+");
      assertAlmostEquals(await reach(), near / 1.2, 1e-9);
      await canvas.press("3");
      const right = await page.evaluate<number[]>(
        "view.project([1, 0, 0]).map((x, k) => x - view.project([0, 0, 0])[k])",
      );
      assert(right[0]! > 10 && Math.abs(right[1]!) < 1e-6, right.join());
      await canvas.press("End");
      await labelIs(page, "ArH2O, 4 atoms, step 20, frame 3 of 3");
      await canvas.press(",");
      await labelIs(page, "ArH2O, 4 atoms, step 10, frame 2 of 3");
    });
    await t.step("mouse", async () => {
      const center = () => page.evaluate<number[]>("view.camera.center");
      const before = await center();
      await page.keyboard.down("Shift");
      await page.mouse.move(200, 100);
      await page.mouse.down();
      await page.mouse.move(260, 120, { steps: 3 });
      await page.mouse.up();
      await page.keyboard.up("Shift");
      assert((await center()).some((x, k) => Math.abs(x - before[k]!) > 0.1));
      const near = await page.evaluate<number>("view.camera.reach");
      await page.mouse.wheel(0, -200);
      await page.waitForTimeout(0);
      await until(async () => await page.evaluate<number>("view.camera.reach") < near);
      await page.getByRole("button", { name: "Show everything" }).click();
    });
    await t.step("two fingers", async () => {
      const session = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: xs.map((x, id) => ({ x, y: 150, id })),
        });
      const before = await page.evaluate<number>("view.camera.reach");
      await touch("touchStart", 150, 250);
      await touch("touchMove", 125, 275);
      await touch("touchMove", 100, 300);
      await touch("touchEnd");
      const ratio = before / await page.evaluate<number>("view.camera.reach");
      assertAlmostEquals(ratio, 2, 0.02);
      assertEquals(await status.isVisible(), false); // no atom was picked
    });
    await t.step("playing", async () => {
      const shown: Promise<unknown> = page.evaluate(`new Promise((done) => {
      const seen = [];
      document.querySelector("hooke-viewer").addEventListener("framechange", ({ detail }) => {
        seen.push(detail.step);
        if (seen.length === 4) done(seen);
      });
    })`);
      await page.getByLabel("Speed").selectOption("60");
      await page.getByRole("button", { name: "Play", exact: true }).click();
      assertEquals(await shown, [20, 0, 10, 20]);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    });
    await t.step("dragging an atom", async () => {
      await canvas.press("Home");
      await labelIs(page, "ArH2O, 4 atoms, step 0, frame 1 of 3");
      await page.evaluate(`(() => {
      const viewer = document.querySelector("hooke-viewer");
      viewer.setAttribute("edit", "");
      view.lookAlong([0, 0, 1], [0, 1, 0]);
      window.drags = [];
      viewer.addEventListener("atomdrag", ({ detail }) => window.drags.push([detail.atom, detail.isDone, ...detail.positions.slice(9)]));
    })()`);
      const [x, y] = await page.evaluate<number[]>("view.project(view.atomAt(3).position)");
      const unit = await page.evaluate<number>(
        "view.project([1, 0, 0])[0] - view.project([0, 0, 0])[0]",
      );
      await page.mouse.move(x!, y!);
      await page.mouse.down();
      await page.mouse.move(x! - 2 * unit, y!, { steps: 4 });
      await page.mouse.up();
      const drags = await page.evaluate<[number, boolean, ...number[]][]>("drags");
      assert(drags.length >= 2);
      const [atom, isDone, ...position] = drags.at(-1)!;
      assertEquals([atom, isDone], [3, true]);
      [2, 4, 4].forEach((expected, k) => assertAlmostEquals(position[k]!, expected, 0.05));
    });
    assertEquals(browser.complaints, []);
  },
);

testInChromium(
  "WebGL2 and WebGPU draw the same, in light and dark, and again after the device was lost",
  async (t) => {
    await using browser = await openViewerBrowser();
    browser.files.set("/run.xyz", writeExtxyz(systemAt(0)));
    const open = (renderer: string, dark: boolean) =>
      browser.open(
        `<hooke-viewer src="/run.xyz" repeat="2 1 1" color-by="velocities" renderer="${renderer}"></hooke-viewer>`,
        {
          dark,
          width: 160,
          height: 120,
        },
      );
    for (const dark of [false, true]) {
      await t.step(dark ? "dark" : "light", async () => {
        const pictures: number[][] = [];
        for (const renderer of ["webgl2", "webgpu"]) {
          const page = await open(renderer, dark);
          const text = await page.evaluate<string>("picture()");
          pictures.push(Array.from(text, (each) => each.charCodeAt(0)));
          await page.close();
        }
        const [one, other] = pictures as [number[], number[]];
        assertEquals(one.length, other.length);
        const background = dark ? [22, 24, 29] : [255, 255, 255];
        assertEquals(one.slice(0, 3), background);
        const different = one.filter((x, i) => Math.abs(x - other[i]!) > 24).length / one.length;
        const drawn = one.filter((x, i) => i % 4 === 0 && Math.abs(x - background[0]!) > 24).length;
        assert(drawn > 500, `${drawn} pixels`);
        assert(different < 0.005, `${different} of all bytes differ`);
      });
    }
    await t.step("lost WebGL2", async () => {
      const page = await open("webgl2", false);
      const before = await page.evaluate("picture()");
      await page.evaluate(`new Promise((done) => {
      const gl = view.canvas.getContext("webgl2"), lose = gl.getExtension("WEBGL_lose_context");
      view.canvas.addEventListener("webglcontextlost", () => setTimeout(() => lose.restoreContext()), { once: true });
      view.canvas.addEventListener("webglcontextrestored", () => setTimeout(done), { once: true });
      lose.loseContext();
    })`);
      assertEquals(await page.evaluate("picture()"), before);
      await page.close();
    });
    await t.step("lost WebGPU", async () => {
      const page = await open("webgpu", false);
      const before = await page.evaluate("picture()");
      const drawn = await page.evaluate<number>("view.drawn");
      await page.evaluate("view.canvas.getContext('webgpu').getConfiguration().device.destroy()");
      await until(async () => await page.evaluate<number>("view.drawn") > drawn);
      assertEquals(await page.evaluate("picture()"), before);
      await page.close();
    });
    assertEquals(browser.complaints, []);
  },
);

testInChromium(
  "autoplay waits for readers who prefer less motion, and a run that grows is followed",
  async () => {
    await using browser = await openViewerBrowser();
    browser.files.set("/run.xyz", [0, 1, 2].map((frame) => writeExtxyz(systemAt(frame))).join(""));
    for (const reducedMotion of [true, false]) {
      const page = await browser.open('<hooke-viewer src="/run.xyz" autoplay></hooke-viewer>', {
        reducedMotion,
      });
      await until(() =>
        page.evaluate<boolean>(
          `document.querySelector("hooke-viewer").isPlaying === ${!reducedMotion}`,
        )
      );
      await page.close();
    }
    const page = await browser.open('<hooke-viewer src="/run.xyz"></hooke-viewer>');
    await page.evaluate(`(async () => {
    const viewer = document.querySelector("hooke-viewer");
    const all = await Promise.all([0, 1, 2].map((i) => viewer.frames.frame(i)));
    window.run = { length: 1, frame: async (i) => all[i], live: async () => all[run.length - 1] };
    viewer.frames = run;
  })()`);
    await labelIs(page, "ArH2O, 4 atoms, step 0");
    await page.evaluate("run.length = 3, document.querySelector('hooke-viewer').refresh()");
    await labelIs(page, "ArH2O, 4 atoms, step 20");
    await page.evaluate("document.querySelector('hooke-viewer').go(1)");
    await page.evaluate("document.querySelector('hooke-viewer').refresh()");
    await labelIs(page, "ArH2O, 4 atoms, step 10, frame 2 of 3");
    await page.evaluate(`(() => {
    const viewer = document.querySelector("hooke-viewer"), names = ["forces", "velocities"];
    window.asked = [];
    viewer.frames = { ...run, live: async (signal, system, wanted = names) => {
      asked.push(wanted.join());
      const frame = await run.frame(2), values = new Float32Array(12).fill(1);
      const has = names.filter((name) => wanted.includes(name));
      const fields = Object.fromEntries(has.map((name) => [name, values]));
      return { ...frame, fields, further: names.filter((name) => !has.includes(name)) };
    } };
  })()`);
    await labelIs(page, "ArH2O, 4 atoms, step 20");
    await page.evaluate(
      'document.querySelector("hooke-viewer").setAttribute("color-by", "velocities")',
    );
    const field = 'document.querySelector("hooke-viewer").view.then(({ scale }) => scale?.field)';
    await until(async () => await page.evaluate(field) === "velocities");
    await page.locator("hooke-viewer canvas").press("]");
    await page.getByText("forces (1, 1, 1)").waitFor();
    assertEquals(await page.evaluate("asked"), ["", "velocities", "forces,velocities"]);
    assertEquals(browser.complaints, []);
  },
);

/** Waits for a condition. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !await isTrue(); tries++) {
    if (tries > 600) throw new Error("the condition never came true");
    await new Promise((done) => setTimeout(done, 50));
  }
}
