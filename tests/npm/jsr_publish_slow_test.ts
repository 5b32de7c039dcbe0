// `deno publish` against a registry on 127.0.0.1, and programs that import what it has published.
//
// The registry makes the checks of JSR's server that a test can make; jsr_refusals.ts lists the others. All programs
// run with a proxy that fails for every request to another machine.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { Batch, ConvergenceHook, fcc, FIRE, lennardJones, rattle } from "../../mod.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { Place, trackedFiles } from "./jsr_place.ts";
import { findRefusals } from "./jsr_refusals.ts";
import { checksumOf, TOKEN } from "./jsr_registry.ts";

const { name: NAME, version: VERSION, exports: EXPORTS, publish: { include: INCLUDE } } = JSON
  .parse(await Deno.readTextFile(new URL("deno.json", ROOT)));

const ID = `${NAME}@${VERSION}`, API = `/api/scopes/${NAME.slice(1).replace("/", "/packages/")}`;

/** Limits in bytes of the upload and of all its files: what they are now and some room. JSR's limit is 20 MB. */
const MAX_TARBALL = 2_200_000, MAX_FILES = 8_000_000;

/** A relaxation on the main thread, on two workers, and with onnxruntime-web. */
const PROGRAM = `
import { Batch, ConvergenceHook, fcc, lennardJones, lennardJonesModel, OnnxModel, rattle } from "jsr:${ID}";
import { openThreads } from "jsr:${ID}/backend";
import { FIRE } from "jsr:${ID}/dynamics";

const argon = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
const threads = openThreads(2);
async function relax(options) {
  const batch = Batch.from([1, 2, 3].map((seed) => rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, seed)));
  await using engine = new FIRE({ dt: 0.5, nSteps: 500, hooks: [ConvergenceHook.fromFmax(0.01)], ...options });
  await engine.run(batch);
  return [...batch.get("energy")];
}
await using onnx = await OnnxModel.open(lennardJonesModel(argon), { runtime: "web" });
console.log(JSON.stringify({
  kernel: await relax({ model: lennardJones(argon) }),
  threads: await relax({ model: lennardJones(argon), backend: threads }),
  onnx: await relax({ model: onnx }),
}));
threads.dispose();
`;

/** The same relaxation with the sources of this tree. */
async function relaxHere(): Promise<number[]> {
  const batch = Batch.from(
    [1, 2, 3].map((seed) => rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, seed)),
  );
  await using engine = new FIRE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 0.5,
    nSteps: 500,
    hooks: [ConvergenceHook.fromFmax(0.01)],
  });
  await engine.run(batch);
  return [...batch.get("energy")];
}

/** Arguments of `deno publish`. Types are left to the gate; Deno still checks those of the public API for slow types. */
const PUBLISH = ["publish", "--no-check", "--no-provenance"];

