import { assertEquals, assertThrows } from "@std/assert";
import { MD } from "../../../src/cli/md/table.ts";
import { RELAX } from "../../../src/cli/relax/table.ts";
import { FINE_TUNE } from "../../../src/cli/train/table.ts";
import { describeOptions, readTabSettings, TASK_OPTIONS } from "../../../src/page/tab/settings.ts";

Deno.test("options of a tab have the names and defaults of the commands, except that the device is auto", () => {
  for (const { name, options } of [MD, RELAX, FINE_TUNE]) {
    const own = TASK_OPTIONS[name as keyof typeof TASK_OPTIONS];
    const commands = options as Readonly<Record<string, { readonly initial: unknown }>>;
    for (const [option, { initial }] of Object.entries(own)) {
      assertEquals(initial, option === "device" ? "auto" : commands[option]!.initial, option);
    }
  }
  const { temperature, dt, seed, ensemble } = readTabSettings("md", { temperature: 40 });
  assertEquals([temperature, dt, seed, ensemble], [40, 1, 0, "nvt"]);
  assertEquals(readTabSettings("relax", {}).fmax, 0.05);
});

Deno.test("values out of the limits, and unknown options, are errors in words", () => {
  const cases = [
    [{ temperature: -1 }, "Cannot use temperature: it must be a number of at least 0; got -1"],
    [{ dt: 0 }, "Cannot use dt: it must be a number above 0; got 0"],
    [{ steps: 1.5 }, "Cannot use steps: it must be an integer of at least 0; got 1.5"],
    [{ device: "cuda" }, "Cannot use device: it must be one of auto, webgpu, wasm, reference"],
    [{ temprature: 40 }, "unknown option temprature; did you mean temperature?"],
    [{ steps: 1, time: 1 }, "Cannot use time together with steps"],
    [{ time: 1e-6 }, "shorter than half a step of 1 fs"],
  ] as const;
  for (const [given, message] of cases) {
    assertThrows(() => readTabSettings("md", given), Error, message);
  }
});

Deno.test("the form receives options as data", () => {
  const { md, relax } = structuredClone(describeOptions());
  const of = (name: string) => md.find((option) => option.name === name);
  assertEquals(of("temperature")?.initial, 300);
  assertEquals(of("ensemble")?.choices, ["nve", "nvt", "npt", "nph"]);
  assertEquals([of("seed")?.isNumber, of("modelOptions")?.isObject], [true, true]);
  assertEquals(of("constraints")?.isList, true);
  assertEquals(relax[0]?.help, RELAX.options.fmax.help);
});
