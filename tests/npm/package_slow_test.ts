// The package for npm, as it is packed and installed: Node 22 and 24, types with tsc, and the command.
import { assertAlmostEquals, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/crystal.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { NatsServer } from "../campaign/queue/nats_server.ts";
import { lacks } from "../machine.ts";
import { pythonTest } from "../python.ts";
import { buildPackage } from "../../tools/npm/build.ts";
import { runHashes } from "./same_bits.ts";

/** Versions of Node that are supported. */
const NODES = ["22", "24"];
const SUITES = ["backends", "files", "training"];

const HERE = decodeURIComponent(new URL(".", import.meta.url).pathname);

/** Runs a program in a folder. Returns its output, and fails if it fails. */
async function run(
  cwd: string,
  [program, ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(program!, {
    args,
    cwd,
    env: { NO_COLOR: "1", npm_config_update_notifier: "false", ...env },
  }).output();
  const [out, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals(code, 0, `${[program, ...args].join(" ")}\n${out}\n${errors}`);
  return out!;
}

/** Installs the package in a clean folder. */
async function install(): Promise<string> {
  const folder = await Deno.makeTempDir();
  const packed = await buildPackage(`${folder}/built`);
  await Deno.writeTextFile(`${folder}/package.json`, '{"private": true, "type": "module"}');
  await run(folder, ["npm", "install", "--ignore-scripts", packed]);
  return folder;
}

const folder = await install();

for (const node of NODES) {
  for (const suite of SUITES) {
    Deno.test(`the suite of ${suite} passes in Node ${node} over the installed package`, async () => {
      await Deno.mkdir(`${folder}/tests/node`, { recursive: true });
      await Deno.copyFile(`${HERE}same_bits.ts`, `${folder}/tests/same_bits.ts`);
      const file = `tests/node/${suite}_node.ts`;
      await Deno.copyFile(`${HERE}node/${suite}_node.ts`, `${folder}/${file}`);
      const hashes = JSON.stringify(await runHashes());
      const command = ["npx", "-y", `node@${node}`, "--test", "--test-reporter=tap", file];
      const report = await run(folder, command, { HOOKE_HASHES: hashes });
      assertMatch(report, /^# fail 0$/m);
      assertMatch(report, /^# skipped 0$/m);
      assertEquals(/^# pass 0$/m.test(report), false);
    });
  }

  Deno.test(`the command runs in Node ${node}`, async () => {
    const out = await Deno.makeTempDir();
    const command = ["node_modules/.bin/hooke", "demo", "--systems", "2", "--steps", "20"];
    const report = await run(folder, ["npx", "-y", `node@${node}`, ...command, "--out", out]);
    assertMatch(report, /relaxed\.xyz/);
    assertMatch(
      await run(folder, ["npx", "-y", `node@${node}`, command[0]!]),
      /^Usage: npx hooke COMMAND/m,
    );
    assertEquals((await Deno.readTextFile(`${out}/relaxed.xyz`)).startsWith("32\n"), true);
  });
}

Deno.test("hooke serve serves all files of the page in Node", async () => {
  const node = await run(folder, ["npx", "-y", "node@24", "--print", "process.execPath"]);
  const served = new Deno.Command(node.trim(), {
    args: ["node_modules/.bin/hooke", "serve", "--json"],
    cwd: folder,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    const { value } = await served.stdout.getReader().read();
    const url = new URL(JSON.parse(new TextDecoder().decode(value)).url);
    for (const path of ["/", "/app.css", "/app.js", "/viewer.js", "/tab_worker.js"]) {
      const answer = await fetch(new URL(`${path}${url.search}`, url));
      assertEquals([path, answer.status], [path, 200]);
      await answer.body?.cancel();
    }
  } finally {
    served.kill("SIGTERM");
    await served.status;
  }
});

Deno.test({
  name: "kernels run on WebGPU of the package webgpu, and give the energy of wasm",
  ignore: lacks("chromium"),
  async fn() {
    await run(folder, ["npm", "install", "--ignore-scripts", "webgpu@0.6.2"]);
    await Deno.writeTextFile(
      `${folder}/gpu.mjs`,
      `import { create, globals } from "webgpu";
Object.assign(globalThis, globals);
Object.defineProperty(navigator, "gpu", { value: create([]) });
const { Batch, fcc, lennardJones, NVE } = await import("@hooke/hooke");
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const energies = [];
for (const device of ["webgpu", "wasm"]) {
  const md = new NVE({ model, dt: 4, device });
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 3 })]);
  await md.run(batch, 100);
  energies.push([md.device.device, batch.get("energy")[0]]);
  await md[Symbol.asyncDispose]();
}
console.log(JSON.stringify(energies));
`,
    );
    // Dawn accepts the software adapter of Chromium, but not every llvmpipe.
    const driver = "/usr/lib/chromium/vk_swiftshader_icd.json";
    const isThere = await Deno.stat(driver).then(() => true, () => false);
    const env = isThere ? { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver } : {};
    const report = await run(folder, ["npx", "-y", "node@24", "gpu.mjs"], env);
    const [[gpu, there], [wasm, here]] = JSON.parse(report.trim().split("\n").at(-1)!);
    assertEquals([gpu, wasm], ["webgpu", "wasm"]);
    assertAlmostEquals(there, here, 1e-5 * Math.abs(here));
  },
});

Deno.test("bundlers keep the scripts of workers, which are imported for their effects alone", async () => {
  for (const entry of ["backend", "onnx"]) {
    await Deno.writeTextFile(`${folder}/worker.mjs`, `import "@hooke/hooke/${entry}/worker";\n`);
    const bundle = ["bundle", "--platform=browser", "-o", "bundled.js", "worker.mjs"];
    await run(folder, [Deno.execPath(), ...bundle]);
    assertStringIncludes(await Deno.readTextFile(`${folder}/bundled.js`), "onmessage");
  }
});

Deno.test("a program of ten lines has types for tsc, with each resolution of modules", async () => {
  const names = Object.keys(
    JSON.parse(await Deno.readTextFile(`${folder}/node_modules/@hooke/hooke/package.json`)).exports,
  ).filter((name) => name !== "./package.json");
  const imports = names.map((name, i) =>
    `import * as all${i} from "@hooke/hooke${name.slice(1)}";\nvoid all${i};`
  );
  await Deno.writeTextFile(`${folder}/all.ts`, imports.join("\n"));
  await Deno.writeTextFile(
    `${folder}/ten.ts`,
    `import { Batch, fcc, hook, lennardJones, NVE } from "@hooke/hooke";

const energies: number[] = [];
const log = hook({
  name: "energies",
  reads: ["energy"],
  on: { dynamics: { AFTER_STEP: ({ read }) => void energies.push(read.energy.at(0)!) } },
});
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
await using md = new NVE({ model, dt: 4, hooks: [log] });
await md.run(Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]), 10);
// @ts-expect-error: dt is a number
void (() => new NVE({ model, dt: "4" }));
console.log(energies.length);
`,
  );
  const bundler =
    "--module esnext --moduleResolution bundler --target esnext --lib esnext,dom --exactOptionalPropertyTypes";
  const node = "--module nodenext --target es2022";
  for (
    const [version, options] of [
      ["5.9", bundler],
      ["5.9", node],
      ["7", bundler],
      ["7", `${node} --lib es2022 --types node`],
    ] as const
  ) {
    const tsc = ["npx", "-y", "-p", `typescript@${version}`, "tsc", "--noEmit", "--strict"];
    await run(folder, [...tsc, ...options.split(" "), "all.ts", "ten.ts"]);
  }
  assertEquals(await run(folder, ["npx", "-y", "node@24", "ten.ts"]), "10\n");
});

Deno.test("the program for Node in the documentation compiles with the configuration beside it, and runs", async () => {
  const page = await Deno.readTextFile(`${HERE}../../docs/howto/use_node.md`);
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "m").exec(page)![1]!;
  for (const version of ["5.9", "7"]) {
    const own = `${folder}/program_${version}`;
    await Deno.mkdir(own);
    await Deno.writeTextFile(`${own}/package.json`, '{"private": true, "type": "module"}');
    await Deno.writeTextFile(`${own}/tsconfig.json`, block("json"));
    await Deno.writeTextFile(`${own}/relax.ts`, block("ts"));
    await run(own, ["npx", "-y", "-p", `typescript@${version}`, "tsc"]);
    assertEquals(await run(own, ["npx", "-y", "node@22.13", "relax.js"]), block("text"));
  }
});

// The last test: before it, the packages of the client are not installed.
pythonTest(
  "a queue works in Node 24: the program in the documentation, and the commands",
  async () => {
    const page = await Deno.readTextFile(`${HERE}../../docs/queue.md`);
    const section = page.slice(page.indexOf("## In a program"));
    const block = (language: string) =>
      new RegExp(`^\`\`\`${language}.*\\n([^]*?)^\`\`\``, "m").exec(section)![1]!;
    const installing = /`(npm install @nats-io[^`]+)`/.exec(page)![1]!.split(" ");
    await using server = await NatsServer.start();
    const node = (await run(folder, ["npx", "-y", "node@24", "--print", "process.execPath"]))
      .trim();
    const address = "nats://127.0.0.1:4222";
    assertStringIncludes(block("js"), address);
    await Deno.writeTextFile(`${folder}/queue.js`, block("js").replace(address, server.url));

    const hooke = [node, "node_modules/.bin/hooke"], place = ["--queue", server.url];
    const refused = await new Deno.Command(node, {
      args: [...hooke.slice(1), "queue", ...place],
      cwd: folder,
      stdout: "null",
    }).output();
    const advice = `Install it by ${installing.join(" ")}`;
    assertStringIncludes(new TextDecoder().decode(refused.stderr), advice);

    await run(folder, [...installing, "--ignore-scripts"]);
    assertEquals(await run(folder, [node, "queue.js"]), block("text"));

    const recipe = { model: "lj:argon", stages: [{ stage: "relax", steps: 5 }] };
    await Deno.writeTextFile(`${folder}/recipe.json`, JSON.stringify(recipe));
    const atoms = [1, 2].map((seed) => rattle(fcc({ element: "Ar", a: 5.3 }), 0.1, seed));
    await Deno.writeTextFile(`${folder}/atoms.xyz`, writeExtxyz(atoms));
    const submitted = await run(folder, [...hooke, "submit", "recipe.json", "atoms.xyz", ...place]);
    assertEquals(submitted, "2 submitted\n");
    const into = ["--store", "shell", "--until-empty"];
    assertMatch(await run(folder, [...hooke, "work", ...place, ...into]), /^2 done$/m);
  },
);
