/**
 * The command `hooke doctor`.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { fcc, rattle } from "../../batch/crystal.ts";
import { pickDevice } from "../../backend/webgpu/pick.ts";
import { versions } from "../../config/versions.ts";
import { NVE } from "../../dynamics/integrators/nve.ts";
import { lennardJones } from "../../models/pair/lennard_jones.ts";
import { findNativeRuntime } from "../../onnx/session/native/native_runtime.ts";
import { findNavigator } from "../../platform/page.ts";
import { isDeno } from "../../platform/process.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { NOBLE_GASES } from "../run/noble_gases.ts";
import { formatNames } from "../run/formats.ts";
import type { DoctorSettings } from "./settings.ts";

/** One finding: its state, and what to do if something is slow. */
interface Finding {
  readonly name: string;
  readonly found: string;
  /** What is slow or missing, why, and how to change it; undefined if all is well. */
  readonly advice?: string;
}

/** Prints what the machine has. */
export async function doctor({ json }: DoctorSettings, { terminal }: CommandRun): Promise<number> {
  const findings = [
    runtime(),
    processors(),
    await gpu(),
    await native(),
    ...formats(),
    await speed(),
  ];
  if (json) {
    terminal.print(JSON.stringify({ type: "doctor", findings }));
    return ExitCode.DONE;
  }
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2;
  for (const { name, found, advice } of findings) {
    terminal.print(`${name.padEnd(width)}${found}`);
    if (advice !== undefined) terminal.print(`${" ".repeat(width)}→ ${advice}`);
  }
  return ExitCode.DONE;
}

function runtime(): Finding {
  const { hooke, deno, node, platform } = versions();
  const host = deno === undefined ? `Node ${node}` : `Deno ${deno}`;
  return { name: "Hooke", found: `${hooke} on ${host}, ${platform}` };
}

function processors(): Finding {
  const count = (findNavigator() as { hardwareConcurrency?: number } | undefined)
    ?.hardwareConcurrency ?? 1;
  return {
    name: "processors",
    found: String(count),
    ...(count > 1 && {
      advice:
        `Commands use 1 thread. --threads ${count} divides the structures of a batch, or an ONNX model, among ${count}`,
    }),
  };
}

async function gpu(): Promise<Finding> {
  const { device, info, skipped } = await pickDevice("auto");
  if (device === "webgpu") {
    const { vendor = "", architecture = "", description = "" } = info ?? {};
    const name = [vendor, architecture, description].filter((text) => text !== "").join(" ");
    return {
      name: "WebGPU",
      found: name || "yes",
      advice: "Built-in potentials use it with --device webgpu, ONNX models without an option",
    };
  }
  return {
    name: "WebGPU",
    found: `not used: ${skipped.map(({ reason }) => reason).join("; ")}`,
    advice: "Commands run on the processor. A GPU needs a driver for Vulkan, Metal or DirectX 12",
  };
}

async function native(): Promise<Finding> {
  const name = "native ONNX";
  const found = await findNativeRuntime(false);
  if ("runtime" in found) return { name, found: "onnxruntime-node is used" };
  return {
    name,
    found: `not used: ${found.reason}`,
    advice: "ONNX models run in WebAssembly, which is slower. " +
      (isDeno()
        ? "Install npm:onnxruntime-node in the project, and allow native code by --allow-ffi"
        : "Install the npm package onnxruntime-node"),
  };
}

function formats(): readonly Finding[] {
  return [
    { name: "reads", found: formatNames("read").replaceAll(",", "") },
    { name: "writes", found: formatNames("write").replaceAll(",", "") },
    { name: "potentials", found: `.onnx files; lj for ${Object.keys(NOBLE_GASES).join(", ")}` },
  ];
}

/** Number of measured steps. */
const STEPS = 200;

/** Measures dynamics of argon on one thread. */
async function speed(): Promise<Finding> {
  const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 5 }), 0.05, 1)]);
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  const md = new NVE({ model, dt: 2 });
  try {
    await md.run(batch, 20); // the first steps also compile code
    const begun = performance.now();
    await md.run(batch, STEPS);
    const ms = (performance.now() - begun) / STEPS;
    return {
      name: "speed",
      found: `${+(ms * 1e6 / batch.nodeCount).toPrecision(3)} ns per atom and step, argon of ` +
        `${batch.nodeCount} atoms on one thread`,
    };
  } finally {
    await md.close();
  }
}
