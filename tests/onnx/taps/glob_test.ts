import { assertEquals } from "@std/assert";
import { fits, nearestNames, parseGlob } from "../../../src/onnx/taps/glob.ts";

/** Pattern, what it matches, what it does not. */
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["tanh", ["tanh"], ["tanh_1", "atanh", "Tanh", ""]],
  ["*", ["", "a", "net.0/weight"], []],
  ["net.*", ["net.", "net.0.weight", "net.0/act/b"], ["net", "mynet.0"]],
  ["*.weight", ["net.0.weight", ".weight"], ["net.0.weights", "net.0.weight.T"]],
  ["*a*b*", ["ab", "xaxbx", "aab"], ["ba", "a"]],
  ["a**b", ["ab", "axxb"], ["a"]],
  ["*ab", ["ab", "aab", "abab"], ["aba"]],
  ["tanh_?", ["tanh_1", "tanh_é", "tanh_𝛼"], ["tanh_", "tanh_12"]],
  ["net.[02].*", ["net.0.w", "net.2."], ["net.1.w", "net.02.w"]],
  ["[a-c]x", ["ax", "bx", "cx"], ["dx", "-x"]],
  ["[!a-c]x", ["dx", "-x"], ["ax", "x"]],
  ["[]]", ["]"], ["[]]"]],
  ["[!]]", ["a"], ["]"]],
  ["[a-]", ["a", "-"], ["b"]],
  ["x[*]", ["x*"], ["xy", "x[*]"]],
  ["x[0", ["x[0"], ["x0"]],
  ["a.b+(c)$^\\", ["a.b+(c)$^\\"], ["aXb+(c)$^\\"]],
];

for (const [text, yes, no] of CASES) {
  Deno.test(`the pattern ${text} matches ${yes.join(" ")} and not ${no.join(" ")}`, () => {
    const glob = parseGlob(text);
    assertEquals(yes.filter((name) => !fits(glob, name)), []);
    assertEquals(no.filter((name) => fits(glob, name)), []);
  });
}

Deno.test("patterns with many stars are matched quickly", () => {
  const glob = parseGlob("*a".repeat(40) + "b");
  assertEquals(fits(glob, "a".repeat(5000)), false);
});

Deno.test("the closest names differ from the pattern by a few letters", () => {
  const names = ["tanh", "tanh_1", "net.0.weight", "net.0.bias", "Energy", "positions"];
  assertEquals(nearestNames(parseGlob("tahn"), names), ["tanh"]);
  assertEquals(nearestNames(parseGlob("tahn*"), names), ["tanh", "tanh_1"]);
  assertEquals(nearestNames(parseGlob("nets.*.bias"), names)[0], "net.0.bias");
  assertEquals(nearestNames(parseGlob("energy"), names), ["Energy"]);
  assertEquals(nearestNames(parseGlob("something else"), names), []);
});
