// Training never waits for the network, and never fails because of it.
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { Checkpoint } from "../../src/observe/checkpoints/checkpoint.ts";
import {
  CheckpointUpload,
  type CheckpointUploadOptions,
  Heartbeat,
  ModelCheckpoint,
  Webhook,
  type WebhookEvent,
  type WebhookOptions,
} from "../../src/observe/mod.ts";
import { TaskQueue, within } from "../../src/observe/any/task_queue.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import type { TrainerParts, TrainingBase } from "../../src/training/mod.ts";
import { NotFiniteError } from "../../src/training/not_finite_error.ts";
import { until, withTimeouts } from "../timers.ts";
import { doubles, line, validating } from "./training_line.ts";

/** Requests to a server. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** A local server that records requests, and answers as configured. */
function listening(answer: (asked: Asked, count: number) => Response | Promise<Response>) {
  const asked: Asked[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname: path } = new URL(request.url), { method, headers } = request;
    const one = { method, path, headers, body: await request.bytes() };
    asked.push(one);
    return await answer(one, asked.length);
  });
  return {
    asked,
    url: `http://127.0.0.1:${server.addr.port}`,
    jsons: () => asked.map(({ body }) => JSON.parse(new TextDecoder().decode(body))),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const fine = () => new Response("taken");

/** A timeout in seconds that no test waits for: `withTimeouts` says when it expires. */
const TIMEOUT = 77;

/** Counts requests of this process until the end of the block. */
function requests(): Disposable & { readonly pending: number; readonly answered: number } {
  const { fetch } = globalThis;
  const counts = { pending: 0, answered: 0 };
  globalThis.fetch = async (...args) => {
    counts.pending++;
    try {
      return await fetch(...args);
    } finally {
      counts.pending--;
      counts.answered++;
    }
  };
  return Object.assign(counts, { [Symbol.dispose]: () => void (globalThis.fetch = fetch) });
}

/** Runs to the end, even after errors; returns the warnings. */
async function warningsOf(
  hooks: readonly object[],
  { losses = [4], ...options }: Partial<TrainerParts> & { losses?: readonly number[] } = {},
): Promise<HookWarning[]> {
  const warnings: HookWarning[] = [];
  const onWarning = (warning: HookWarning) => void warnings.push(warning);
  await using trainer = validating(losses, hooks, { onWarning, ...options });
  await trainer.train().catch(() => {});
  return warnings;
}

const failing = {
  name: "failing",
  onError: "throw",
  onEpochEnd() {
    throw new RangeError("no more");
  },
};

/** The posted texts. */
async function textsOf(
  losses: readonly number[],
  options: Partial<WebhookOptions> = {},
  more: readonly object[] = [],
): Promise<string[]> {
  await using server = listening(fine);
  const warnings = await warningsOf([new Webhook({ url: server.url, ...options }), ...more], {
    losses,
  });
  // The trainer itself warns of losses that are not finite.
  assertEquals(warnings.filter(({ error }) => !(error instanceof NotFiniteError)), []);
  assert(
    server.asked.every(({ method, headers }) =>
      method === "POST" && headers.get("content-type") === "application/json"
    ),
  );
  return server.jsons().map(({ text }) => text);
}

Deno.test("a webhook reports better models, the end, and errors", async () => {
  assertEquals(await textsOf([4, 9, 1]), [
    "New best model! Epoch 1, val/loss: 4",
    "New best model! Epoch 3, val/loss: 1",
    "Training completed! Best val/loss: 1",
  ]);
  assertEquals(await textsOf([4], {}, [failing]), [
    "New best model! Epoch 1, val/loss: 4",
    "Error in epoch 1, step 1: RangeError: no more",
    "Training failed! Best val/loss: 4",
  ]);
  const stopping = { name: "stopping", onStepEnd: (ctx: TrainingBase) => ctx.stop("enough") };
  assertEquals(
    (await textsOf([4, 9], {}, [stopping])).at(-1),
    "Training stopped (enough)! Best val/loss: 4",
  );
});

Deno.test("notifyOn selects occasions, monitor and mode the best", async () => {
  assertEquals(await textsOf([4, 1], { notifyOn: ["training_begin"] }), [
    "Training line has begun",
  ]);
  assertEquals(await textsOf([4, 1], { notifyOn: ["training_end"] }), [
    "Training completed! Best val/loss: 1",
  ]);
  assertEquals(await textsOf([4, 1, 9], { notifyOn: ["best_model"], mode: "max" }), [
    "New best model! Epoch 1, val/loss: 4",
    "New best model! Epoch 3, val/loss: 9",
  ]);
  assertEquals(await textsOf([4], { notifyOn: ["best_model"], monitor: "train/loss" }), [
    "New best model! Epoch 1, train/loss: 4", // (0 − 2)²
  ]);
  assertEquals(await textsOf([NaN, 4], { notifyOn: ["best_model"] }), [
    "New best model! Epoch 2, val/loss: 4",
  ]);
});

Deno.test("format returns the posted value", async () => {
  await using server = listening(fine);
  const format = ({ event, step, epoch, trainer }: WebhookEvent) => ({
    event,
    step,
    epoch,
    trainer,
    odd: NaN,
  });
  await warningsOf([new Webhook({ url: new URL(server.url), format })]);
  assertEquals(server.jsons(), [
    { event: "best_model", step: 1, epoch: 0, trainer: "line", odd: null },
    { event: "training_end", step: 1, epoch: 1, trainer: "line", odd: null },
  ]);
});

Deno.test("training never waits for an answer, and its end waits no longer than timeout", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let endedUnanswered = false, answers = 0;
  await using server = listening(async () => {
    await released;
    answers++;
    return fine();
  });
  let isExpired = false;
  const noting = {
    name: "noting",
    onTrainEnd() {
      endedUnanswered = answers === 0;
      setTimeout(() => isExpired = true, 50);
    },
  };
  const webhook = new Webhook({ url: server.url, timeout: TIMEOUT });
  const warnings = await withTimeouts(
    1000 * TIMEOUT,
    () => isExpired,
    () => warningsOf([webhook, noting], { losses: [9, 4, 1] }),
  );
  release();
  assert(endedUnanswered);
  assert(isExpired, "the end did not wait for answers");
  assert(server.asked.length <= 2, "each message had its time, though the run was over");
  assertEquals(warnings.length, 1);
  const { hook, stage, error } = warnings[0]!;
  assertEquals([hook, stage], ["webhook", "close"]);
  assert((error as Error).message.includes("4 of 4 failed"), (error as Error).message);
});

