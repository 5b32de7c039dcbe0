import { assert, assertEquals } from "@std/assert";
import {
  countByEntryPoint,
  type DocSymbol,
  examplesByEntryPoint,
} from "../../tools/check/examples.ts";

/** Least share of functions and classes with an example, in percent. Raise a floor when its entry point has risen. */
const FLOORS: Readonly<Record<string, number>> = {
  ".": 95,
  "./batch": 85,
  "./batch/extxyz": 95,
  "./batch/neighbors": 95,
  "./backend": 80,
  "./checkpoint": 95,
  "./config": 95,
  "./dispatch": 75,
  "./dynamics": 85,
  "./hooks": 75,
  "./kernels": 95,
  "./models": 95,
  "./models/onnx": 95,
  "./models/pair": 95,
  "./observe": 95,
  "./onnx": 85,
  "./runs": 95,
  "./sinks": 95,
  "./testing": 95,
  "./training": 95,
  all: 90,
};

Deno.test("most exported functions and classes of each entry point have a running example", async () => {
  const counts = await examplesByEntryPoint();
  const low = [...counts].flatMap(([name, { total, without }]) => {
    const share = 100 * (1 - without.length / total), floor = FLOORS[name] ?? 0;
    return share < floor ? [`${name}: ${share.toFixed(0)} % of ${floor} %: ${without}`] : [];
  });
  assertEquals(low, []);
  assert(counts.get("all")!.total > 250);
});

/** A symbol as `deno doc --json` describes it. */
function symbol(name: string, kind: string, doc?: string): DocSymbol {
  const jsDoc = doc === undefined ? {} : { jsDoc: { tags: [{ kind: "example", doc }] } };
  return { name, declarations: [{ kind, declarationKind: "export", ...jsDoc }] };
}

Deno.test("an example counts wherever the name is exported, and only if the tests run it", () => {
  const counts = countByEntryPoint([[".", "mod"], ["./a", "a"]], {
    mod: { symbols: [symbol("f", "function", "```ts\nf();\n```"), symbol("T", "typeAlias")] },
    a: {
      symbols: [
        symbol("f", "reference"),
        symbol("g", "function", "```js\ng();\n```"),
        symbol("C", "class"),
      ],
    },
  });
  assertEquals(counts.get("."), { total: 1, without: [] });
  assertEquals(counts.get("./a"), { total: 3, without: ["C", "g"] });
  assertEquals(counts.get("all"), { total: 3, without: ["C", "g"] });
});
