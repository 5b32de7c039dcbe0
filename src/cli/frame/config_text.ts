/**
 * Parsing of configuration files in JSON, YAML and TOML. The parsers of YAML and TOML are loaded with the first such
 * file.
 *
 * @module
 */

import type { Document, ErrorCode } from "yaml";
import { withoutVariables } from "../../platform/process.ts";
import { UsageError } from "./usage_error.ts";

/** Parsed text of a configuration file. */
export interface ConfigText {
  readonly value: unknown;
  /** Returns the place of a member of the outermost object, as in `:3:1`; "" if it is not known. */
  readonly placeOf: (name: string) => string;
}

/**
 * Parses the text of a file. `file` names it in errors, such as `--config run.yaml`.
 *
 * @throws {UsageError} if the text is wrong, with the file, and with the line and column from 1
 */
export type ConfigParser = (text: string, file: string) => ConfigText | Promise<ConfigText>;

/** Parsers by the endings of files. */
export const CONFIG_PARSERS: Readonly<Record<string, ConfigParser>> = {
  ".json": parseJson,
  ".yaml": parseYaml,
  ".yml": parseYaml,
  ".toml": parseToml,
};

/** Largest number of values that the aliases of one anchor may stand for: a small file must not fill the memory. */
const MOST_ALIASES = 100;

function parseJson(text: string, file: string): ConfigText {
  try {
    return { value: JSON.parse(text), placeOf: () => "" };
  } catch (cause) {
    const { message } = cause as Error;
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
    throw wrongText(`${file}${line === undefined ? "" : `:${line}:${column}`}`, message);
  }
}

function wrongText(where: string, reason: string): UsageError {
  return new UsageError(`Cannot use ${where}: ${reason}`);
}

/** Messages about wrong YAML that say what to do. The others are those of the parser. */
const YAML_REASONS: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY: "each name may appear only once in a mapping",
  MULTIPLE_DOCS: "the file must contain one document; got several, separated by ---",
  TAB_AS_INDENT: "indent with spaces instead of tabs",
};

/** Parses YAML 1.2 with its core schema, in which `no` and `12:30` are texts. */
async function parseYaml(text: string, file: string): Promise<ConfigText> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `:${line}:${col}`;
  };
  // The parser reads LOG_TOKENS and LOG_STREAM, and the command has no permission to read variables.
  const document = withoutVariables(() =>
    parseDocument(text, {
      version: "1.2",
      schema: "core",
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: true,
    })
  );
  // Warnings are about tags that the schema does not have: their values would be texts without notice.
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong !== undefined) {
    const reason = YAML_REASONS[wrong.code] ?? wrong.message;
    throw wrongText(`${file}${place(wrong.pos[0])}`, reason);
  }
  const { contents } = document;
  return {
    value: yamlValue(document, file),
    placeOf(name) {
      const items = isMap(contents) ? contents.items : [];
      const key = items.map((item) => item.key).find((each) =>
        isScalar(each) && String(each.value) === name
      );
      return isScalar(key) && key.range ? place(key.range[0]) : "";
    },
  };
}

/** Returns the value of a document. An alias inside its own anchor has no value that JSON can show. */
function yamlValue(document: Document.Parsed, file: string): unknown {
  try {
    const value = document.toJS({ maxAliasCount: MOST_ALIASES });
    JSON.stringify(value);
    return value;
  } catch (cause) {
    const reason = cause instanceof ReferenceError && /Excessive alias/.test(cause.message)
      ? `aliases (*name) may stand for at most ${MOST_ALIASES} values; write the values out`
      : cause instanceof TypeError
      ? "an alias (*name) must not be part of its own anchor"
      : (cause as Error).message;
    throw wrongText(file, reason);
  }
}

async function parseToml(text: string, file: string): Promise<ConfigText> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return { value: parse(text), placeOf: (name) => placeInToml(text, name) };
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // The parser adds the lines around the error to its message.
    const reason = cause.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "");
    throw wrongText(`${file}:${cause.line}:${cause.column}`, reason);
  }
}

/** Finds a key of the outermost table: before the first header, or in a header. The parser reports no places of keys. */
function placeInToml(text: string, name: string): string {
  let isOutermost = true;
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*\[{1,2}\s*/.exec(line);
    const begin = header ?? (isOutermost ? /^\s*/.exec(line) : null);
    if (header !== null) isOutermost = false;
    if (begin === null) continue;
    const column = begin[0].length,
      [, , key] = /^(["']?)([^"'=.\]]*?)\1\s*[=.\]]/.exec(line.slice(column)) ?? [];
    if (key === name) return `:${index + 1}:${column + 1}`;
  }
  return "";
}
