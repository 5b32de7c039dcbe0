/** Configuration files in YAML and TOML: their values, the places of errors, and texts that are refused. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fcc } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { CONFIG_PARSERS } from "../../src/cli/frame/config_text.ts";
import { UsageError } from "../../src/cli/frame/usage_error.ts";
import { hooke, tempFolder } from "./session.ts";

async function valueOf(ending: string, text: string): Promise<unknown> {
  return (await CONFIG_PARSERS[ending]!(text, `--config run${ending}`)).value;
}

/** Returns the messages about texts that a parser must refuse. */
async function refusals(ending: string, texts: readonly string[]): Promise<string[]> {
  const messages: string[] = [];
  for (const text of texts) {
    const error = await assertRejects(() => valueOf(ending, text), UsageError, "", text);
    messages.push(error.message);
  }
  return messages;
}

Deno.test("YAML and TOML give the settings that the same JSON gives", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`;
  await Deno.writeTextFile(from, writeExtxyz([fcc({ element: "Ar", a: 5.26, cells: 2 })]));
  const texts = {
    json: `{"command":"relax","struct":"${from}","fmax":0.01,"engineOptions":{"memory":4}}`,
    yaml: `command: relax\nstruct: ${from}\nfmax: 1e-2 # eV/Å\nengineOptions: { memory: 4 }\n`,
    yml: `"command": relax\nstruct: ["${from}"]\nfmax: 0.01\nengineOptions:\n  memory: 0x4\n`,
    toml: `command = "relax"\nstruct = '${from}'\nfmax = 0.01\n[engineOptions]\nmemory = 4\n`,
  };
  const printed: string[] = [];
  for (const [ending, text] of Object.entries(texts)) {
    const config = `${folder.path}/run.${ending}`;
    await Deno.writeTextFile(config, text);
    const { code, out, err } = await hooke(["--config", config, "--dry-run", "--json"]);
    assertEquals([code, err], [0, ""], ending);
    printed.push(out);
  }
  assertStringIncludes(printed[0]!, '"memory": 4');
  for (const out of printed) assertEquals(out, printed[0]);
});

Deno.test("a wrong name or value is reported with its line and column", async () => {
  await using folder = await tempFolder();
  const refused = async (name: string, text: string) => {
    const config = `${folder.path}/${name}`;
    await Deno.writeTextFile(config, text);
    const { code, err } = await hooke(["relax", "--config", config]);
    assertEquals(code, 2);
    return err.split("\n")[0]!.replaceAll(`${folder.path}/`, "");
  };
  assertEquals(
    [
      await refused("a.yaml", "steps: 5\nfmaks: 1\n"),
      await refused("b.yaml", "steps:\n  - 5\n  - 6\n"),
      await refused("c.yaml", "# No binding\ncell: no\n"),
      await refused("d.yaml", "steps: 5\nmax-steps: 6\n"),
      await refused("a.toml", 'optimizer = "lbfgs"\n  fmaks = 1\n'),
      await refused("b.toml", "steps = 3\n\n[fmaks]\nx = 1\n"),
      await refused("c.toml", "[engineOptions]\nsteps = 1\n[steps]\n"),
      await refused("d.toml", "steps = 2026-11-20\n"),
      await refused("a.yml", ""),
      await refused("e.yaml", "- relax\n"),
      await refused("a.json", '{\n  "steps": 5,\n}\n'),
    ],
    [
      "Cannot use fmaks in a.yaml:2:1: relax has no such option; did you mean fmax?",
      "Cannot use steps in b.yaml:1:1: it must be an integer of at least 0; got [5,6]",
      "Cannot use cell in c.yaml:2:1: it must be true or false; got no",
      "Cannot use max-steps in d.yaml:2:1: steps in the file is the same option",
      "Cannot use fmaks in a.toml:2:3: relax has no such option; did you mean fmax?",
      "Cannot use fmaks in b.toml:3:2: relax has no such option; did you mean fmax?",
      "Cannot use steps in c.toml:3:2: it must be an integer of at least 0; got {}",
      'Cannot use steps in d.toml:1:1: it must be an integer of at least 0; got "2026-11-20"',
      "Cannot use --config a.yml: it must be an object of options",
      "Cannot use --config e.yaml: it must be an object of options",
      "Cannot use --config a.json:3:1: Expected double-quoted property name in JSON at position 16 (line 3 column 1)",
    ],
  );
});

Deno.test("YAML is read with its core schema", async () => {
  const text = "a: no\nb: 12:30\nc: .inf\nd: 010\ne: ~\nf: 2026-11-20\ng: &x [1]\nh: *x\n<<: 1";
  assertEquals(await valueOf(".yaml", text), {
    a: "no",
    b: "12:30",
    c: Infinity,
    d: 10,
    e: null,
    f: "2026-11-20",
    g: [1],
    h: [1],
    "<<": 1,
  });
});

Deno.test("texts that are wrong, ambiguous or endless are refused", async () => {
  const bomb = Array.from(
    { length: 9 },
    (_, i) => `a${i}: &a${i} [${i === 0 ? "x" : Array(9).fill(`*a${i - 1}`).join(",")}]`,
  ).join("\n");
  assertEquals(
    await refusals(".yaml", [
      "a: 1\nb: 2\na: 3\n",
      "a:\n\t- 1\n",
      "a: 1\n---\na: 2\n",
      "a: !cutoff 5\n",
      "a: [1, 2\n",
      "a: &x [*x]\n",
      bomb,
    ]),
    [
      "Cannot use --config run.yaml:3:1: each name may appear only once in a mapping",
      "Cannot use --config run.yaml:2:1: indent with spaces instead of tabs",
      "Cannot use --config run.yaml:2:1: the file must contain one document; got several, separated by ---",
      "Cannot use --config run.yaml:1:4: Unresolved tag: !cutoff",
      "Cannot use --config run.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]",
      "Cannot use --config run.yaml: an alias (*name) must not be part of its own anchor",
      "Cannot use --config run.yaml: aliases (*name) may stand for at most 100 values; write the values out",
    ],
  );
  const [twice, broken] = await refusals(".toml", ["a = 1\na = 2\n", "a = 1\nb = [1,\n"]);
  assert(twice!.startsWith("Cannot use --config run.toml:2:1: "), twice);
  assert(broken!.startsWith("Cannot use --config run.toml:3:1: "), broken);
  assert(!twice!.includes("\n"), twice);
});
