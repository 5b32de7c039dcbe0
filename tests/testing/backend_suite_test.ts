/** The suite finds what is wrong with a backend, and nothing else. */
import { assert, assertEquals } from "@std/assert";
import type { Backend, KernelCall } from "../../src/backend/mod.ts";
import { ReferenceBackend } from "../../src/backend/reference/reference_backend.ts";
import { Control, defineKernel, type Frame, type Kernel } from "../../src/kernels/mod.ts";
import { backendSuite, type BackendSuiteOptions } from "../../src/testing/mod.ts";
import { few, slowTest, test } from "../suite.ts";
import { failing } from "./failing.ts";

type Work = Kernel["run"];

/** The reference backend, with some things done in another way. */
function broken(
  change: Partial<Backend> | ((backend: Backend) => Partial<Backend>),
): () => Backend {
  return () => {
    const backend = new ReferenceBackend();
    const own = typeof change === "function" ? change(backend) : change;
    return new Proxy<Backend>(backend, {
      get: (_, name: keyof Backend) => {
        const value = own[name] ?? (backend as Backend)[name];
        return typeof value === "function" ? value.bind(backend) : value;
      },
    });
  };
}

/** One whose kernel of this name does something else. */
function withKernel(name: string, work: (run: Work) => Work): () => Backend {
  const changed = (call: KernelCall): KernelCall => {
    const { kernel, args } = call;
    if (kernel.name !== name) return call;
    return { ...call, kernel: defineKernel(name, kernel.args, work(kernel.run)), args };
  };
  return broken((backend) => ({
    prepare: (frame, calls) => backend.prepare(frame, calls.map(changed)),
  }));
}

/** Returns the names of the tests that fail, with these sizes. The fast suite runs only those whose names fit. */
async function found(
  open: () => Backend,
  options: BackendSuiteOptions = {},
  names = /./,
): Promise<string[]> {
  const cases = backendSuite(open, { sizes: [3, 64], ...options });
  return [...(await failing(cases.filter(({ name }) => few(names, /./).test(name)))).keys()];
}

test("names are those of one case each", () => {
  const cases = backendSuite(() => new ReferenceBackend(), { sizes: [3] });
  assertEquals(new Set(cases.map(({ name }) => name)).size, cases.length);
});

slowTest("the reference backend passes", async () => {
  const cases = backendSuite(() => new ReferenceBackend(), { sizes: [3] });
  assertEquals([...await failing(cases)], []);
});

Deno.test("a kernel with the wrong sign is far from its meaning, and it is said by how much", async () => {
  const open = withKernel("kick", (run) => (values, frame) => {
    const { dt } = values as { dt: Float64Array };
    run({ ...values, dt: dt.map((x) => -x) } as never, frame);
  });
  const found = await failing(backendSuite(open, { sizes: [3, 64] })); // nothing else is found
  assertEquals([...found.keys()], [
    "kick agrees with its definition, for one system of any size",
    "kick agrees with its definition, for ragged batches",
  ]);
  const [message] = found.values();
  assert(message!.startsWith("kick: velocities of system 0, of 3 atoms, in a batch of 1: [0] is"));
});

Deno.test("a kernel that moves systems at rest is found", async () => {
  const open = withKernel("drift", (run) => (values, frame) => {
    run(values, { ...frame, active: frame.active.map(() => 1) });
  });
  const names = await found(open, {}, /^drift|^a program runs/);
  assert(names.includes("drift does not change a bit of inactive systems"), String(names));
  assert(
    names.includes("a program runs all its calls in each step, and returns the number of steps"),
  );
});

Deno.test("a kernel that gives NaN is found, and one that depends on the slot", async () => {
  const nan = withKernel("fmax", () => (values) => {
    (values as { fmax: Float64Array }).fmax.fill(NaN);
  });
  assert(
    (await found(nan, {}, /^fmax/)).some((name) =>
      name.startsWith("fmax agrees with its definition")
    ),
  );
  const slots = withKernel("thermalize", (run) => (values, frame: Frame) => {
    run(values, { ...frame, ids: frame.ids.map((_, s) => s) });
  });
  const names = await found(slots, {}, /^noise/);
  assert(names.includes("noise depends on (seed, atom, age, id), up to the largest of each"));
});

slowTest("a backend that does not halt, or not at the right steps, is found", async () => {
  const deaf = withKernel("graduate", (run) => (values, frame) => {
    run(values, frame);
    frame.control[Control.HALT] = 0;
  });
  assert(
    (await found(deaf)).includes("a run ends after the step that halts it, and the next does not"),
  );
  const late = broken((backend) => ({
    run: (program, first, steps) => backend.run(program, first % 2 ** 31, steps),
  }));
  assertEquals(await found(late), [
    "a call runs only where step % every === phase, beyond 2^31, too",
  ]);
});

slowTest(
  "calls in another order, pairs that are not loaded, writes too far are found",
  async () => {
    const reversed = broken((backend) => ({
      prepare: (frame, calls) => backend.prepare(frame, calls.toReversed()),
    }));
    assert((await found(reversed)).includes("the calls of a step run in order"));
    assertEquals(await found(broken({ loadPairs: () => {} })), [
      "saved and loaded pair lists give bitwise identical results",
    ]);
    const careless = broken((backend) => ({
      write: (buffer, values, at = 0) =>
        backend.write(buffer, Array.from(values).slice(0, buffer.length - at), at),
    }));
    assertEquals(await found(careless), [
      "invalid writes and reads are rejected without effect",
    ]);
  },
);

slowTest(
  "a backend that keeps what it should give back is found, where it can be asked",
  async () => {
    let held = 0;
    const leaking = broken((backend) => ({
      alloc(dtype, length) {
        held++;
        return backend.alloc(dtype, length);
      },
      free: () => void held--, // and nothing when it is disposed of
    }));
    const names = await found(leaking, { held: () => held });
    assert(names.includes("disposing of a backend releases all memory"), String(names));
    assert(!names.includes("repeated allocation and release do not leak memory"));
  },
);

slowTest("words that are not those of Random123 are found", async () => {
  const wordsOf = (given: Uint32Array) => new Uint32Array(given.length / 6 * 4);
  assertEquals(await found(() => new ReferenceBackend(), { wordsOf }), [
    "philox agrees bitwise with Random123 and with its definition",
  ]);
});
