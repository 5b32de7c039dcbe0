// Custom hooks that configurations load.

/** Stops after high losses. */
export class MyCustomHook {
  readonly stage = "training/BATCH_END";
  readonly frequency = 1;
  readonly threshold: number;
  constructor({ threshold = 10 }: { readonly threshold?: number } = {}) {
    this.threshold = threshold;
  }
  call(_ctx: unknown): void {}
}

/** Creates a hook that scales gradients. */
export function scaled({ by = 1 }: { readonly by?: number } = {}): object {
  return {
    name: "scaled",
    by,
    onGradients: ({ value }: { readonly value: ReadonlyMap<string, Float32Array> }) =>
      new Map([...value].map(([name, g]) => [name, g.map((x) => by * x)])),
  };
}

/** A hook that is an object. */
export const quiet: object = { name: "quiet", onEpochEnd() {} };

/** Observes forward passes. */
export class Watch {
  readonly stage = "training/AFTER_FORWARD";
  readonly frequency = 1;
  call(): void {}
}

/** Throws in its constructor. */
export class Broken {
  constructor() {
    throw new RangeError("Cannot make it: it is broken: it is");
  }
}

/** A value that is not a hook. */
export const seven = 7;

export default class ByDefault {
  readonly name = "by default";
  readonly stage = "training/EPOCH_END";
  readonly frequency = 1;
  call(): void {}
}