/** Publishes as a job of GitHub with `permissions: id-token: write` does. */
function publishInCi(place: Place) {
  return place.deno(place.tree, PUBLISH, {
    GITHUB_ACTIONS: "true",
    ACTIONS_ID_TOKEN_REQUEST_URL: `${place.registry.url}oidc?version=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: TOKEN,
  });
}

/** Tracked files that `publish.include` names: files, folders, or `FOLDER/*.ENDING`. */
function mayBePublished(path: string): boolean {
  return INCLUDE.some((pattern: string) => {
    const [folder, ending] = pattern.split("*");
    if (ending === undefined) return path === pattern || path.startsWith(`${pattern}/`);
    return path.startsWith(folder!) && path.endsWith(ending) &&
      !path.slice(folder!.length).includes("/");
  });
}

function textsOf(text: Record<string, string>): Map<string, Uint8Array> {
  return new Map(Object.entries(text).map(([path, t]) => [path, new TextEncoder().encode(t)]));
}

Deno.test("deno publish uploads the allowed files, and programs run what it has published", async (t) => {
  await using place = await Place.open();
  const { registry, trap } = place, { requests } = registry;

  await t.step("a module that only the server refuses fails the command", async () => {
    const path = `${place.tree}/src/license.ts`;
    await Deno.writeTextFile(
      path,
      'import text from "../LICENSE" with { type: "text" };\nexport const license: string = text;\n',
    );
    const { code, stderr } = await place.deno(place.tree, [...PUBLISH, "--token", TOKEN]);
    await Deno.remove(path);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "/src/license.ts: only JSON files can be imported as data");
  });

  await t.step("without authorization nothing is sent", async () => {
    const before = registry.uploads.length;
    const { code, stderr } = await place.deno(place.tree, PUBLISH);
    assertEquals([code, registry.uploads.length], [1, before]);
    assertStringIncludes(stderr, "No means to authenticate");
  });

  await t.step("a job of the CI publishes without a secret", async () => {
    requests.length = 0;
    const { code, stderr } = await publishInCi(place);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, `Successfully published ${ID}`);
    const asked = requests.filter((line) => !line.startsWith("GET /@std/"));
    assertEquals(asked.slice(0, 4), [
      `GET ${API}/versions/${VERSION}`,
      "GET /oidc",
      `GET ${API}`,
      `POST ${API}/versions/${VERSION}`,
    ]);
    assertMatch(asked[4]!, /^GET \/api\/publish_status\//);
    const { tarball, config } = registry.uploads.at(-1)!, [scope, name] = NAME.slice(1).split("/");
    assertEquals(config, "/deno.json");
    assertEquals(registry.audiences, [{
      permissions: [{
        permission: "package/publish",
        scope,
        package: name,
        version: VERSION,
        tarballHash: await checksumOf(tarball),
      }],
    }]);
  });

  await t.step("the upload has all files that publish.include allows, and no others", async () => {
    const { files } = registry.uploads.at(-1)!;
    const allowed = (await trackedFiles()).filter(mayBePublished).map((path) => `/${path}`);
    assertEquals([...files.keys()].sort(), allowed.sort());
    assert(allowed.length > 1000);
  });

  await t.step("the upload is small, and has no path of this machine", () => {
    const { tarball, files } = registry.uploads.at(-1)!;
    const size = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    assert(tarball.length < MAX_TARBALL && size < MAX_FILES, `${tarball.length}, ${size} bytes`);
    const paths = [place.tree, fileURLToPath(ROOT), place.npmCache, registry.url];
    const found = [...files].filter(([, bytes]) => {
      const text = new TextDecoder().decode(bytes);
      return paths.some((path) => text.includes(path));
    });
    assertEquals(found.map(([path]) => path), []);
  });

  await t.step("imports of the published modules name packages of JSR and npm", () => {
    const { files } = registry.uploads.at(-1)!,
      text = (path: string) => new TextDecoder().decode(files.get(path)!);
    assertMatch(text("/src/cli/frame/parse.ts"), /from "jsr:\/?@std\/cli@\^1\/parse-args"/);
    assertStringIncludes(text("/src/onnx/session/open_session.ts"), 'import("npm:onnxruntime-web@');
  });

  await t.step("publishing a version again uploads nothing", async () => {
    const before = registry.uploads.length;
    const { code, stderr } = await place.deno(place.tree, [...PUBLISH, "--token", TOKEN]);
    assertEquals([code, registry.uploads.length], [0, before], stderr);
    assertStringIncludes(stderr, "already published");
  });

  await t.step("a program relaxes crystals, with the energies of the sources", async () => {
    await Deno.writeTextFile(`${place.user}/relax.ts`, PROGRAM);
    const { code, stdout, stderr } = await runAsUser(place, "relax.ts");
    assertEquals(code, 0, stderr);
    const { kernel, threads, onnx } = JSON.parse(stdout), expected = await relaxHere();
    assertEquals([kernel, threads], [expected, expected]);
    for (const [i, energy] of onnx.entries()) assert(Math.abs(energy - expected[i]!) < 1e-5);
  });

  await t.step("a program imports each entry", async () => {
    const entries = Object.keys(EXPORTS).filter((entry) => !entry.endsWith("/worker"));
    const names = entries.map((entry) => `jsr:${ID}${entry.slice(1)}`);
    const imports = names.map((name, i) => `import * as m${i} from "${name}";`);
    const all = names.map((_, i) => `m${i}`).join(", ");
    const program = `${
      imports.join("\n")
    }\nconsole.log([${all}].map((m) => Object.keys(m).length).join());`;
    await Deno.writeTextFile(`${place.user}/entries.ts`, program);
    const { code, stdout, stderr } = await runAsUser(place, "entries.ts");
    assertEquals(code, 0, stderr);
    const counts = stdout.trim().split(",").map(Number);
    assertEquals([counts.length, counts.filter((count) => count === 0)], [entries.length, []]);
  });

  await t.step("the command runs from the registry, and names itself by its package", async () => {
    const demo = await runAsUser(
      place,
      "--allow-read",
      "--allow-write=.",
      `jsr:${ID}/cli`,
      "demo",
      "--model=kernel",
      "--systems=4",
      "--steps=0",
    );
    assertEquals(demo.code, 0, demo.stderr);
    assertStringIncludes(demo.stdout, "4 of 4 have relaxed");
    await Deno.stat(`${place.user}/hooke-demo/relaxed.xyz`);
    const help = await runAsUser(place, `jsr:${ID}/cli`, "--help");
    // Of a Deno that npx installed, which puts no `deno` on the path, it says how to start that one.
    assertMatch(
      help.stdout,
      /Usage: (deno|npx -y deno@[\d.]+) run --allow-read --allow-write=\. jsr:@hooke\/hooke\/cli COMMAND/,
    );
    assertEquals(help.stdout.includes("http"), false, help.stdout);
  });

  await t.step("no program sent a request to another machine", async () => {
    assertEquals(trap.caught, []);
    const away = await place.deno(place.user, ["eval", 'await fetch("https://jsr.io/")']);
    assertEquals([away.code, trap.caught], [1, ["CONNECT jsr.io:443 HTTP/1.1"]]);
  });
});

/** Runs a program with access to Deno's npm packages only, and what `args` allow. */
function runAsUser(place: Place, ...args: string[]) {
  const allowed = `--allow-read=${place.npmCache},${place.user}`;
  return place.deno(place.user, ["run", "--no-prompt", "--lock=deno.lock", allowed, ...args]);
}

Deno.test("findRefusals() names what JSR's server refuses", () => {
  const expected = { name: "@a/b", version: "1.0.0" };
  const refusals = (files: Record<string, string>, config: object = {}) =>
    findRefusals(
      textsOf({
        "/deno.json": JSON.stringify({ ...expected, exports: { ".": "./mod.ts" }, ...config }),
        "/LICENSE": "MIT",
        "/mod.ts": 'import "npm:x@1"; import json from "./a.json" with { type: "json" };',
        "/a.json": "1",
        ...files,
      }),
      expected,
    );
  assertEquals(refusals({}), []);
  assertEquals(refusals({}, { version: "1.0.1" }).length, 1);
  assertEquals(refusals({}, { exports: { ".": "./main.ts" } }).length, 1);
  for (const path of ["/A.json", "/b c.ts", "/src/con.ts", "/.git/x", "/_dist/x", "/x./y", "//x"]) {
    assertEquals(refusals({ [path]: "" }).length, 1, path);
  }
  for (
    const text of [
      'import "npm:x";',
      'import "jsr:@a/c";',
      'export * from "https://x.org/x.ts";',
      'import { x } from "@std/cli";',
      'await import("./b.ts");',
      'import json from "./a.json" assert { type: "json" };',
      'import text from "./LICENSE" with { type: "text" };',
      "declare global {}",
      'declare module "x" {}',
      "export = 1;",
      'import x = require("x");',
      '/// <reference lib="dom" />',
    ]
  ) assertEquals(refusals({ "/x.ts": text }).length, 1, text);
});
