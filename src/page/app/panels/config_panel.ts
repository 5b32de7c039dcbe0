/**
 * Configuration of a run, as resolved.
 *
 * @module
 */

import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import type { RunPanel } from "./run_panel.ts";

/** Configuration of a run: a list of settings, and the whole as JSON. */
export class ConfigPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["info"];
  readonly root: HTMLElement;
  readonly #list: HTMLElement = h("dl.settings");
  readonly #empty: HTMLElement = h("p.empty", {}, "The configuration of the run is not known.");
  #shown = "";

  constructor() {
    const { root, body } = panel("Configuration", "config", false);
    this.root = root;
    body.append(this.#empty, this.#list);
  }

  update({ run }: RunModel): void {
    const config = run?.config, text = JSON.stringify(config) ?? "";
    if (text === this.#shown) return;
    this.#shown = text;
    const rows = settingsOf(config);
    setShown(this.#empty, rows.length === 0);
    this.#list.replaceChildren(...rows.flatMap(([name, value]) => {
      const term = h("dt"), detail = h("dd");
      setText(term, name);
      setText(detail, value);
      return [term, detail];
    }));
  }
}

/** Depth to which members of objects get lines of their own. */
const DEPTH = 3;

/** Returns the settings of a configuration, one line each. Names of nested ones are joined by dots. */
export function settingsOf(
  config: unknown,
  prefix = "",
  depth = 0,
): [name: string, value: string][] {
  if (config === undefined) return [];
  const isPlain = typeof config === "object" && config !== null && !Array.isArray(config);
  if (!isPlain || (depth === DEPTH && prefix !== "")) return [[prefix, valueText(config)]];
  return Object.entries(config).flatMap(([name, value]) =>
    settingsOf(value ?? null, prefix === "" ? name : `${prefix}.${name}`, depth + 1)
  );
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : value === null ? "–" : JSON.stringify(value);
}
