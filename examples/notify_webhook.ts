/**
 * Posts a message to a chat when a model is the best so far, and when training ends. Training never waits for the
 * server, and continues if the server is down. The example starts a server of its own.
 *
 * Run: `deno run -P=net examples/notify_webhook.ts`
 */
import { Webhook, type WebhookEvent } from "@hooke/hooke/observe";
import { GraphBuilder, meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke";

const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
  console.log("posted:", JSON.stringify(await request.json()));
  return new Response();
});
const url = `http://127.0.0.1:${server.addr.port}/hooks/training`;

const builder = new GraphBuilder("line"); // y = w x
const x = builder.input("x", "f32", ["B", 1]);
const w = builder.parameter("w", [0], [1, 1]);
builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
const data = tensorData({
  x: { data: Float32Array.of(1, 2), dims: [2, 1] },
  target: { data: Float32Array.of(2, 4), dims: [2, 1] },
}, { batchSize: 2 });
const parts = {
  model: builder.build(),
  loss: meanSquaredError(),
  data,
  validation: data,
  optimizers: sgd({ lr: 0.25 }),
  epochs: 3,
};

{
  const format = ({ event, text, step }: WebhookEvent) => ({
    text,
    step,
    channel: event === "exception" ? "#alarms" : "#training",
  });
  await using trainer = new Trainer({
    ...parts,
    hooks: [new Webhook({ url, notifyOn: ["best_model", "training_end"], format })],
  });
  await trainer.train();
}
await server.shutdown();

// The server is gone: a message that cannot be posted is a warning.
let warnings = 0;
await using trainer = new Trainer({
  ...parts,
  hooks: [new Webhook({ url, timeout: 1 })],
  onWarning: () => void warnings++,
});
const { status } = await trainer.train();
console.log(`without the server: ${status}, ${warnings > 0 ? "with" : "without"} a warning`);
