/**
 * Parsing of run logs.
 *
 * @module
 */

import { isCount } from "../../base/check_number.ts";
import { isObject, type Members } from "../../base/object.ts";
import { checked, isIsoTime, parseObject } from "../read_json.ts";
import type { RunRecord } from "./run_record.ts";

/**
 * Parses the records of a run log. A last line without a newline was cut off when the process was killed, and is
 * ignored.
 *
 * @param text the content of the log, one record per line
 * @param name the name of the log in errors
 * @throws {SyntaxError} if a line is not a record of a run log; the message has the line number, counted from 1, and
 * the wrong key
 *
 * @example
 * ```ts
 * import { parseRunLog, runLog } from "@hooke/hooke/runs";
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * let text = "";
 * const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
 * const loop = new Loop({ kinds: WalkStage, step: () => {} });
 * loop.hooks.add(runLog({ write: (line) => void (text += line) }));
 * await loop.run(3);
 * assertEquals(parseRunLog(text).map(({ type, step }) => [type, step]), [["start", 0], ["end", 3]]);
 * assertThrows(() => parseRunLog(text + "{}\n", "runs"), SyntaxError, "Cannot read runs, line 3: type");
 * ```
 */
export function parseRunLog(text: string, name: string = "run log"): RunRecord[] {
  const lines = text.split("\n");
  lines.pop(); // the text after the last newline
  return lines.map((line, i) => recordOf(line, `${name}, line ${i + 1}`));
}

const TYPES = ["start", "change", "end"];

function recordOf(line: string, name: string): RunRecord {
  const of = parseObject(line, { name }), at = { name, of };
  const isText = (value: unknown) => typeof value === "string";
  const isTextOrNull = (value: unknown) => isText(value) || value === null;
  const type = checked(at, "type", TYPES.join(", "), (value) => TYPES.includes(value as string));
  checked(at, "id", "a string", isText);
  checked(at, "segment", "a non-negative integer", isCount);
  checked(at, "time", "a time in ISO 8601", isIsoTime);
  checked(at, "step", "a non-negative integer", isCount);
  checked(at, "hooks", "a list of hooks", areHooks);
  if (type === "start") {
    checked(at, "engine", "a string", isText);
    checked(at, "commit", "a string", isText);
    checked(at, "configHash", "a string or null", isTextOrNull);
    checked(at, "constraints", "a list of strings", areTextsIfThere);
    checked(at, "versions", "an object of strings", areTexts);
    checked(at, "device", "a device or null", isDevice);
    checked(at, "runtime", "a string", (value) => value === undefined || isText(value));
  }
  if (type === "change") {
    checked(at, "change", "a string", isText);
    checked(at, "hook", "a string", isText);
  }
  if (type === "end") {
    checked(at, "outcome", "an outcome", isOutcome);
    checked(at, "device", "a device or null", isDevice);
  }
  return of as unknown as RunRecord;
}

function areTextsIfThere(value: unknown): boolean {
  return value === undefined ||
    Array.isArray(value) && value.every((text) => typeof text === "string");
}

function areTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

function isDevice(value: unknown): boolean {
  return value === null ||
    (isObject(value) && typeof value.device === "string" && Array.isArray(value.skipped) &&
      value.skipped.every((one) =>
        isObject(one) && typeof one.device === "string" && typeof one.reason === "string"
      ));
}

function areHooks(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((hook: unknown) =>
      isObject(hook) && typeof hook.name === "string" && typeof hook.enabled === "boolean" &&
      Array.isArray(hook.stages) && hook.stages.every((stage) => typeof stage === "string") &&
      typeof hook.frequency === "number" && isCount(hook.errors)
    );
}

function isOutcome(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { status, reason, error, warnings, hookErrors } = value as Members;
  if (!areTextsIfThere(warnings)) return false;
  if (hookErrors !== undefined && !isCount(hookErrors)) return false;
  return status === "completed" || (status === "stopped" && typeof reason === "string") ||
    (status === "failed" && isObject(error) && typeof error.name === "string" &&
      typeof error.message === "string");
}
