/** The Python package speaks the words of the manifest, and its README lists its families. */
import { assert, assertEquals } from "@std/assert";
import { decodeModel, GraphBuilder } from "@hooke/hooke/onnx";
import { INPUTS } from "../../src/models/onnx/manifest/meanings.ts";
import { MANIFEST_MEMBERS } from "../../src/models/onnx/manifest/manifest_check.ts";
import { notedManifest } from "../../src/models/onnx/manifest/manifest_source.ts";
import { REFERENCE_NOTE } from "../../src/models/onnx/reference/find_reference.ts";
import { setMetadata } from "../../src/onnx/set_metadata.ts";
import { atomicSymbol } from "../../src/batch/elements.ts";
import { openPython, pythonTest } from "../python.ts";
import { POTENTIALS } from "./potentials.ts";

const read = (path: string) =>
  Deno.readTextFileSync(new URL(`../../python/${path}`, import.meta.url));

/** Runs `hooke-export` in a Python without any packages; returns its exit code and what it says. */
async function hookeExport(...args: string[]): Promise<[number, string]> {
  const env = { PYTHONPATH: `${import.meta.dirname}/../../python` };
  const { code, stderr } = await new Deno.Command("python3", {
    args: ["-S", "-m", "hooke_export", ...args],
    env,
  }).output();
  return [code, new TextDecoder().decode(stderr)];
}

/** The entries of a dictionary in a Python file. */
function entries(text: string, name: string): [string, string][] {
  const body = text.split(`\n${name}`)[1]!.split("\n}")[0]!;
  return Array.from(body.matchAll(/^ {4}"([^"]+)": "([^"]+)",$/gm), ([, key, value]) => [
    key!,
    value!,
  ]);
}

Deno.test("inputs of exported graphs have names and meanings that manifests know", () => {
  const meanings = entries(read("hooke_export/write.py"), "MEANINGS");
  assert(meanings.length >= 8);
  for (const [tensor, meaning] of meanings) {
    assert(meaning in INPUTS, meaning);
    assert(INPUTS[meaning as keyof typeof INPUTS].names.includes(tensor), tensor);
  }
});

Deno.test("manifests that Python writes have members that manifests may have", () => {
  const said = read("hooke_export/write.py").split("said = {")[1]!.split("\n    }")[0]!;
  const members = Array.from(said.matchAll(/^ {8}"([a-zA-Z]+)":/gm), ([, name]) => name!);
  assert(members.length > 10);
  for (const member of members) assert(MANIFEST_MEMBERS.includes(member), member);
});

Deno.test("the README of the exporter lists all families, and the suite goes through them", () => {
  const families = entries(read("hooke_export/families/__init__.py"), "FAMILIES")
    .map(([name]) => name).sort();
  const listed = Array.from(
    read("README.md").matchAll(/^\| ([a-z0-9]+) +\|/gm),
    ([, name]) => name!,
  )
    .filter((name) => name !== "family");
  assertEquals(listed.sort(), families);
  const exported = new Set(POTENTIALS.map(({ family }) => family));
  assertEquals(families.filter((name) => name !== "torch" && !exported.has(name)), []);
});

pythonTest(
  "potentials without an energy to differentiate are refused before anything is installed",
  async () => {
    const out = await Deno.makeTempDir();
    const path = `${out}/orb.onnx`;
    for (
      const [name, why] of [
        ["orb-d3-xs-v2", "predicts forces directly"],
        ["orb-v3-direct-inf-omat:orb.ckpt", "predicts forces directly"],
        ["orb-v3-conservative-20-omat:orb.ckpt", "capped number of neighbors"],
      ] as const
    ) {
      const [code, text] = await hookeExport("orb", name, "-o", path, "--isolated");
      assertEquals(code, 2, text);
      assert(text.startsWith(`hooke-export: cannot export ${name}: ${name.split(":")[0]}`), text);
      assert(text.includes(why), text);
    }
    assertEquals(Array.from(Deno.readDirSync(out)), []);
    await Deno.remove(out, { recursive: true });
  },
);

Deno.test("Python notes the parameters of a graph under the name that trainers read", () => {
  const [, key] = read("hooke_export/trace.py").match(/^PARAMETERS = "(.+)"$/m) ?? [];
  assert(key);
  const graph = new GraphBuilder("one");
  const x = graph.input("x", "f32", ["N"]);
  graph.output("y", graph.mul(x, graph.parameter("scale", [1], [1])), ["N"]);
  const { metadataProps } = decodeModel(graph.build());
  assertEquals(metadataProps.find((note) => note.key === key)?.value, '["scale"]');
});

