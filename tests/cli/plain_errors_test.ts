import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { System } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { failureText } from "../../src/cli/frame/failure.ts";
import { framesOf } from "../../src/cli/run/structures.ts";
import { NotFiniteError } from "../../src/training/not_finite_error.ts";
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

test("errors of unstable runs and of training are shown without a stack, in flags", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/a.xyz`;
  const dimer = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 2.2, 0, 0] });
  await Deno.writeTextFile(path, writeExtxyz([dimer]));
  const options = ["--steps", "200", "--dt", "2", "--set", "engineOptions.strict=true", "-q"];
  const { code, err } = await hooke(["md", path, ...options, "-o", `${folder.path}/run`]);
  assertEquals(code, 1);
  assert(!err.includes("\n    at ") && !err.includes("UnstableError"), err);
  const tensors = Array.from({ length: 90 }, (_, i) => ({ tensor: `gradient ${i}`, count: 1 }));
  const error = new NotFiniteError("Trainer", { epoch: 0, batch: 2, step: 2, tensors });
  assertEquals(error.tensors.length, 90);
  const text = failureText(error, { program: "hooke", args: [] });
  assert(text.length < 400 && !text.includes("gradient 5 "), text);
  assertStringIncludes(text, "gradient 4 (1 number), and 85 more. Look");
  assertStringIncludes(text, "then try a smaller --lr, or --clip-grad 1");
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
