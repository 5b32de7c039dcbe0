/**
 * Templates of new parts: the files to write, the lines to add to other files, and what is left to do.
 *
 * @module
 */

import { ROOT } from "../check/entry_points.ts";

/** The kinds of parts. */
export const KINDS = ["kernel", "sink", "hook", "rule", "integrator", "optimizer"] as const;

/** A kind of part. */
export type Kind = typeof KINDS[number];

/** A change of the tree. */
export interface Scaffold {
  /** New files, by path from the root. */
  readonly files: ReadonlyMap<string, string>;
  /** Lines to add: after a line of a file, or at its end. */
  readonly additions: readonly Addition[];
  /** Tasks that are left to do, one line each. */
  readonly left: readonly string[];
}

/** Lines to add to a file. */
export interface Addition {
  readonly path: string;
  /** The line to add them after; `undefined` for the end of the file. */
  readonly after?: string;
  readonly text: string;
}

/** Returns the kind of this name. Throws a RangeError if there is none. */
export function kindOf(name: string | undefined): Kind {
  const kind = KINDS.find((each) => each === name);
  if (kind !== undefined) return kind;
  throw new RangeError(`The kind must be ${KINDS.join(", ")}; got ${name ?? "nothing"}`);
}

/** Returns the scaffold of a part. Throws a RangeError if the name is not in snake_case. */
export async function scaffold(kind: Kind, name: string | undefined): Promise<Scaffold> {
  if (name === undefined || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) {
    throw new RangeError(
      `The name must be in snake_case, such as radial_kick; got ${name ?? "nothing"}`,
    );
  }
  const template = await Deno.readTextFile(new URL(`tools/new/templates/${kind}.txt`, ROOT));
  return parse(fill(template, name));
}

/** Puts the name in its spellings in place of `{{snake}}`, `{{camel}}`, `{{Pascal}}` and `{{UPPER}}`. */
function fill(template: string, snake: string): string {
  const camel = snake.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const spellings: Readonly<Record<string, string>> = {
    snake,
    camel,
    Pascal: camel[0]!.toUpperCase() + camel.slice(1),
    UPPER: snake.toUpperCase(),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, spelling: string) => {
    const text = spellings[spelling];
    if (text === undefined) throw new SyntaxError(`The template has no spelling ${spelling}`);
    return text;
  });
}

/** Reads a template: parts that begin with `=== file PATH`, `=== after PATH`, `=== end PATH` or `=== left`. */
function parse(template: string): Scaffold {
  const files = new Map<string, string>(), additions: Addition[] = [], left: string[] = [];
  let after: { readonly path: string; readonly line: string } | undefined;
  for (const part of template.split(/^=== /m).slice(1)) {
    const at = part.indexOf("\n"), [word, path = ""] = part.slice(0, at).split(" ");
    const body = part.slice(at + 1);
    if (word === "file") files.set(path, body);
    else if (word === "after") after = { path, line: body.trimEnd() };
    else if (word === "text") additions.push({ path: after!.path, after: after!.line, text: body });
    else if (word === "end") additions.push({ path, text: body });
    else if (word === "left") left.push(...body.trimEnd().split("\n"));
    else throw new SyntaxError(`The template has an unknown part ${word}`);
  }
  return { files, additions, left };
}

/** Returns the text of a file with an addition. Throws an Error if the line to add after is not there once. */
export function withAddition(text: string, { path, after, text: added }: Addition): string {
  if (after === undefined) return text + added;
  const line = `${after}\n`, at = text.indexOf(line);
  if (at === -1 || text.indexOf(line, at + 1) !== -1) {
    throw new Error(`${path} must have this line once, to add to it: ${after}`);
  }
  return text.slice(0, at + line.length) + added + text.slice(at + line.length);
}
