/**
 * Lines of a stream of bytes.
 *
 * @module
 */

/** Yields the lines of a stream that are not empty, without their ends. Calls `onBytes` whenever bytes arrive. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<string> {
  const reader = stream.getReader(), decoder = new TextDecoder();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      onBytes();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      yield* lines.filter((line) => line !== "");
    }
    rest += decoder.decode();
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => {}); // The stream may have failed, which the caller knows already.
  }
}
