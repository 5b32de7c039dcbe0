import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { System } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { framesOf } from "../../src/cli/run/structures.ts";
import { slowTest, test } from "../suite.ts";
import { hooke, tempFolder } from "./session.ts";

const argon = writeExtxyz([new System({ symbols: ["Ar"], positions: [0, 0, 0] })]);

test("errors of the file system are shown without a stack", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await Deno.writeTextFile(at("a.xyz"), argon);
  await Deno.symlink(at("loop.xyz"), at("loop.xyz"));
  await Deno.mkdir(at("folder.xyz"));
  await Deno.mkdir(at("folder.onnx"));
  const lines = [
    ["singlepoint", at("a.xyz/b.xyz")],
    ["singlepoint", at("loop.xyz")],
    ["singlepoint", at("folder.xyz")],
    ["singlepoint", at("a.xyz"), "-o", at("loop.xyz")],
    ["singlepoint", at("a.xyz"), "-m", at("loop.onnx")],
    ["relax", at("a.xyz"), "-o", at("a.xyz/b.xyz")],
    ["inspect", at("folder.xyz")],
    ["md", at("a.xyz"), "-o", at("a.xyz")],
    ["md", at("a.xyz"), "-o", at("a.xyz/run")],
    ["screen", at("a.xyz"), "-o", at("loop.xyz")],
    ["convert", at("folder.xyz"), at("out.cif")],
  ];
  for (const args of lines) {
    const { code, err } = await hooke(args);
    assert(code === 1 || code === 2, args.join(" "));
    assert(!err.includes("\n    at "), err);
    assertStringIncludes(err, "Cannot ");
  }
});

test("ranges of frames are as in ASE, and others are refused", async () => {
  assertEquals(framesOf("0:5:2", 6), [0, 2, 4]);
  assertEquals(framesOf("-2:", 6), [4, 5]);
  assertEquals(framesOf("1::3", 6), [1, 4]);
  for (const range of ["-", "0:2:0", "0:2:-1", "0:1:2:3", "1-2"]) {
    const { code, err } = await hooke(["inspect", `two.xyz@${range}`]);
    assertEquals(code, 2);
    assertStringIncludes(err, "the frames must be INDEX, FROM:TO or FROM:TO:STEP");
  }
});

slowTest("inspect describes 200,000 frames", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/many.xyz`;
  await Deno.writeTextFile(path, argon.repeat(200_000));
  const { code, out } = await hooke(["inspect", path]);
  assertEquals(code, 0);
  assertStringIncludes(out, "200000 structures");
});
