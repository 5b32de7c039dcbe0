/** The command `hooke bench` on all devices of the machine. */

import { assert, assertEquals } from "@std/assert";
import { fcc } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { hooke, tempFolder } from "./session.ts";

Deno.test("each device has figures, or a reason why it has none", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/a.xyz`, model = `${folder.path}/lj.onnx`;
  await Deno.writeTextFile(file, writeExtxyz([fcc({ element: "Ar", a: 5.26, cells: 2 })]));
  await Deno.writeFile(model, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 }));
  const args = ["bench", file, "--model", model, "--time", "0.5", "--threads", "2", "--json"];
  const { code, out } = await hooke(args);
  assertEquals(code, 0);
  const { rows } = JSON.parse(out) as {
    rows: { name: string; figures?: { steps: number; runtime: string }; missing?: string }[];
  };
  assertEquals(rows.slice(0, 2).map(({ name }) => name), ["wasm, 1 thread", "wasm, 2 threads"]);
  for (const { name, figures, missing } of rows) {
    assert(figures !== undefined ? figures.steps > 0 : missing !== "", name);
  }
  assertEquals(rows[1]!.figures?.runtime, "onnxruntime-web (WebAssembly), 2 threads");
});
