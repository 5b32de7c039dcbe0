/** One value as a failed assertion shows it. */
export function format(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : Deno.inspect(value, {
    depth: 100,
    iterableLimit: 100,
    strAbbreviateSize: 10_000,
    trailingComma: true,
    sorted: true,
  });
}

/** Two values line by line: `-` marks lines of the actual one only, `+` of the expected one only. */
export function diff(actual: unknown, expected: unknown): string {
  const left = format(actual).split("\n");
  const right = format(expected).split("\n");
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < left.length - start && end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  ) end++;
  return [
    "    [Diff] Actual / Expected",
    "",
    ...left.slice(0, start).map((line) => `    ${line}`),
    ...left.slice(start, left.length - end).map((line) => `-   ${line}`),
    ...right.slice(start, right.length - end).map((line) => `+   ${line}`),
    ...left.slice(left.length - end).map((line) => `    ${line}`),
  ].join("\n");
}
