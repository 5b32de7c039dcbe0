import {
  type Arrays,
  type BufferType,
  Control,
  type Frame,
  type Kernel,
} from "../../kernels/kernel.ts";
import { makePairList, type PairList } from "../../kernels/pairs/pair_list.ts";
import type {
  Backend,
  Buffer,
  BufferValues,
  Edges,
  EdgesOptions,
  FrameBuffers,
  KernelCall,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
} from "../backend.ts";
import { checkEdges } from "../check_edges.ts";
import { HostEdges } from "./host_edges.ts";

/**
 * The reference backend, which defines the correct results for tests. It runs the TypeScript
 * kernels in float64.
 */
export class ReferenceBackend implements Backend {
  readonly name = "reference";
  readonly real = "f64";
  readonly isHost = true;

  alloc<D extends BufferType>(dtype: D, length: number): Buffer<D> {
    const array = dtype === "i32" ? new Int32Array(length) : new Float64Array(length);
    return { dtype, length, array: array as unknown as Arrays[D] } as HostBuffer<D>;
  }

  write(buffer: Buffer, values: ArrayLike<number>, at = 0): void {
    this.view(buffer).set(values, at);
  }

  read<D extends BufferType>(buffer: Buffer<D>): Arrays[D] {
    return this.view(buffer).slice() as Arrays[D];
  }

  view<D extends BufferType>(buffer: Buffer<D>): Arrays[D] {
    return (buffer as HostBuffer<D>).array;
  }

  viewOrRead<const B extends readonly Buffer[]>(buffers: B): BufferValues<B> {
    return buffers.map((buffer) => this.view(buffer)) as unknown as BufferValues<B>;
  }

  readLate<const B extends readonly Buffer[]>(buffers: B): Promise<BufferValues<B>> {
    return Promise.resolve(
      buffers.map((buffer) => this.read(buffer)) as unknown as BufferValues<B>,
    );
  }

  flush(): void {}

  free(): void {}

  pairs(frame: FrameBuffers, { cutoff, skin }: PairsOptions): Pairs {
    const list = makePairList(frame.systems, cutoff, skin);
    return { cutoff, skin, list } as HostPairs;
  }

  savePairs(pairs: Pairs): SavedPairs {
    const { systems } = (pairs as HostPairs).list;
    return {
      reference: concat(Float64Array, systems.map(({ reference }) => reference)),
      images: concat(Int32Array, systems.map(({ images }) => images)),
      cells: concat(Float64Array, systems.map(({ cell }) => cell)),
      builds: Int32Array.from(systems, ({ builds }) => builds),
    };
  }

  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void {
    let at = 0; // saved pairs omit systems whose pairs were never found
    for (const [s, system] of (pairs as HostPairs).list.systems.entries()) {
      system.builds = saved.builds[s]!;
      system.isLoaded = system.builds > 0;
      if (!system.isLoaded) continue;
      const to = at + 3 * (offsets[s + 1]! - offsets[s]!);
      system.reference = saved.reference.slice(at, to);
      system.images = saved.images.slice(at, to);
      system.cell = saved.cells.slice(9 * s, 9 * s + 9);
      at = to;
    }
  }

  forgetPairs(pairs: Pairs, places: readonly number[]): void {
    const { list } = pairs as HostPairs;
    const fresh = makePairList(places.length, list.cutoff, list.skin).systems;
    for (const [i, place] of places.entries()) list.systems[place] = fresh[i]!;
  }

  freePairs(): void {}

  edges(frame: FrameBuffers, options: EdgesOptions): Edges {
    checkEdges(options);
    const atoms = this.view(frame.offsets)[frame.systems]!;
    return new HostEdges((options.pairs as HostPairs).list, atoms, options);
  }

  freeEdges(): void {}

  prepare(buffers: FrameBuffers, calls: readonly KernelCall[]): Program {
    const { offsets, active, ids, ages, control } = buffers;
    const frame: Frame = {
      systems: buffers.systems,
      offsets: this.view(offsets),
      active: this.view(active),
      ids: this.view(ids),
      ages: this.view(ages),
      control: this.view(control),
    };
    const ready = calls.map((call) => this.#ready(call));
    return { length: calls.length, frame, ready, free: () => {} } as HostProgram;
  }

  run(program: Program, first: number, steps: number): number {
    const { frame, ready } = program as HostProgram;
    const { control } = frame;
    control[Control.HALT] = 0;
    if (control[Control.DIVERGED] !== 0) return 0;
    // hot
    for (let step = first; step < first + steps; step++) {
      for (let i = 0; i < ready.length; i++) {
        const { kernel, values, every, phase } = ready[i]!;
        if (every === 1 || step % every === phase) kernel.run(values, frame);
      }
      if (control[Control.HALT] !== 0) return step - first + 1;
    }
    return steps;
  }

  dispose(): void {}

  #ready({ kernel, args, every = 1, phase = 0 }: KernelCall): ReadyCall {
    const values = Object.keys(kernel.args).map((name) => [name, this.#value(args[name])]);
    return { kernel, values: Object.fromEntries(values) as never, every, phase };
  }

  #value(given: KernelCall["args"][string]): unknown {
    if (typeof given !== "object") return given;
    return "array" in given ? given.array : (given as HostPairs | HostEdges).list;
  }
}

interface HostBuffer<D extends BufferType = BufferType> extends Buffer<D> {
  readonly array: Arrays[D];
}

interface HostPairs extends Pairs {
  readonly list: PairList;
}

interface HostProgram extends Program {
  readonly frame: Frame;
  readonly ready: readonly ReadyCall[];
}

interface ReadyCall {
  readonly kernel: Kernel;
  readonly values: never;
  readonly every: number;
  readonly phase: number;
}

function concat<A extends Float64Array | Int32Array>(
  kind: new (length: number) => A,
  parts: readonly A[],
): A {
  const all = new kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
