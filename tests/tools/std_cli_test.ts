// The stand-in for @std/cli against what @std documents.
import judge from "node:assert/strict";
import { parseArgs } from "../../tools/airgap/std_cli/mod.ts";

/** Own data only: the result may have been made with or without a prototype. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const CASES: Array<
  [what: string, args: string, options: Parameters<typeof parseArgs>[1], expected: unknown]
> = [
  ["long flags with and without values", "--bool --pow xixxle --port=555 rest", {}, {
    bool: true,
    pow: "xixxle",
    port: 555,
    _: ["rest"],
  }],
  ["numbers", "-x 1234 -y 5.67 -z 1e7 -w 10f --hex 0xdeadbeef 789", {}, {
    x: 1234,
    y: 5.67,
    z: 1e7,
    w: "10f",
    hex: 0xdeadbeef,
    _: [789],
  }],
  ["grouped letters", "-cats woo", {}, { c: true, a: true, t: true, s: "woo", _: [] }],
  ["a value right behind a letter", "-n5 -I/foo/bar -e== -b=12 -f-", {}, {
    n: 5,
    I: "/foo/bar",
    e: "=",
    b: 12,
    f: "-",
    _: [],
  }],
  ["a value with an equals sign in it", "--f=abc=def", {}, { f: "abc=def", _: [] }],
  ["a lone dash", "-n - -", {}, { n: "-", _: ["-"] }],
  ["the last of several values", "-v a -v b -v c", {}, { v: "c", _: [] }],
  ["booleans, which take no value and are false unless given", "-x -z one", {
    boolean: ["x", "y", "z"],
  }, { x: true, y: false, z: true, _: ["one"] }],
  ["booleans written out", "--verbose false moo -t true", { boolean: ["t", "verbose"] }, {
    verbose: false,
    t: true,
    _: ["moo"],
  }],
  ["a boolean with =", "--a=false --b=true", { boolean: ["a", "b"] }, { a: false, b: true, _: [] }],
  ["boolean: true", "moo --honk cow -p 55 --tacos=good", { boolean: true }, {
    honk: true,
    p: 55,
    tacos: "good",
    _: ["moo", "cow"],
  }],
  ["strings, which stay strings", "-s 0001234 --t=5 --u", { string: ["s", "t", "u"] }, {
    s: "0001234",
    t: "5",
    u: "",
    _: [],
  }],
  ["arguments as strings", "5 6", { string: "_" }, { _: ["5", "6"] }],
  ["defaults", "--b 7", { default: { a: 1, b: 2 } }, { a: 1, b: 7, _: [] }],
  ["a default of null", "", { boolean: "maybe", default: { maybe: null } }, { maybe: null, _: [] }],
  ["aliases", "-h derp --zm 5", { boolean: "herp", alias: { h: "herp", z: ["zm", "zoom"] } }, {
    h: true,
    herp: true,
    z: 5,
    zm: 5,
    zoom: 5,
    _: ["derp"],
  }],
  ["defaults under every alias", "", { alias: { h: "host" }, default: { host: "here" } }, {
    h: "here",
    host: "here",
    _: [],
  }],
  ["collected values", "--v a --v b", { string: "v", collect: ["v", "w"] }, {
    v: ["a", "b"],
    w: [],
    _: [],
  }],
  ["negation where it was asked for", "--no-foo --no-bar", { boolean: "foo", negatable: "foo" }, {
    foo: false,
    "no-bar": true,
    _: [],
  }],
  ["the last word on a negatable flag", "--no-foo --foo", { boolean: "foo", negatable: "foo" }, {
    foo: true,
    _: [],
  }],
  ["stopping early", "--a 1 run --b 2", { stopEarly: true }, { a: 1, _: ["run", "--b", 2] }],
  ["-- ends the flags", "--a x -- --not-a-flag 5", {}, { a: "x", _: ["--not-a-flag", "5"] }],
  ["-- kept apart", "--a x b -- --c", { "--": true }, { a: "x", _: ["b"], "--": ["--c"] }],
  ["nested names", "--foo.bar 3 --foo.baz.oO --beep.boop=x", {}, {
    foo: { bar: 3, baz: { oO: true } },
    beep: { boop: "x" },
    _: [],
  }],
  ["names of built-in properties", "--toString --valueOf foo", {}, {
    toString: true,
    valueOf: "foo",
    _: [],
  }],
];

Deno.test("parseArgs() understands", async (t) => {
  for (const [what, args, options, expected] of CASES) {
    await t.step(what, () => {
      judge.deepEqual(plain(parseArgs(args.split(" ").filter(Boolean), options)), expected);
    });
  }
});

Deno.test("parseArgs() asks unknown() about undeclared flags and arguments, and leaves out what it refuses", () => {
  const asked: unknown[] = [];
  const result = parseArgs(["--ok", "--bad=1", "-x", "file"], {
    boolean: ["ok"],
    unknown: (arg, key, value) => {
      asked.push([arg, key, value]);
      return key === "x" ? undefined : false;
    },
  });
  judge.deepEqual(asked, [["--bad=1", "bad", "1"], ["-x", "x", "file"]]);
  judge.deepEqual(plain(result), { ok: true, x: "file", _: [] });
  judge.deepEqual(plain(parseArgs(["file"], { unknown: () => false })), { _: [] });
});

Deno.test("parseArgs() cannot be used to reach a prototype", () => {
  parseArgs(["--__proto__.polluted", "yes", "--constructor.prototype.polluted", "yes"]);
  judge.equal(Reflect.get({}, "polluted"), undefined);
});

Deno.test("parseArgs() types what was declared", () => {
  const args = parseArgs(["--name", "x", "--on", "--tag", "a"], {
    string: ["name", "tag", "out"],
    boolean: ["on"],
    collect: ["tag"],
    default: { out: "here" },
  });
  const name: string | undefined = args.name;
  const on: boolean = args.on;
  const tag: string[] = args.tag;
  const out: string = args.out;
  judge.deepEqual([name, on, tag, out], ["x", true, ["a"], "here"]);
  // @ts-expect-error an undeclared flag
  judge.equal(args.nme, undefined);
});
