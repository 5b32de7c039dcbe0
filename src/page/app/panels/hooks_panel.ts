/**
 * Hooks of a run, with switches, and the log of commands.
 *
 * @module
 */

import type { HookRow } from "../../protocol.ts";
import { isEnded } from "../data/http_source.ts";
import type { ModelPart, RunModel } from "../data/run_model.ts";
import { h, panel, setShown, setText } from "../element.ts";
import { commandText, countText, numberText } from "../format.ts";
import type { RunActions, RunPanel } from "./run_panel.ts";

interface Row {
  readonly root: HTMLElement;
  show(hook: HookRow, isControllable: boolean): void;
}

/** Table of hooks. */
export class HooksPanel implements RunPanel {
  readonly parts: readonly ModelPart[] = ["hooks", "command", "info"];
  readonly root: HTMLElement;
  readonly #actions: RunActions;
  readonly #note: HTMLElement;
  readonly #empty: HTMLElement = h("p.empty", {}, "The run has not reported its hooks.");
  readonly #body: HTMLElement = h("tbody");
  readonly #table: HTMLElement;
  readonly #log: HTMLElement = h("ol.log", { "aria-label": "Commands that were carried out" });
  readonly #rows = new Map<string, Row>();

  constructor(actions: RunActions) {
    this.#actions = actions;
    const { root, body, note } = panel("Hooks", "hooks");
    this.root = root;
    this.#note = note;
    const heads = ["On", "Hook", "Every", "ms"];
    this.#table = h(
      "table.hooks",
      {},
      h("caption.unseen", {}, "Hooks of the run"),
      h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))),
      this.#body,
    );
    body.append(
      this.#empty,
      h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Hooks" }, this.#table),
      this.#log,
    );
  }

  update({ hooks, run, commands }: RunModel): void {
    const isControllable = run !== undefined && run.isControllable && !isEnded(run);
    const known = hooks ?? [];
    setShown(this.#empty, known.length === 0);
    setShown(this.#table, known.length > 0);
    if (hooks !== undefined && hooks.length === 0) setText(this.#empty, "The run has no hooks.");
    this.#table.classList.toggle("timed", known.some((hook) => hook.milliseconds !== undefined));
    setText(this.#note, known.length === 0 ? "" : String(known.length));
    for (const hook of known) {
      let row = this.#rows.get(hook.name);
      if (row === undefined) this.#rows.set(hook.name, row = this.#makeRow(hook.name));
      row.show(hook, isControllable);
    }
    const names = new Set(known.map(({ name }) => name));
    for (const [name, { root }] of this.#rows) {
      if (names.has(name)) continue;
      root.remove();
      this.#rows.delete(name);
    }
    for (const [i, { name }] of known.entries()) {
      const { root } = this.#rows.get(name)!;
      if (this.#body.children[i] !== root) {
        this.#body.insertBefore(root, this.#body.children[i] ?? null);
      }
    }
    while (this.#log.children.length > commands.length) this.#log.lastElementChild!.remove();
    for (const { command, step } of commands.slice(this.#log.children.length)) {
      this.#log.append(h("li", {}, `Step ${countText(step)}: ${commandText(command)}`));
    }
    setShown(this.#log, commands.length > 0);
  }

  #makeRow(name: string): Row {
    const button = h("button.switch", {
      type: "button",
      role: "switch",
      "aria-checked": "false",
      "aria-label": `Hook ${name}`,
      onclick: async () => {
        const enabled = button.getAttribute("aria-checked") !== "true";
        button.setAttribute("aria-busy", "true");
        const isSent = await this.#actions.send({ action: "hook", name, enabled });
        button.removeAttribute("aria-busy");
        // The run reports the hook again once the command has acted. Until then the switch shows what was asked for.
        if (isSent) button.setAttribute("aria-checked", String(enabled));
      },
    });
    const stages = h("span.note"), every = h("td.number"), time = h("td.number");
    const root = h(
      "tr",
      {},
      h("td", {}, button),
      h("th", { scope: "row" }, h("span.hook-name", {}, name), stages),
      every,
      time,
    );
    return {
      root,
      show({ stages: names, frequency, isEnabled, milliseconds }, isControllable) {
        button.disabled = !isControllable;
        button.setAttribute("aria-checked", String(isEnabled));
        setText(stages, names.map((stage) => stage.replace(/^.*\//, "")).join(", "));
        setText(every, frequency === undefined ? "–" : countText(frequency));
        setText(time, numberText(milliseconds, 4));
      },
    };
  }
}
