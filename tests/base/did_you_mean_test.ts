// What is suggested for a name that is not known.
import { assertEquals, assertThrows } from "@std/assert";
import { nearest } from "../../src/base/did_you_mean.ts";
import { NVE, NVTLangevin } from "../../src/dynamics/mod.ts";
import { CheckpointHook, LoggingHook, SnapshotHook } from "../../src/observe/mod.ts";
import { openRunFolder } from "../../src/config/runs/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON } from "../dynamics/atoms.ts";

Deno.test("a name of other programs is known by its name here, a misspelled one by its letters", () => {
  const options = ["dt", "temperature", "friction", "model", "hooks", "nSteps", "device"];
  const cases = { temp: "temperature", T: "temperature", timeStep: "dt", time_step: "dt" };
  for (const [word, name] of Object.entries(cases)) assertEquals(nearest(word, options), name);
  assertEquals(nearest("potential", options), "model");
  assertEquals(nearest("temprature", options), "temperature");
  assertEquals(nearest("frict", options), "friction");
  assertEquals(nearest("zebra", options), undefined);
  assertEquals(nearest("constructor", options), undefined);
});

Deno.test("options of engines, hooks and run folders are suggested for common names", async () => {
  const model = ARGON, folder = "checkpoints", sink = new MemorySink();
  const cases: [() => unknown, string][] = [
    [() => new NVTLangevin({ model, dt: 1, temp: 40 } as never), "temperature"],
    [() => new NVE({ model, timestep: 1 } as never), "dt"],
    [() => new NVE({ model, dt: 1, device: "gpu" as never }), "webgpu"],
    [() => new NVE({ model, dt: 1, device: "cpu" as never }), "wasm"],
    [() => new CheckpointHook({ folder, keep: 2 } as never), "keepLast"],
    [() => new CheckpointHook({ folder, every: 10 } as never), "everySteps"],
    [() => new CheckpointHook({ path: folder } as never), "folder"],
    [() => new SnapshotHook({ sink, every: 10 } as never), "frequency"],
    [() => new SnapshotHook({ path: "x.xyz" } as never), "sink"],
    [() => new LoggingHook({ backend: "csv", path: "x.csv" } as never), "logPath"],
  ];
  for (const [make, name] of cases) assertThrows(make, Error, `; did you mean ${name}?`);
  const checkpoints = { frequency: 10 } as never;
  const error = await openRunFolder("never made", { checkpoints }).catch((error) => error);
  assertEquals(error.message.endsWith("; did you mean every?"), true, error.message);
});
