/** Threads that hang or end without a word. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { BackendUnavailableError, call, openThreads } from "../../src/backend/mod.ts";
import { WorkerPort } from "../../src/backend/threads/worker_port.ts";
import type { WorkerReply, WorkerRequest } from "../../src/backend/threads/requests.ts";
import { advance } from "../../src/kernels/integrate/advance.ts";
import { drift } from "../../src/kernels/integrate/drift.ts";
import { Lab } from "../../src/testing/lab.ts";
import { slowTest, test } from "../suite.ts";
import { inVirtualTime } from "../timers.ts";

/** A worker with scripted answers: `answer` is called for each message. */
function fakeWorker(
  answer: (requests: readonly WorkerRequest[], post: (reply: WorkerReply) => void) => void,
): Worker {
  const worker = {
    onmessage: (_: { readonly data: WorkerReply }) => {},
    postMessage: (requests: readonly WorkerRequest[]) =>
      answer(requests, (data) => worker.onmessage({ data })),
    terminate: () => {},
  };
  return worker as unknown as Worker;
}

/** Replies to runs, as if all their steps were done. */
function done(requests: readonly WorkerRequest[]): WorkerReply {
  const values = requests.flatMap((one) =>
    one.kind === "run" && one.ticket !== undefined
      ? [{ ticket: one.ticket, value: { done: one.steps, isHalted: false } }]
      : []
  );
  return { values, error: undefined };
}

/** Runs ten steps on two threads. */
async function runOn(workers: readonly (() => Worker)[], timeout: number): Promise<number> {
  let started = 0;
  const backend = openThreads(2, { worker: () => workers[started++]!(), timeout });
  try {
    const lab = new Lab(backend, [1, 1]);
    return await backend.run(backend.prepare(lab.frame, [call(advance, {})]), 0, 10);
  } finally {
    backend.dispose();
  }
}

/** Registers a test of timeouts, whose time does not depend on how busy this machine is. */
function timedTest(name: string, test: () => Promise<void>): void {
  Deno.test(name, () => inVirtualTime(test));
}

timedTest(
  "a thread without a reply is detected, and pending calls are rejected with its name",
  async () => {
    const works = () => fakeWorker((requests, post) => queueMicrotask(() => post(done(requests))));
    const error = await assertRejects(
      () => runOn([works, () => fakeWorker(() => {})], 40),
      BackendUnavailableError,
      "thread 2 of 2 did not respond for 40 ms",
    );
    assertEquals([error.backend, error.reason, error.during], ["wasm", "hung", "run"]);
  },
);

timedTest("a thread may take longer than the timeout if it sends heartbeats", async () => {
  const slow = () =>
    fakeWorker((requests, post) => {
      let signs = 0;
      const timer = setInterval(() => {
        post(signs < 20 ? { values: [], error: undefined } : done(requests));
        if (++signs > 20) clearInterval(timer);
      }, 8);
    });
  assertEquals(await runOn([slow, slow], 60), 10);
});

timedTest("threads that wait for each other are detected, although they are alive", async () => {
  const timers: ReturnType<typeof setTimeout>[] = [];
  const waits = () =>
    fakeWorker((_, post) => {
      const sign = () => post({ values: [], error: undefined, isWaiting: true });
      timers.push(setInterval(sign, 8));
    });
  const hangs = new Promise((_, reject) => {
    timers.push(setTimeout(() => reject(new Error("the run hangs")), 5000));
  });
  const run = () => Promise.race([runOn([waits, waits], 60), hangs]);
  await assertRejects(run, BackendUnavailableError, "did not respond for 60 ms");
  for (const timer of timers) clearTimeout(timer);
});

timedTest(
  "a thread may wait for longer than the timeout if another one makes progress",
  async () => {
    const member = (isWaiting: boolean) => () =>
      fakeWorker((requests, post) => {
        let signs = 0;
        const timer = setInterval(() => {
          post(signs < 20 ? { values: [], error: undefined, isWaiting } : done(requests));
          if (++signs > 20) clearInterval(timer);
        }, 8);
      });
    assertEquals(await runOn([member(true), member(false)], 60), 10);
  },
);