Deno.test("at most sixteen messages are queued: the others are dropped, and counted", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = listening(() => released.then(fine));
  const losses = Array.from({ length: 20 }, (_, i) => (20 - i) ** 2);
  let isOver = false;
  const ending = { name: "ending", onTrainEnd: () => void (isOver = true) };
  const webhook = new Webhook({ url: server.url, timeout: TIMEOUT, notifyOn: ["best_model"] });
  const warnings = await withTimeouts(
    1000 * TIMEOUT,
    () => isOver,
    () => warningsOf([webhook, ending], { losses }),
  );
  release();
  assert(
    String(warnings[0]!.error).includes("one was dropped, because 16 were waiting"),
    String(warnings[0]!.error),
  );
  assertEquals(
    warnings.slice(0, 4).every(({ stage }) => stage === "training/VALIDATION_END"),
    true,
  );
});

Deno.test("a message that cannot be posted is a warning that is counted, and training goes on", async () => {
  let hasPosted = false;
  await using server = listening(() => new Response("no", { status: 503, statusText: "Busy" }));
  using asked = requests();
  const webhook = new Webhook({ url: server.url });
  const warnings: HookWarning[] = [];
  // The run goes on when the first answer has arrived, however busy the machine is.
  const slowly = {
    name: "slowly",
    onValidationEnd: () => void (hasPosted = true),
    onStepEnd: async () => {
      await until(() => !hasPosted || asked.answered > 0);
      await new Promise((done) => setTimeout(done, 20)); // then the queue knows it, too
    },
  };
  await using trainer = validating([4, 1], [webhook, slowly], {
    onWarning: (warning) => void warnings.push(warning),
  });
  assertEquals((await trainer.train()).status, "completed");
  assert(String(warnings[0]!.error).includes("responded 503"), String(warnings[0]!.error));
  assertEquals(warnings[0]!.stage, "training/VALIDATION_END"); // reported while the run goes on
  const { errors } = trainer.hooks.list().find(({ name }) => name === "webhook")!;
  assertEquals([errors, warnings.length], [2, 2]);
  const refused = await warningsOf([new Webhook({ url: "http://127.0.0.1:9", timeout: 2 })]);
  assertEquals(refused.length, 1);
  const blind = new Webhook({ url: server.url, monitor: "val/los", notifyOn: ["best_model"] });
  assert(String((await warningsOf([blind]))[0]!.error).includes("did you mean"));
});

