/**
 * Structure files of other programs, and what those programs read from them (fixtures/make.py).
 *
 * @module
 */

/** Folder of the files. */
export const FIXTURES: string = `${import.meta.dirname}/fixtures/`;

/** A frame as another program has read it. */
export interface ExpectedFrame {
  readonly symbols: string[];
  readonly positions: number[];
  readonly cell: number[];
  readonly velocities?: number[];
  readonly energy?: number;
  readonly forces?: number[];
  readonly stress?: number[];
}

/** Returns the frames of each file, by its name. */
export async function readExpected(): Promise<Record<string, ExpectedFrame[]>> {
  return JSON.parse(await Deno.readTextFile(`${FIXTURES}expected.json`));
}
