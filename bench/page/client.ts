/**
 * A client that watches a run as the page does while it colors atoms by element: `client.ts URL` reads the events, and
 * fetches each newest frame. At the end of its standard input it prints the number of frames.
 *
 * @module
 */

/** Reads the events of the only run, and fetches the newest frame whenever there is another one. */
async function watch(address: string, got: () => void): Promise<void> {
  const { origin, searchParams } = new URL(address);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  const ask = (path: string) => fetch(`${origin}/api/runs${path}`, { headers });
  const [{ id }] = await (await ask("")).json();
  const run = `/${encodeURIComponent(id)}`, { body } = await ask(`${run}/events`);
  let rest = "", isFetching = false;
  for await (const text of body!.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop()!;
    const events = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
    if (isFetching || !events.some(({ type, live }) => type === "frames" && live > 0)) continue;
    isFetching = true;
    ask(`${run}/live?fields=`).then((answer) => answer.arrayBuffer()).then((bytes) => {
      if (bytes.byteLength > 0) got();
      isFetching = false;
    });
  }
}

if (import.meta.main) {
  let frames = 0;
  watch(Deno.args[0]!, () => frames++).catch(() => {}); // the server ends first
  for await (const _ of Deno.stdin.readable);
  console.log(frames);
  Deno.exit();
}