Deno.test("checkpoints contain the best value, so that it is reported once", async () => {
  await using server = listening(fine);
  const webhook = () => new Webhook({ url: server.url, notifyOn: ["best_model"] });
  await using trainer = validating([1], [webhook()]);
  await trainer.train();
  await using resumed = validating([4, 0.25], [webhook()], { epochs: 3 });
  await resumed.load(await trainer.save());
  await resumed.train();
  assertEquals(server.jsons().map(({ text }) => text), [
    "New best model! Epoch 1, val/loss: 1",
    "New best model! Epoch 3, val/loss: 0.25",
  ]);
  assertThrows(() => webhook().load({}), TypeError, "its state must be a result of save()");
});

Deno.test("a webhook refuses wrong options", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new Webhook({ url: "http://a", ...options }), error, text);
  refused({ url: undefined }, TypeError, "url is required: the address");
  refused({ url: "ftp://a" }, TypeError, "url must begin with http");
  refused({ notifyOn: ["end"] }, TypeError, "notifyOn must be an array of training_begin");
  refused({ timeout: 0 }, RangeError, "timeout must be above 0");
  refused({ format: 1 }, TypeError, "format must be a function");
  refused({ mode: "most" }, TypeError, "mode must be");
  refused({ timeouts: 1 }, TypeError, "did you mean");
  assertEquals(new Webhook({ url: "http://a" }).name, "webhook");
});

/** Uploads checkpoints of some epochs. */
async function uploading(
  options: CheckpointUploadOptions,
  { epochs = 2, more = [] as readonly object[] } = {},
): Promise<{ warnings: HookWarning[]; dir: string }> {
  const dir = Deno.makeTempDirSync();
  const checkpoints = new Checkpoint({ outputDir: dir, saveBest: false });
  const losses = Array.from({ length: epochs }, () => 1);
  const hooks = [checkpoints, new CheckpointUpload(options), ...more];
  return { warnings: await warningsOf(hooks, { losses }), dir };
}

Deno.test("checkpoints are put to the address, in order, with headers, complete", async () => {
  await using server = listening(fine);
  const to = `${server.url}/e{epoch}/s{step}/{name}`, headers = { authorization: "Bearer x" };
  const { warnings, dir } = await uploading({ to, headers });
  assertEquals(warnings, []);
  assertEquals(server.asked.map(({ method, path }) => `${method} ${path}`), [
    "PUT /e1/s1/checkpoint_epoch_1.hooke",
    "PUT /e2/s2/checkpoint_epoch_2.hooke",
  ]);
  assertEquals(server.asked[0]!.headers.get("authorization"), "Bearer x");
  for (const [i, { body }] of server.asked.entries()) {
    assertEquals(body, Deno.readFileSync(`${dir}/checkpoint_epoch_${i + 1}.hooke`));
  }
});

Deno.test("an upload is retried as often as the option says; then it is a warning", async () => {
  await using server = listening((_, count) =>
    count < 3 ? new Response("", { status: 500 }) : fine()
  );
  const to = `${server.url}/{name}`;
  assertEquals((await uploading({ to }, { epochs: 1 })).warnings, []);
  assertEquals(server.asked.length, 3); // two retries by default
  await using broken = listening(() => new Response("", { status: 500 }));
  const options = { to: `${broken.url}/{name}`, retries: 0 };
  const { warnings } = await uploading(options, { epochs: 1 });
  assertEquals([broken.asked.length, warnings.length, warnings[0]!.hook], [
    1,
    1,
    "checkpoint_upload",
  ]);
  assert(String(warnings[0]!.error).includes("1 of 1 failed"), String(warnings[0]!.error));
});

