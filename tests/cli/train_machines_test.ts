import { assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";
import { hashFrames, hashHooks } from "../../src/cli/train/shared_state.ts";
import { inputs } from "./argon_frames.ts";
import { hooke, tempFolder } from "./session.ts";

Deno.test("wrong options of machines are named, and a dry run shows the shards", async () => {
  await using folder = await tempFolder();
  const { model, frames } = await inputs(folder.path);
  const common = ["fine-tune", model, frames, "--set", "modelOptions.cutoff=5", "--dry-run"];
  const refused = [
    ["--nnodes 2 --node-rank 0", "--rendezvous is required with --nnodes"],
    ["--node-rank 0", "--node-rank: it has no effect without --nnodes"],
    ["--nnodes 4 --shards 2 --rendezvous x", "--shards 2: it must be at least --nnodes, 4"],
    ["--shards 8", "Cannot use 8 shards: a batch has only 4 frames"],
    ["--nnodes 2 --node-rank 2 --rendezvous x", "--node-rank 2: it must be below --nnodes, 2"],
  ];
  for (const [options, message] of refused) {
    const { code, err } = await hooke([...common, ...options!.split(" ")]);
    assertEquals(code, 2);
    assertStringIncludes(err, message!);
  }
  const { out } = await hooke([
    ...common,
    ...("--nnodes 2 --node-rank 1 --rendezvous x".split(" ")),
  ]);
  const { shards, nnodes, rendezvous } = JSON.parse(out);
  assertEquals([shards, nnodes, rendezvous], [2, undefined, undefined]);
});

Deno.test("machines notice stresses and modules of hooks that differ", async () => {
  const hashOf = (stress: number) => {
    const head = `REF_stress="${stress} 0 0 0 1 0 0 0 1" Properties=species:S:1:pos:R:3`;
    const systems = parseExtxyz(`1\n${head}\nAr 0 0 0\n`);
    return hashFrames(systems.map((system) => ({ system, file: "a", frame: 0, label: "a" })));
  };
  assertEquals(hashOf(1), hashOf(1));
  assertNotEquals(hashOf(1), hashOf(2));
  await using folder = await tempFolder();
  const path = `${folder.path}/clip.ts`;
  await Deno.writeTextFile(path, "export const clip = 1;");
  const before = await hashHooks([`${path}#clip`]);
  await Deno.writeTextFile(path, "export const clip = 2;");
  assertNotEquals(await hashHooks([`${path}#clip`]), before);
  assertEquals(await hashHooks([`${folder.path}/missing.ts`]), [null]);
});
