import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { loadModule, unpackModule } from "../../src/backend/wasm/module.ts";
import { decodeText } from "../../src/backend/wasm/decode_text.ts";
import { WASM_TEXT } from "../../src/backend/wasm/module.gen.ts";
import {
  hashSource,
  keptModuleText,
  moduleOf,
  moduleText,
  PACKAGE,
  readRecord,
  ROOT,
} from "../../tools/wasm/files.ts";
import { encodeText } from "../../tools/wasm/text.ts";
import { TOOLS, WASM_BINDGEN } from "../../tools/wasm/pins.ts";

const compiled = await Deno.readFile(new URL("hooke_bg.wasm", PACKAGE));

Deno.test("the committed kernels are of the present Rust sources (deno task wasm:build)", async () => {
  const { hash, toolchain } = await readRecord();
  assertEquals(hash, await hashSource(toolchain));
  assertNotEquals(hash, await hashSource(`${toolchain}, and another`));
});

Deno.test("the committed kernels are of the toolchain that CI can repeat (deno task wasm:build debian)", async () => {
  const { toolchain } = await readRecord();
  assertMatch(toolchain, /^Debian rustc-web \S+, wasm-bindgen \S+, wasm-pack /);
  assert(toolchain.endsWith(`, ${TOOLS}`));
  const manifest = await Deno.readTextFile(new URL("wasm/Cargo.toml", ROOT));
  assertMatch(manifest, new RegExp(`^wasm-bindgen = "=${WASM_BINDGEN}"$`, "m"));
});

Deno.test("the packed kernels are the compiled kernels", async () => {
  assertEquals(unpackModule().toHex(), compiled.toHex());
  // Another xz may compress the same kernels to other bytes, so the text is compared except for these.
  const module = await Deno.readTextFile(new URL("src/backend/wasm/module.gen.ts", ROOT));
  assertEquals(module, moduleOf(WASM_TEXT, compiled.length));
  const compress = (bytes: Uint8Array) => bytes.slice(0, 1001);
  assertEquals(await keptModuleText(compiled, compress), module);
  const changed = compiled.map((byte, i) => i === 1000 ? byte ^ 1 : byte);
  assertEquals(await keptModuleText(changed, compress), await moduleText(changed, compress));
});

Deno.test("text of 92 letters has known letters, and gives all bytes back", () => {
  assertEquals(encodeText(new Uint8Array()), "");
  // Bits from the lowest on: 100000, 111111 and 1 (63 is above 35), and 000 filled up.
  assertEquals(encodeText(Uint8Array.of(0b11000001, 0b00011111)), "}|!");
  const bytes = Uint8Array.from({ length: 4096 }, (_, i) => i ** 2 >> 3);
  for (const length of [1, 2, 3, 4, 5, 6, 7, 4096]) {
    const text = encodeText(bytes.subarray(0, length));
    assertMatch(text, /^[!#-[\]-~]*$/);
    assertEquals(decodeText(text).subarray(0, length), bytes.subarray(0, length));
  }
});

Deno.test("the compiled kernels import nothing from env, and export their memory", async () => {
  const module = await WebAssembly.compile(compiled);
  const imports = WebAssembly.Module.imports(module);
  assertEquals(imports.filter((one) => one.module !== "./hooke_bg.js"), []);
  const exports = WebAssembly.Module.exports(module);
  assert(exports.some(({ name, kind }) => name === "memory" && kind === "memory"));
});

Deno.test("the package returns the table of functions, which grows by more than the kernels need", () => {
  const { table } = loadModule();
  const before = table.length;
  assertEquals(table.grow(2), before);
  assertEquals(table.length, before + 2);
  assert(typeof table.get(1) === "function");
});

Deno.test("the compiled kernels know no folder of the machine that built them", () => {
  const text = new TextDecoder("latin1").decode(compiled);
  assertEquals(text.match(/\/(home|root|Users|tmp|work|build|usr)\/[\w./-]*/g), null);
});

Deno.test("the package's JavaScript names its types, and both are published", async () => {
  const script = await Deno.readTextFile(new URL("hooke.js", PACKAGE));
  assertEquals(script.split("\n")[0], '/* @ts-self-types="./hooke.d.ts" */');
  const { publish } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  for (const files of ["wasm/pkg/*.js", "wasm/pkg/*.d.ts"]) assert(publish.include.includes(files));
});