timedTest("idle threads need no heartbeats", async () => {
  const works = () => fakeWorker((requests, post) => queueMicrotask(() => post(done(requests))));
  const backend = openThreads(1, { worker: works, timeout: 20 });
  const lab = new Lab(backend, [1]);
  const program = backend.prepare(lab.frame, [call(advance, {})]);
  for (const first of [0, 10]) {
    assertEquals(await backend.run(program, first, 10), 10);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  backend.dispose();
});

test("the timeout of threads must be positive", () => {
  for (const wrong of [0, -1, NaN, Infinity]) {
    assertThrows(() => openThreads(1, { timeout: wrong }), RangeError, "timeout must be above 0");
  }
});

test("a thread sends heartbeats within a run of many steps", () => {
  let signs = 0;
  const port = new WorkerPort(() => signs++);
  const names = ["offsets", "active", "ids", "ages", "control"] as const;
  const first = { offsets: [0, 1], active: [1], ids: [7], ages: [0], control: [0, 0, 0, 0] };
  for (const [id, name] of names.entries()) {
    const values = Int32Array.from(first[name]);
    port.handle({ kind: "alloc", id, dtype: "i32", length: values.length });
    port.handle({ kind: "write", id, values, at: 0 });
  }
  const frame = { systems: 1, offsets: 0, active: 1, ids: 2, ages: 3, control: 4 };
  port.handle({ kind: "frame", id: 5, frame, team: undefined });
  const call = {
    name: "advance",
    args: {},
    pair: undefined,
    canHalt: false,
    needsWhole: false,
    given: {},
  };
  const calls = [{ ...call, every: undefined, phase: undefined }];
  port.handle({ kind: "prepare", id: 6, frame: 5, calls });
  const run = (first: number, steps: number) =>
    port.handle({ kind: "run", id: 6, first, steps, ticket: 0 });
  const ages = () => port.handle({ kind: "read", ids: [3], ticket: 0 });
  assertEquals(run(0, 1000), { done: 1000, isHalted: false });
  assertEquals([signs > 0, ages()], [true, [Int32Array.of(1000)]]);
  signs = 0;
  assertEquals(run(1000, 10), { done: 10, isHalted: false });
  assertEquals([signs, ages()], [0, [Int32Array.of(1010)]]); // it knows now how many steps are few
});

for (const script of ["onmessage = () => { for (;;); }", "onmessage = () => close()"]) {
  slowTest(`a worker without a reply is detected: ${script}`, async () => {
    const worker = () => new Worker(`data:text/javascript,${script}`, { type: "module" });
    const works = () => fakeWorker((requests, post) => queueMicrotask(() => post(done(requests))));
    await assertRejects(
      () => runOn([worker, works], 500),
      BackendUnavailableError,
      "thread 1 of 2 did not respond for 500 ms",
    );
  });
}

slowTest(
  "a worker of this package sends heartbeats while it handles a message",
  async () => {
    let signs = 0;
    const worker = () => {
      const real = new Worker(
        new URL("../../src/backend/threads/thread_worker.ts", import.meta.url),
        { type: "module" },
      );
      real.addEventListener("message", () => signs++);
      return real;
    };
    const backend = openThreads(1, { worker });
    const lab = new Lab(backend, [200_000]);
    const velocities = lab.real(new Float32Array(600_000), "node");
    const positions = lab.real(new Float32Array(600_000), "node");
    const dt = lab.real([1], "system");
    const step = call(drift, { positions, velocities, dt, fraction: 1 });
    const program = backend.prepare(lab.frame, new Array(2000).fill(step));
    for (let k = 0; k < 8; k++) backend.run(program, k, 1);
    await lab.read(dt);
    assertEquals(signs > 1, true, `${signs} messages`);
    backend.dispose();
  },
);
