/**
 * Finds the prose of a source text: comments, and strings that are sentences.
 *
 * @module
 */

/** A piece of prose. */
export interface Text {
  /** A doc comment, another comment, a string of two words or more, or a heading or line of a page. */
  readonly type: "doc" | "comment" | "string" | "heading" | "page";
  /** Line that it begins on, from 1. */
  readonly line: number;
  /** The words, on one line; `…` for an expression inside a template. Examples are left out. */
  readonly text: string;
}

/** Tokens after which a slash begins a regular expression; after any other it divides. */
const BEFORE_REGEXP = /(^|[=([{,;:?!&|+\-*%<>~^}]|\b(return|typeof|case|in|of|do|else|void))$/;

const WORD = /[\w$]+|\s+|[^\w\s]/y;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/y;
const QUOTED = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
const LINES = /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/y;
const BLOCK = /\/\*[\s\S]*?\*\//y;

/** Returns the prose of a TypeScript source in order. Successive line comments are one text. */
export function textsOf(source: string): Text[] {
  return new Scan(source).texts();
}

class Scan {
  readonly #source: string;
  readonly #found: { readonly start: number; readonly text: Text }[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  texts(): Text[] {
    this.#code(undefined);
    // A template is found after the strings in its expressions, but begins before them.
    return this.#found.toSorted((a, b) => a.start - b.start).map(({ text }) => text);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#source)?.[0];
    if (token !== undefined) this.#at += token.length;
    return token;
  }

  /** Reads code to the end, or to the brace that closes an expression inside a template. */
  #code(end: "}" | undefined): void {
    let depth = 0, before = "";
    while (this.#at < this.#source.length) {
      const start = this.#at;
      const prose = this.#prose(before);
      if (prose !== undefined) {
        if (prose !== "") before = prose;
        continue;
      }
      const token = this.#take(WORD)!;
      if (token === "{") depth++;
      if (token === "}" && depth-- === 0 && end !== undefined) return;
      if (token.trim() !== "") before = token;
      if (this.#at === start) this.#at++;
    }
  }

  /** Takes a comment, a string or a regular expression; returns the token, `""` for a comment. */
  #prose(before: string): string | undefined {
    const start = this.#at, two = this.#source.slice(start, start + 2), one = two[0]!;
    if (two === "//" || two === "/*") {
      const token = this.#take(two === "//" ? LINES : BLOCK)!;
      this.#add(token.startsWith("/**") ? "doc" : "comment", start, wordsOf(token));
      return "";
    }
    if (one === "/" && BEFORE_REGEXP.test(before)) return this.#take(REGEXP) && "0";
    if (one === '"' || one === "'") {
      const token = this.#take(QUOTED);
      if (token !== undefined) this.#add("string", start, token.slice(1, -1));
      return token && "0";
    }
    if (one !== "`") return undefined;
    this.#add("string", start, this.#template());
    return "0";
  }

  /** Takes a template, and the prose of the expressions inside. */
  #template(): string {
    let text = "";
    this.#at++;
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at++]!;
      if (char === "`") return text;
      if (char === "\\") text += this.#source[this.#at++];
      else if (char === "$" && this.#source[this.#at] === "{") {
        this.#at++;
        text += "…";
        this.#code("}");
      } else text += char;
    }
    return text;
  }

  #add(type: Text["type"], start: number, words: string): void {
    const text = words.replaceAll(/\s+/g, " ").trim();
    if (type === "string" ? !isSentence(words) : text === "" || /^deno-/.test(text)) return;
    const line = this.#source.slice(0, start).split("\n").length;
    this.#found.push({ start, text: { type, line, text } });
  }
}

/** Returns whether a string is prose: two words or more, on one line. Shaders and pages have many lines. */
function isSentence(words: string): boolean {
  return !words.includes("\n") && /[A-Za-z]+[ ,]+[A-Za-z…]/.test(words);
}

/** Returns the words of a comment without its marks and without examples. */
function wordsOf(comment: string): string {
  return comment
    .replace(/^\/\*+|\*\/$/g, "")
    .replaceAll(/^[ \t]*(\/\/+|\*+(?!\/))[ \t]?/gm, "")
    .replaceAll(/```[\s\S]*?```/g, "");
}
