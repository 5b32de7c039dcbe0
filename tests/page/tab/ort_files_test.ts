import { assert, assertEquals } from "@std/assert";
import { ORT_FILES, ORT_SCRIPTS } from "../../../src/page/ort_files.ts";
import { pageAsset } from "../../../src/page/server/page_assets.ts";

Deno.test("the server sends the files of onnxruntime-web that the worker of a tab asks for, and no others", async () => {
  for (const { file } of ORT_SCRIPTS) {
    const script = await pageAsset(`/ort/${file}`);
    assertEquals(script?.type, "text/javascript; charset=utf-8");
    const text = new TextDecoder().decode(script!.body as Uint8Array);
    const wasm = /ort-wasm-simd-threaded(\.\w+)?\.wasm/.exec(text)?.[0];
    assert(ORT_FILES.includes(wasm!), `${file} asks for ${wasm}`);
  }
  for (const path of ["/ort/", "/ort/package.json", "/ort/../package.json"]) {
    assertEquals(await pageAsset(path), undefined);
  }
});
