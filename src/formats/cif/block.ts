/**
 * Data blocks of CIF files.
 *
 * @module
 */

import type { TextLines } from "../text_lines.ts";
import { type Word, wordsOf } from "./tokens.ts";

/** A data block: values by name, in lower case, with `_` instead of the `.` of mmCIF. */
export interface Block {
  /** Name after `data_`. */
  readonly name: string;
  /** Number of the line in which the block begins. */
  readonly line: number;
  /** Values by name; a single value is a list of one. */
  readonly values: Map<string, readonly Word[]>;
}

/** Yields the data blocks of a CIF file. */
export function* blocksOf(lines: TextLines): Generator<Block, void> {
  const words = new Words(lines);
  let block: Block | undefined;
  for (let word = words.next(); word !== undefined; word = words.next()) {
    const keyword = word.quoted ? "" : word.text.toLowerCase();
    if (keyword.startsWith("data_")) {
      if (block !== undefined) yield block;
      block = { name: word.text.slice(5), line: word.line, values: new Map() };
    } else if (block === undefined) {
      throw lines.error("the file must begin with data_", word.text);
    } else if (keyword === "loop_") {
      readLoop(words, block, lines);
    } else if (keyword.startsWith("_")) {
      const value = words.value();
      if (value === undefined) throw lines.error(`a value must follow ${word.text}`, null);
      setValues(block, word.text, [value], lines);
    } else {
      throw lines.error("a name, loop_ or data_ must stand here", word.text);
    }
  }
  if (block !== undefined) yield block;
}

function readLoop(words: Words, block: Block, lines: TextLines): void {
  const names: string[] = [];
  for (let name = words.name(); name !== undefined; name = words.name()) names.push(name);
  if (names.length === 0) throw lines.error("names must follow loop_", null);
  const columns = names.map((): Word[] => []);
  let count = 0;
  for (let value = words.value(); value !== undefined; value = words.value()) {
    columns[count++ % names.length]!.push(value);
  }
  if (count % names.length !== 0) {
    throw lines.error(
      `the loop of ${names[0]} has ${count} values for ${names.length} names`,
      null,
    );
  }
  names.forEach((name, i) => setValues(block, name, columns[i]!, lines));
}

function setValues(block: Block, name: string, values: readonly Word[], lines: TextLines): void {
  const key = name.toLowerCase().replaceAll(".", "_");
  if (block.values.has(key)) {
    throw lines.error(`${name} must occur once in data_${block.name}`, null);
  }
  block.values.set(key, values);
}

/** Words with a look at the next one. */
class Words {
  readonly #words: Iterator<Word, void>;
  #waiting: Word | undefined;

  constructor(lines: TextLines) {
    this.#words = wordsOf(lines);
  }

  next(): Word | undefined {
    const word = this.#peek();
    this.#waiting = undefined;
    return word;
  }

  /** Reads the next word if it is a value. */
  value(): Word | undefined {
    const word = this.#peek();
    const isValue = word !== undefined &&
      (word.quoted || !/^(_|loop_$|data_|save_)/i.test(word.text));
    return isValue ? this.next() : undefined;
  }

  /** Reads the next word if it is a name. */
  name(): string | undefined {
    const word = this.#peek();
    return word !== undefined && !word.quoted && word.text.startsWith("_")
      ? this.next()!.text
      : undefined;
  }

  #peek(): Word | undefined {
    if (this.#waiting === undefined) this.#waiting = this.#words.next().value ?? undefined;
    return this.#waiting;
  }
}
