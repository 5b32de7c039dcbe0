// The demo in a real browser: what it computes there is what it computes here.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { openChromium, type OpenPage, testInChromium } from "./chromium.ts";
import { ELSEWHERE, servePage } from "./served_page.ts";
import {
  type DemoRequest,
  type DemoValues,
  demoValues,
  type Evaluation,
  generatedValues,
  graphValues,
  runHashes,
  threadedValues,
  type TrainingValues,
  trainingValues,
} from "./values.ts";

/** Throws unless each number is near what it should be, relative to `scale` at least. */
function assertNear(
  actual: readonly number[],
  expected: readonly number[],
  scale: number,
  tolerance = 1e-6,
): void {
  assertEquals(actual.length, expected.length);
  for (const [i, e] of expected.entries()) {
    const off = Math.abs(actual[i]! - e);
    assert(off <= tolerance * Math.max(scale, Math.abs(e)), `[${i}] is ${actual[i]}, not ${e}`);
  }
}

/** Throws unless the page computes what is computed here. */
async function assertSameDemo(page: OpenPage, request: DemoRequest): Promise<void> {
  const here = await demoValues(request);
  const there = await page.call<DemoValues>("demoValues", request);
  assertEquals(there.steps.length, request.systems, "all have relaxed");
  assertEquals([there.steps, there.stepCount], [here.steps, here.stepCount]);
  for (const name of ["before", "after", "relaxed", "temperatures", "moved"] as const) {
    assertNear(there[name], here[name], 1);
  }
  assertEquals(page.complaints, []);
}

/** The same on another device, whose sums have another order: the same within what atoms in motion make of that. */
async function assertNearDemo(page: OpenPage, request: DemoRequest): Promise<void> {
  const here = await demoValues({ ...request, device: "wasm" });
  const there = await page.call<DemoValues>("demoValues", request);
  assertEquals(there.device, request.device);
  assertEquals([there.steps, there.stepCount], [here.steps, here.stepCount]);
  for (const name of ["before", "after"] as const) assertNear(there[name], here[name], 0, 1e-5);
  for (const name of ["relaxed", "moved"] as const) {
    const off = here[name].map((x, i) => Math.abs(there[name][i]! - x));
    assert(Math.max(...off) <= 1e-3, `${name} is ${Math.max(...off)} Å off`);
  }
  assertNear(there.temperatures, here.temperatures, 40, 1e-2);
  assertEquals(page.complaints, []);
}

function assertSameForces(there: Evaluation, here: Evaluation): void {
  assertNear(there.energy, here.energy, 0);
  assertNear(there.forces, here.forces, Math.max(...here.forces.map(Math.abs)));
}

testInChromium("in Chromium", async (t) => {
  await using served = await servePage();
  await using chromium = await openChromium();
  const here = await graphValues({ device: "wasm" });
  const step = (name: string, test: (page: OpenPage) => Promise<void>, url = served.url) =>
    t.step(name, async () => {
      await using page = await chromium.open(url);
      await test(page);
    });

  for (const model of ["kernel", "onnx"] as const) {
    await step(
      `the demo over the ${model} on wasm gives the values that it gives here`,
      async (page) => {
        await assertSameDemo(page, { model, device: "wasm", systems: 16, steps: 50 });
      },
    );
  }
  for (const model of ["kernel", "onnx"] as const) {
    await step(
      `the demo over the ${model} on WebGPU relaxes and heats as it does here on wasm`,
      async (page) => {
        await assertNearDemo(page, { model, device: "webgpu", systems: 16, steps: 50 });
      },
    );
  }
  await step(
    "onnxruntime-web on wasm has threads, and finds its .wasm at the given address",
    async (page) => {
      served.asked();
      const wasmFile = `${ELSEWHERE}/ort-wasm-simd-threaded.wasm`;
      const request = { device: "wasm", threads: 2, wasmFile } as const;
      const there = await page.call<typeof here>("graphValues", request);
      assertEquals(there.threads, 2);
      assertSameForces(there, here);
      assertEquals(served.asked().filter((name) => name.endsWith(".wasm")), [wasmFile]);
    },
  );
  for (
    const [name, reason, url] of [
      ["that may share no memory", "the page is not cross-origin isolated", served.sharingNothing],
      [
        "of a single script, which threads would begin over and over,",
        "the bundler has put onnxruntime-web into the script of the page",
        served.singleScript,
      ],
    ] as const
  ) {
    await step(`in a page ${name} it has one thread, and more are an error`, async (page) => {
      const two = page.call("graphValues", { device: "wasm", threads: 2 });
      await assertRejects(() => two, Error, `with 2 threads: ${reason}`);
      const there = await page.call<typeof here>("graphValues", { device: "wasm" });
      assertEquals(there.threads, 1);
      assertSameForces(there, here);
    }, url);
  }
  await step("a session in a worker gives the same", async (page) => {
    assertSameForces(await page.call("workerValues", "page_worker.js"), here);
  });
  await step("1,000 steps of NVE and 200 of FIRE have the same bits", async (page) => {
    assertEquals(await page.call("runHashes"), await runHashes());
  });
  await step("a pair potential that is generated has the same bits", async (page) => {
    assertEquals(await page.call("generatedValues"), await generatedValues());
    assertEquals(page.complaints, []);
  });
  for (const url of [served.url, served.sharingNothing]) {
    const place = url === served.url ? "" : " in a page that may share no memory";
    await step(`systems spread over threads have the bits of one thread${place}`, async (page) => {
      const [one, two] = [
        await threadedValues(),
        await page.call("threadedValues", "page_threads.js"),
      ];
      assertEquals(two, one);
      assertEquals(page.complaints, []);
    }, url);
  }
  await step(
    "a session on WebGPU, beside one on wasm, and kernels in WGSL give the same",
    async (page) => {
      for (const device of ["webgpu", "wasm"] as const) {
        assertSameForces(await page.call("graphValues", { device }), here);
      }
      assertSameForces(await page.call("kernelValues"), here);
      assertEquals(page.complaints, []);
    },
  );
  const trained = await trainingValues("wasm");
  for (const device of ["wasm", "webgpu"] as const) {
    await step(`a network is trained on ${device} as it is here on wasm`, async (page) => {
      const there = await page.call<TrainingValues>("trainingValues", device);
      assertEquals(there.losses.length, 20);
      assertNear(there.losses, trained.losses, 0, 1e-4);
      assertNear(there.weights, trained.weights, 0, 1e-3);
      assertEquals(there.exported, trained.exported);
      assertEquals(page.complaints, []);
    });
  }
  await step("all of this in pages that make no script of text", async (page) => {
    assertEquals(await page.call("mayEvaluateText"), false);
  });
  await step("what needs a file says that a page has none", async (page) => {
    const said = await page.call<string>("fileComplaint");
    assertStringIncludes(said, "Cannot open log.csv: there is no file system, as in a web page");
  });
});