Deno.test("a slow answer is aborted after timeout", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = listening(() => released.then(fine));
  const options = { to: server.url, timeout: TIMEOUT, retries: 1 };
  let expired = 0;
  const { warnings } = await withTimeouts(
    1000 * TIMEOUT,
    () => server.asked.length > expired && ++expired > 0,
    () => uploading(options, { epochs: 1 }),
  );
  release();
  assert(
    String(warnings[0]!.error).includes(`it took longer than ${TIMEOUT} s`),
    String(warnings[0]!.error),
  );
  assertEquals(server.asked.length, 2);
});

Deno.test("a file is uploaded even if it was deleted in the meantime", async () => {
  await using server = listening(async () => {
    await new Promise((done) => setTimeout(done, 50));
    return fine();
  });
  const dir = Deno.makeTempDirSync();
  const best = new ModelCheckpoint({ dir, saveTopK: 1, saveLast: false, filename: "e{epoch}" });
  const upload = new CheckpointUpload({ to: `${server.url}/{name}` });
  assertEquals(await warningsOf([best, upload], { losses: [9, 4, 1] }), []);
  assertEquals([...Deno.readDirSync(dir)].map(({ name }) => name), ["e2.hooke"]);
  assertEquals(server.asked.map(({ path }) => path), ["/e0.hooke", "/e1.hooke", "/e2.hooke"]);
  assert(server.asked.every(({ body }) => body.length > 100));
});

Deno.test("run receives paths one after another; training waits only if four are queued", async () => {
  const running: string[] = [], steps: number[] = [];
  let atOnce = 0, most = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const run: CheckpointUploadOptions["run"] = async (path, { name, step, epoch, signal }) => {
    most = Math.max(most, ++atOnce);
    await released;
    assert(path.endsWith(name) && !signal.aborted);
    running.push(`${name} ${step} ${epoch}`);
    atOnce--;
  };
  const noting = {
    name: "noting",
    onStepEnd({ stepCount }: TrainingBase) {
      steps.push(stepCount);
      if (stepCount === 4) setTimeout(release, 100); // four are queued now, the fifth comes next
    },
  };
  const { warnings } = await uploading({ run, name: "copy" }, { epochs: 6, more: [noting] });
  assertEquals(warnings, []);
  assertEquals([most, running.length], [1, 6]);
  assertEquals([running[0], running[5]], [
    "checkpoint_epoch_1.hooke 1 1",
    "checkpoint_epoch_6.hooke 6 6",
  ]);
  const thrown = await uploading({
    retries: 0,
    run: () => {
      throw new Error("no room");
    },
  }, { epochs: 1 });
  assert(String(thrown.warnings[0]!.error).includes("no room"));
});

Deno.test("an upload refuses wrong options", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new CheckpointUpload(options), error, text);
  refused({}, TypeError, 'either "to" or "run" is required, and not both');
  refused(
    { to: "http://a", run() {} },
    TypeError,
    'either "to" or "run" is required, and not both',
  );
  refused({ to: "s3://a" }, TypeError, "to must begin with http");
  refused(
    { to: "http://a/{nam}" },
    RangeError,
    'names in "to" must be one of name, step, epoch',
  );
  refused({ run: 1 }, TypeError, "run must be a function");
  refused({ to: "http://a", headers: { a: 1 } }, TypeError, "headers must be an object of strings");
  refused({ to: "http://a", timeout: 0 }, RangeError, "timeout must be above 0");
  refused({ to: "http://a", retries: -1 }, RangeError, "retries must be a non-negative integer");
  refused({ to: "http://a", retrys: 1 }, TypeError, "did you mean");
  assertEquals(new CheckpointUpload({ to: "http://a" }).name, "checkpoint_upload");
});

Deno.test("a heartbeat file is always complete, from begin to end", async () => {
  const path = `${Deno.makeTempDirSync()}/beat.json`, seen: Record<string, unknown>[] = [];
  const looking = {
    name: "looking",
    async onEpochEnd() {
      await until(() => Deno.stat(path).then(() => true, () => false));
      seen.push(JSON.parse(await Deno.readTextFile(path)));
    },
  };
  await using trainer = line([new Heartbeat({ path }), looking], { epochs: 2 });
  await trainer.train();
  const { time, ...rest } = seen[0]!;
  assertEquals(rest, { status: "training", step: 0, epoch: 0, loss: null }); // of the begin: 30 s have not passed
  assertEquals(new Date(time as string).toISOString(), time);
  const last = JSON.parse(await Deno.readTextFile(path));
  assertEquals([last.status, last.step, last.loss], ["completed", 8, trainer.state.latestLoss]);
});