pythonTest("files whose manifest and reference would not be found are refused", async () => {
  for (const out of ["mace.v2", "mace.json", "mace"]) {
    const [code, text] = await hookeExport("mace", "mace-mp-small", "-o", out, "--isolated");
    assertEquals(code, 2, text);
    assert(text.includes(`must end in .onnx`) && text.includes(`got ${out}`), text);
  }
});

pythonTest(
  "what cannot be exported is said in one line, before anything is installed",
  async () => {
    const failed = (text: string) => [2, `hooke-export: ${text}\n`];
    const folder = await Deno.makeTempDir();
    try {
      const out = `${folder}/none/a.onnx`;
      assertEquals(
        await hookeExport("mace", "mace-mp-small", "-o", out, "--isolated"),
        failed(`cannot write ${out}: the folder ${folder}/none does not exist`),
      );
      const [code, text] = await hookeExport("mace", "-o", `${folder}/a.onnx`, "--isolated");
      assertEquals(code, 2);
      assert(text.endsWith("the following arguments are required: name\n"), text);
      // This Python sees no packages.
      assertEquals(
        await hookeExport("mace", "mace-mp-small", "-o", `${folder}/a.onnx`),
        failed(
          "cannot export mace-mp-small: the package numpy is not installed here: add --isolated, or " +
            "install './python[torch]' and the packages of mace with pip",
        ),
      );
      assertEquals(Array.from(Deno.readDirSync(folder)), []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

pythonTest("weights that are missing or damaged are said in one line", async () => {
  const python = await openPython("onnx");
  const program = (raised: string) =>
    [
      "import sys, types, pickle",
      `sys.path.insert(0, ${JSON.stringify(`${import.meta.dirname}/../../python`)})`,
      "from hooke_export import cli",
      "from hooke_export.weights import weights_file",
      "sys.modules['hooke_export.write'] = types.SimpleNamespace(write=None)",
      `def load(family, name): ${raised}`,
      "cli.load, sys.stderr = load, sys.stdout",
      "print(cli.main(['mace', 'my.model', '-o', 'a.onnx']))",
    ].join("\n");
  const printed = async (raised: string) => (await python.run(program(raised))).trim().split("\n");
  assertEquals(await printed("weights_file(name, family)"), [
    "hooke-export: loading my.model",
    "hooke-export: cannot read my.model: it is neither a file nor one of mace-mp-small, mace-off23-small",
    "2",
  ]);
  assertEquals((await printed("pickle.loads(b'text')")).slice(1), [
    "hooke-export: cannot read my.model: it is not a file of weights (could not find MARK)",
    "2",
  ]);
});

Deno.test("Python notes manifest and reference under the names that models read", () => {
  const key = (name: string) =>
    read("hooke_export/write.py").match(new RegExp(`^${name} = "(.+)"$`, "m"))?.[1];
  assertEquals(key("REFERENCE"), REFERENCE_NOTE);
  const name = key("MANIFEST");
  assert(name);
  const file = decodeModel(new GraphBuilder("one").build());
  setMetadata(file, name, '{"cutoff":4.5}');
  assertEquals(notedManifest("one.onnx", file).manifest, { cutoff: 4.5 });
});

Deno.test("Python and models widen tolerances for float32 to the same limits", () => {
  const tolerances = read("hooke_export/tolerance.py");
  const compared = Deno.readTextFileSync(
    new URL("../../src/models/onnx/reference/compare.ts", import.meta.url),
  );
  const [, python] = tolerances.match(/^WIDEST: Differences = \{(.+)\}$/m)!;
  const [, own] = compared.match(/^const WIDEST.* = \{ (.+) \};$/m)!;
  assertEquals(python!.replaceAll('"', ""), own);
  const factor = (text: string) => text.match(/FLOAT32 = (\d+)/)![1];
  assertEquals(factor(tolerances), factor(compared));
});

pythonTest(
  "folders that versions of matgl before 4 saved are refused, with a way out",
  async () => {
    const folder = await Deno.makeTempDir();
    const program = [
      "import sys; from pathlib import Path",
      "from hooke_export.families.matgl_files import refuse_old",
      "try: refuse_old('my model', Path(sys.argv[1]), 'if it is older, call it x'); print('accepted')",
      "except NotImplementedError as error: print(error)",
    ].join("\n");
    const said = async (options: object) => {
      await Deno.writeTextFile(`${folder}/model.json`, JSON.stringify({ kwargs: options }));
      const env = { PYTHONPATH: `${import.meta.dirname}/../../python` };
      const { stdout } = await new Deno.Command("python3", {
        args: ["-S", "-c", program, folder],
        env,
      }).output();
      return new TextDecoder().decode(stdout).trim();
    };
    try {
      assertEquals(await said({ calc_stresses: true, compile_model: false }), "accepted");
      assertEquals(
        await said({ calc_stresses: true }),
        "matgl 3 or older saved my model, and weights of matgl 2 and older give wrong energies in newer " +
          "versions, without a warning. If it is from matgl 3, load and save it with matgl 4; if it is " +
          "older, call it x",
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

pythonTest(
  "the exporter says what float32 widens, up to a limit, and what jumps at the cutoff",
  async () => {
    const python = await openPython("onnx");
    const program = [
      "import json, sys",
      `sys.path.insert(0, ${JSON.stringify(`${import.meta.dirname}/../../python`)})`,
      "from hooke_export.tolerance import check_module, largest_jumps, show_jumps, tolerance_of, widened",
      "exact, poor = {'energy': 1e-7, 'forces': 1e-6}, {'energy': 9e-5, 'forces': 5e-5, 'stress': 9e-3}",
      "wide = tolerance_of([exact, poor])",
      "jumps = [show_jumps(one) for one in ((1e-4, 1e-4), (1e-4, 0.37), (0.2, 0))]",
      "jumps += [show_jumps(largest_jumps(one)) for one in ([(0, 0), (float('nan'), 0.37), (0.2, 0)], [])]",
      "print(json.dumps([tolerance_of([exact]), wide, widened(tolerance_of([exact])), widened(wide), jumps]))",
      "for found in (poor, {'energy': 2e-4}, {'energy': float('nan')}):",
      "    try: check_module('slab', found); print('accepted')",
      "    except RuntimeError as error: print(error)",
    ].join("\n");
    const [lists, ...checked] = (await python.run(program)).trim().split("\n");
    assertEquals(JSON.parse(lists!), [
      { energy: 1e-5, forces: 1e-4, stress: 1e-4 },
      { energy: 1e-4, forces: 2e-4, stress: 1e-2 },
      "",
      "; accepted because of float32: energy 1e-04, forces 2e-04, stress 1e-02",
      [
        "",
        "; not smooth: at the cutoff energies jump by 1e-04 eV, forces by 4e-01 eV/Å",
        "; not smooth: at the cutoff energies jump by 2e-01 eV, forces by 0e+00 eV/Å",
        "; not smooth: at the cutoff energies jump by nan eV, forces by 4e-01 eV/Å",
        "",
      ],
    ]);
    const refused = (off: string) =>
      `the module in float32 differs from the family's own code by ${off} (energy) on a slab, and ` +
      "at most 1e-04 is accepted; nothing was written";
    assertEquals(checked, ["accepted", refused("2.0e-04"), refused("nan")]);
  },
);

pythonTest("every element that a potential knows is in a structure of its reference", async () => {
  const python = await openPython("onnx");
  const asked = JSON.stringify({
    off23: "H C N O F P S Cl Br I".split(" "),
    two: ["Na", "Cl", "Br", "I"],
    one: ["O", "Mg", "Ar"],
    all: ["H", "He", ...Array.from({ length: 80 }, (_, i) => atomicSymbol(i + 3))],
  });
  const program = [
    "import json, sys",
    `sys.path.insert(0, ${JSON.stringify(`${import.meta.dirname}/../../python`)})`,
    "from hooke_export.structures import structures_for",
    "print(json.dumps({name: [[one.symbols, one.positions.tolist()] for one in structures_for(elements)]",
    "    for name, elements in json.loads(sys.argv[1]).items()}))",
  ].join("\n");
  type Made = Record<string, [string[], number[][]][]>;
  const made = JSON.parse(await python.run(program, [asked])) as Made;
  for (const [name, elements] of Object.entries(JSON.parse(asked) as Record<string, string[]>)) {
    const structures = made[name]!;
    const covered = new Set(structures.flatMap(([symbols]) => symbols));
    assertEquals(elements.filter((symbol) => !covered.has(symbol)), [], name);
    for (const [symbols, positions] of structures) {
      // Molecules are evaluated in boxes of 30 Å by families that need a cell.
      for (const axis of [0, 1, 2]) {
        const along = positions.map((position) => position[axis]!);
        assert(Math.max(...along) - Math.min(...along) < 18, `${name}: ${symbols}`);
      }
      for (const [i, [x, y, z]] of positions.entries()) {
        const lengths = positions.flatMap(([a, b, c], j) =>
          i === j ? [] : [Math.hypot(a! - x!, b! - y!, c! - z!)]
        );
        assert(Math.min(...lengths) > 0.5 && Math.min(...lengths) < 3.5, `${name}: ${symbols}`);
      }
    }
  }
  // Two elements that are exchanged change what a chain is.
  assertEquals(made["two"]!.at(-1)![0], ["Br", "I", "Br"]);
  assertEquals(made["one"]!.at(-1)![0], ["Ar", "Ar"]);
});
