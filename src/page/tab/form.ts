/**
 * Form of a run in the tab. Its fields come from the options of the commands.
 *
 * @module
 */

import { h } from "../app/element.ts";
import type { TabOption, TabTask } from "./messages.ts";

/** Fields that are always on view; others are below "More options". */
const MAIN: Readonly<Record<TabTask, readonly string[]>> = {
  "md": ["ensemble", "temperature", "steps", "dt", "seed", "device"],
  "relax": ["fmax", "steps", "optimizer", "cell", "device"],
  "fine-tune": ["epochs", "lr", "batchSize", "validFraction", "seed"],
};

type Field = HTMLInputElement | HTMLSelectElement;

/** Fields of the options of a task. */
export class OptionForm {
  readonly root: HTMLElement = h("div.options");
  readonly #task: TabTask;
  readonly #options: readonly TabOption[];
  readonly #fields: Map<string, Field> = new Map();

  /** Makes the fields with the given values, and defaults for the others. */
  constructor(
    task: TabTask,
    options: readonly TabOption[],
    given: Readonly<Record<string, unknown>> = {},
  ) {
    this.#task = task;
    this.#options = options;
    const main = MAIN[task];
    const row = (option: TabOption) => this.#row(option, given[option.name]);
    const byName = (name: string) => options.filter((option) => option.name === name);
    const rest = options.filter(({ name }) => !main.includes(name));
    const more = h(
      "details.more",
      { open: rest.some(({ name }) => given[name] !== undefined) },
      h("summary", {}, "More options"),
      h("div.fields", {}, ...rest.map(row)),
    );
    this.root.append(h("div.fields", {}, ...main.flatMap(byName).map(row)), more);
  }

  /**
   * Returns the options that differ from their defaults.
   *
   * @throws {RangeError} if a field has no valid value; the field gets the focus
   */
  read(): Readonly<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const option of this.#options) {
      const field = this.#fields.get(option.name)!;
      try {
        const value = valueOf(option, field);
        field.removeAttribute("aria-invalid");
        if (value !== undefined && value !== option.initial) values[option.name] = value;
      } catch (error) {
        field.setAttribute("aria-invalid", "true");
        field.closest("details")?.setAttribute("open", "");
        field.focus();
        throw error;
      }
    }
    return values;
  }

  #row(option: TabOption, value: unknown): HTMLElement {
    const { name, help, otherwise, initial } = option, id = `option-${name}`;
    const field = fieldOf(option, id, value);
    this.#fields.set(name, field);
    const standard = otherwise ?? (initial === undefined ? "none" : String(initial));
    return h(
      "div.field",
      {},
      h("label", { for: id }, labelOf(name, this.#task)),
      field,
      h("p.note", { id: `${id}-help` }, `${help}. Default: ${standard}`.replaceAll("--", "")),
    );
  }
}

function fieldOf(option: TabOption, id: string, value: unknown): Field {
  const { initial, choices, isNumber } = option, about = { id, "aria-describedby": `${id}-help` };
  const shown = value ?? initial;
  if (typeof initial === "boolean") {
    return h("input", { ...about, type: "checkbox", checked: shown === true });
  }
  if (choices !== undefined) {
    const names = initial === undefined ? ["", ...choices] : choices;
    const items = names.map((name) =>
      h("option", { value: name, selected: name === String(shown ?? "") }, name)
    );
    return h("select", about, ...items);
  }
  return h("input", {
    ...about,
    type: "text",
    inputmode: isNumber === true ? "decimal" : undefined,
    autocomplete: "off",
    spellcheck: "false",
    value: textOf(shown),
  });
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns the value of a field; undefined if it is empty. Limits are checked by the worker, too. */
function valueOf(option: TabOption, field: Field): unknown {
  const { name, requirement, isNumber, isObject, isList } = option;
  if (field instanceof HTMLInputElement && field.type === "checkbox") return field.checked;
  const text = field.value.trim();
  if (text === "") return undefined;
  if (isList === true) return text.split(/\s+/);
  if (isObject === true) return objectOf(name, text);
  if (isNumber !== true) return text;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new RangeError(`${labelOf(name)} must be ${requirement}; got ${text}`);
}

function objectOf(name: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The error below says what is expected.
  }
  throw new RangeError(
    `${labelOf(name)} must be a JSON object, such as {"cutoff": 5}; got ${text}`,
  );
}

/** Returns the label of an option: `thermostatTime` becomes "Thermostat time". */
export function labelOf(name: string, task?: TabTask): string {
  if (name === "dt") return task === "relax" ? "Time step (fire)" : "Time step";
  if (name === "fmax") return "Largest force";
  if (name === "smax") return "Largest stress";
  if (name === "lr") return "Learning rate";
  if (name === "model") return "Built-in potential";
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0]!.toUpperCase() + words.slice(1);
}
