/** Training over onnxruntime-node: the losses of onnxruntime-web, and the same bits in every run and with resumption. */
import { assert, assertEquals } from "@std/assert";
import { assertWithin } from "../onnx/assert_within.ts";
import { smallTrainer, trained } from "./small_trainer.ts";

Deno.test("native code trains to the losses and parameters that WebAssembly trains to", async () => {
  const native = await trained([], { runtime: "native", epochs: 20 });
  const web = await trained([], { runtime: "web", epochs: 20 });
  assertEquals(native.losses.length, 40);
  assert(native.losses.at(-1)! < 0.5 * native.losses[0]!);
  assertWithin("losses", native.losses, web.losses, 1e-5);
  for (const [name, values] of Object.entries(web.parameters)) {
    assertWithin(name, native.parameters[name]!, values, 1e-5);
  }
  assertEquals(await trained([], { runtime: "native", epochs: 20 }), native);
});

Deno.test("native code in two workers trains to what it trains to without workers", async () => {
  const alone = await trained([], { runtime: "native" });
  const shared = await trained([], { runtime: "native", workers: 2 });
  assertWithin("losses", shared.losses, alone.losses, 1e-6);
});

Deno.test("native sessions of closed trainers leave no memory behind", async () => {
  const open = async () => {
    await using trainer = smallTrainer([], { runtime: "native" });
    await trainer.train();
  };
  for (let i = 0; i < 30; i++) await open();
  const before = Deno.memoryUsage().rss;
  for (let i = 0; i < 120; i++) await open();
  const grown = (Deno.memoryUsage().rss - before) / 2 ** 20;
  assert(grown < 30, `${grown.toFixed(1)} MB after 120 trainers`);
});
