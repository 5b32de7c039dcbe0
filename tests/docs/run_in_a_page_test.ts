// The figures of docs/howto/run_in_a_page.md. tests/e2e runs its page.
import { assert, assertEquals } from "@std/assert";
import { RUNTIME_VERSION } from "../../src/onnx/session/runtime_file.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { BUDGETS } from "../../tools/sizes/bundle_size.ts";

const PAGE = await Deno.readTextFile(new URL("docs/howto/run_in_a_page.md", ROOT));

Deno.test("the page and its error name the version of onnxruntime-web in deno.json", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  assertEquals(imports["onnxruntime-web"], `npm:onnxruntime-web@${RUNTIME_VERSION}`);
  const versions = [...PAGE.matchAll(/onnxruntime-web[@-](\d[\d.]+\d)/g)].map(([, found]) => found);
  assert(versions.length > 1);
  assertEquals(versions, versions.map(() => RUNTIME_VERSION));
});

Deno.test("the page states the budgets of bundles that the gate checks", () => {
  const rows = [...PAGE.matchAll(/\| at most (\d+) kB +\| at most (\d+) kB/g)];
  assertEquals(
    rows.map(([, start, whole]) => [1000 * Number(start), 1000 * Number(whole)]),
    BUDGETS.map(({ start, whole }) => [start, whole]),
  );
});
