/**
 * A contender takes turns: each does one repeat and tells what it cost per event. Programs that take long to
 * set up stay alive between turns; the C programs are started for each.
 *
 * @module
 */

/** Cost of one repeat per event (an atom-step, an atom, a relaxation), in nanoseconds. */
export interface Turn {
  readonly cpu: number;
  readonly wall: number;
  /** Other values that the program reports, such as steps and fmax. */
  readonly told: Readonly<Record<string, unknown>>;
}

/** A program that can be measured any number of times. */
export interface Contender {
  /** Facts that the program reports about itself, such as version and precision. */
  readonly about: Readonly<Record<string, unknown>>;
  turn(): Promise<Turn>;
  close(): Promise<void>;
}

/** Command that starts a program. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Answer of a server of turns to each line. */
interface Answer {
  readonly cpu_s: number;
  readonly wall_s: number;
  readonly events: number;
}

/**
 * Starts a program that says `{"ready": true, …}` once it is set up, and then answers each line of its input
 * with `{"cpu_s", "wall_s", "events", …}`: turns.py, serve_turns.ts.
 */
export async function openServer({ program, args, env }: Command): Promise<Contender> {
  const child = new Deno.Command(program, {
    args: [...args],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = linesOf(child.stdout), input = child.stdin.getWriter();
  const next = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`Cannot take a turn: ${program} ${args[0]} has ended`);
    return JSON.parse(value);
  };
  const { ready: _, ...about } = await next();
  return {
    about,
    async turn() {
      await input.write(new TextEncoder().encode("turn\n"));
      return turnOf(await next() as unknown as Answer);
    },
    async close() {
      await input.close();
      await child.status;
    },
  };
}

function turnOf({ cpu_s, wall_s, events, ...told }: Answer): Turn {
  return { cpu: cpu_s * 1e9 / events, wall: wall_s * 1e9 / events, told };
}

/** A program that does one turn and ends; `read` finds the costs in the JSON that it printed. */
export function openProgram(
  { program, args, env }: Command,
  read: (printed: Record<string, unknown>) => Turn,
): Contender {
  return {
    about: { peer: program.split("/").at(-1) },
    async turn() {
      const command = new Deno.Command(program, { args: [...args], env, stderr: "inherit" });
      const { success, stdout } = await command.output();
      if (!success) throw new Error(`Cannot take a turn: ${program} failed`);
      return read(JSON.parse(new TextDecoder().decode(stdout)));
    },
    close: () => Promise.resolve(),
  };
}

/** The lines of a stream, without their ends. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest !== "") yield rest;
}