Deno.test("a heartbeat is posted at the interval of everySeconds, during validation, too", async () => {
  await using server = listening(fine);
  using asked = requests();
  // Long enough for another beat, and for the answer to the one before.
  const wait = async () => {
    await new Promise((done) => setTimeout(done, 20));
    await until(() => asked.pending === 0);
    await new Promise((done) => setTimeout(done, 10));
  };
  const slowly = { name: "slowly", onBatchEnd: wait };
  const during = { name: "during", onValidationBatchBegin: wait };
  const beats = async (everySeconds: number, options: Partial<TrainerParts>) => {
    server.asked.length = 0;
    const hooks = [new Heartbeat({ url: server.url, everySeconds }), slowly, during];
    await using trainer = line(hooks, options);
    await trainer.train();
    return server.jsons();
  };
  assertEquals((await beats(60, {})).map(({ step }) => step), [0, 4]);
  const often = await beats(0.01, { data: doubles([1]), validation: doubles([1, 2, 3, 4]) });
  assert(often.length > 3, JSON.stringify(often));
  assert(often.every(({ step }) => step <= 1));
});

Deno.test("a heartbeat that fails is a warning; if it is slow, beats are skipped, except the last", async () => {
  const missing = `${Deno.makeTempDirSync()}/none/beat.json`;
  const [warning] = await warningsOf([new Heartbeat({ path: missing })]);
  assertMatch(
    String(warning!.error),
    /Cannot beat: .*Cannot write .*beat\.json: there is no such file or folder$/,
  );
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const ending = { name: "ending", onTrainEnd: () => end() };
  await using server = listening(async (_, count) => {
    if (count === 1) await isOver;
    return fine();
  });
  const path = new URL(`file://${Deno.makeTempDirSync()}/beat.json`);
  const slow = new Heartbeat({ url: server.url, path, everySeconds: 1e-6 });
  assertEquals(await warningsOf([slow, ending], { losses: [9, 4, 1] }), []);
  assertEquals(server.jsons().map(({ status }) => status), ["training", "completed"]);
  assertEquals(JSON.parse(await Deno.readTextFile(path)).status, "completed");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using stuck = listening(() => released.then(fine));
  let hasEnded = false;
  const noting = { name: "noting", onTrainEnd: () => void (hasEnded = true) };
  const late = await withTimeouts(
    1000 * TIMEOUT,
    () => hasEnded,
    () => warningsOf([new Heartbeat({ url: stuck.url, timeout: TIMEOUT }), noting]),
  );
  release();
  assertEquals(late.map(({ stage }) => stage), ["close"]);
});

Deno.test("a heartbeat refuses wrong options", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new Heartbeat(options), error, text);
  refused({}, TypeError, "path or url is required");
  refused({ path: 3 }, TypeError, "path must be a path");
  refused({ url: "a" }, TypeError, "url must begin with http");
  refused({ path: "a", everySeconds: 0 }, RangeError, "everySeconds must be above 0");
  refused({ path: "a", timeout: -1 }, RangeError, "timeout must be above 0");
  refused({ path: "a", everySecond: 1 }, TypeError, "did you mean");
  assertEquals(new Heartbeat({ path: "a" }).name, "heartbeat");
});

Deno.test("a queue runs tasks in order, aborts them at the end, and throws its errors once", async () => {
  const queue = new TaskQueue("work", 2), done: number[] = [];
  queue.push(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    done.push(1);
  });
  queue.push(() => Promise.reject(new RangeError("two")));
  assertEquals([queue.isIdle, done], [false, []]);
  await queue.room();
  assertEquals(done, [1]);
  await assertRejects(
    () => queue.finish(),
    Error,
    "Cannot work: 1 of 2 failed, the first with: two",
  );
  await queue.finish();
  assertEquals(queue.isIdle, true);
  const never = (signal: AbortSignal) => within(60, () => new Promise<void>(() => {}), signal);
  queue.push(never);
  await assertRejects(() => queue.finish(0.02), Error, "the run has ended");
});
