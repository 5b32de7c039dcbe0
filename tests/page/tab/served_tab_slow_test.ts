// Runs in a tab of the page of hooke serve, under the policy that the server sends with each file.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../../src/batch/mod.ts";
import { writeExtxyz } from "../../../src/batch/extxyz/mod.ts";
import { lennardJonesModel } from "../../../src/onnx/mod.ts";
import { ortFile } from "../../../src/page/ort_files.ts";
import { servePage } from "../../../src/page/server/serve_page.ts";
import { contentOf, presentFiles } from "../../../tools/page/bundles.ts";
import { testInChromium } from "../../e2e/chromium.ts";
import { ended, fillIn, openTab, start, startChromium } from "./tab_page.ts";

const encoder = new TextEncoder();

testInChromium(
  "a model runs in the tab of a served page, and the runs are a click away",
  async () => {
    const built = await Promise.all(
      presentFiles().map(async (file) =>
        [
          file.name === "page.html" ? "/" : `/${file.name}`,
          { type: file.type, body: await contentOf(file) },
        ] as const
      ),
    );
    const files = new Map(built);
    const shelf = {
      list: () => Promise.resolve([]),
      find: () => Promise.resolve(undefined),
      close: () => Promise.resolve(),
    };
    const served = await servePage({
      shelf,
      host: "127.0.0.1",
      port: 0,
      assets: async (path) => files.get(path) ?? await ortFile(path),
    });
    const browser = await startChromium();
    try {
      const tab = await openTab(browser, served.url);
      await tab.page.getByRole("link", { name: "Run in this tab" }).click();
      const text = writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
      await fillIn(tab, "relax", [
        { name: "argon.xyz", bytes: encoder.encode(text) },
        { name: "lj.onnx", bytes: lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 }) },
      ], { device: "wasm", modelOptions: '{"cutoff": 5}' });
      await start(tab);
      assertStringIncludes(await ended(tab), "Done on wasm: converged, ");
      await tab.page.getByRole("link", { name: "Runs of the server" }).click();
      await tab.page.getByText("There are no runs here yet").waitFor();
      assertEquals(tab.complaints, []);
    } finally {
      await browser.close();
      await served.close();
    }
  },
);
