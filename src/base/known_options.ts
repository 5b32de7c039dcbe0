import { didYouMean } from "./did_you_mean.ts";

/** Throws a TypeError for options that are no object, and for one that callers without types have misspelt. */
export function assertKnownOptions(
  action: string,
  options: unknown,
  known: readonly string[],
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `Cannot ${action} as its options must be an object: current value is ${
        JSON.stringify(options) ?? typeof options
      }`,
    );
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(
    `Cannot ${action} as its options must be among ${known.join(", ")}: current value is ${
      JSON.stringify(unknown)
    }${didYouMean(unknown, known)}`,
  );
}
