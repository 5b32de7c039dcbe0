/**
 * Finds loops in WGSL that Mesa's OpenGL computes wrongly.
 *
 * WGSL `var<storage, read>` becomes `readonly` in GLSL, so that Mesa may use an earlier load again. A value that is
 * loaded while lanes leave a loop at different iterations is 0 afterwards for the lanes that left first (llvmpipe
 * 22.3). Two shapes of loops show it: a load before the exit, as in `for (; i < end[s]; i++)`, which a later load of
 * the same word reuses; and a `var` that is assigned from a load, kept by `break` and used after the loop.
 *
 * @module
 */

/** A loop of a function: its text in parts, and what follows it. */
interface Loop {
  /** `for (…)`, `while (…)` or `loop`, for messages. */
  readonly head: string;
  /** The text that runs before lanes may first leave. */
  readonly beforeExit: string;
  readonly body: string;
  readonly after: string;
}

/**
 * Returns a message for each loop of a WGSL module that loads from a read-only storage binding before its first exit,
 * directly or through functions, or uses after the loop what it loaded before a `break`.
 */
export function findLoopLoads(code: string): string[] {
  const text = code.replace(/\/\/.*$/gm, "").replace(/\/\*[^]*?\*\//g, "");
  const bindings = [...text.matchAll(/\bvar<storage(?:\s*,\s*read)?\s*>\s*(\w+)/g)];
  const functions = functionsOf(text);
  const loads = loadersOf(functions, bindings.map(([, name]) => name!));
  return [...functions].flatMap(([name, body]) =>
    loopsOf(body).flatMap((loop) =>
      complaintsOf(loop, loads).map((complaint) => `fn ${name}: ${loop.head} ${complaint}`)
    )
  );
}

/** Returns the bodies of functions by name. */
function functionsOf(text: string): Map<string, string> {
  const functions = new Map<string, string>();
  for (const match of text.matchAll(/\bfn\s+(\w+)\s*\(/g)) {
    const open = text.indexOf("{", endOf(text, match.index + match[0].length - 1));
    functions.set(match[1]!, text.slice(open + 1, endOf(text, open) - 1));
  }
  return functions;
}

/** Returns a pattern that matches where a read-only binding is named, or a function called that reads one. */
function loadersOf(functions: ReadonlyMap<string, string>, bindings: readonly string[]): RegExp {
  const loads = new Set(bindings);
  for (let before = -1; before !== loads.size;) {
    before = loads.size;
    for (const [name, body] of functions) {
      if (anyOf(loads).test(body)) loads.add(`${name}\\(`);
    }
  }
  return anyOf(loads);
}

/** Returns a pattern for any of these words, but not for members of a struct. */
function anyOf(words: ReadonlySet<string>): RegExp {
  return words.size === 0
    ? /(?!)/
    : new RegExp(`(?<![\\w.])(?:${[...words].join("|")})(?<=\\(|\\w(?!\\w))`);
}

/** Returns all loops of a function, those within others too. */
function loopsOf(text: string): Loop[] {
  return [...text.matchAll(/\b(?:(for|while)\s*\(|loop\s*\{)/g)].map((match) => {
    const keyword = match[1] ?? "loop";
    const open = match.index + match[0].length - 1;
    const headEnd = keyword === "loop" ? open : endOf(text, open);
    const head = keyword === "loop" ? "" : text.slice(open + 1, headEnd - 1);
    const start = text.indexOf("{", headEnd);
    const end = endOf(text, start);
    const body = text.slice(start + 1, end - 1);
    const condition = keyword === "for" ? head.split(";")[1]! : head;
    const hasExit = condition.trim() !== "";
    return {
      head: keyword === "loop" ? "loop" : `${keyword} (${head.trim()})`,
      beforeExit: hasExit ? condition : untilExit(body),
      body,
      after: text.slice(end),
    };
  });
}

function untilExit(body: string): string {
  const exit = /\b(?:break|return)\b/.exec(body);
  return exit === null ? body : body.slice(0, exit.index);
}

function complaintsOf({ beforeExit, body, after }: Loop, loads: RegExp): string[] {
  const kept = keptByBreak(body, loads).filter((name) => anyOf(new Set([name])).test(after));
  return [
    ...(loads.test(beforeExit) ? ["loads before lanes leave it: bind that by let first"] : []),
    ...kept.map((name) => `loads ${name} before a break and uses it afterwards`),
  ];
}

/** Returns the variables from outside that a loop sets from loads before its last `break`. */
function keptByBreak(body: string, loads: RegExp): string[] {
  const end = withoutLoops(body).search(/\bbreak\b(?![^]*\bbreak\b)/);
  const own = new Set<string>(), loaded = new Set<string>(), kept = new Set<string>();
  const setting =
    /\b(let|var)?\s*\b([A-Za-z_]\w*)[\w.[\]]*(?:\s*:[^=;]+)?\s*[-+*/|&^]?=(?!=)([^;]*);/g;
  for (const [, keyword, name, value] of body.slice(0, Math.max(0, end)).matchAll(setting)) {
    if (keyword !== undefined) own.add(name!);
    if (!loads.test(value!) && !anyOf(loaded).test(value!)) continue;
    loaded.add(name!);
    if (!own.has(name!)) kept.add(name!);
  }
  return [...kept];
}

/** Blanks the loops within, whose `break` is their own. */
function withoutLoops(body: string): string {
  const match = /\b(?:(?:for|while)\s*\(|loop\s*\{)/.exec(body);
  if (match === null) return body;
  const open = match.index + match[0].length - 1;
  const start = body[open] === "{" ? open : body.indexOf("{", endOf(body, open));
  const end = endOf(body, start);
  return body.slice(0, match.index) + " ".repeat(end - match.index) + withoutLoops(body.slice(end));
}

/** Returns the place after the bracket that closes the one at `open`. */
function endOf(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if ("({[".includes(text[i]!)) depth++;
    if (")}]".includes(text[i]!) && --depth === 0) return i + 1;
  }
  throw new SyntaxError(`WGSL must close each bracket: ${text.slice(open, open + 40)}`);
}
