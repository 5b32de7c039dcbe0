/**
 * Header of a run: name, state, progress, speed, and the buttons that control it.
 *
 * @module
 */

import { isEnded } from "./data/http_source.ts";
import { Pace } from "./data/pace.ts";
import type { ModelPart, RunModel } from "./data/run_model.ts";
import { confirmed } from "./confirm.ts";
import { h, setShown, setText } from "./element.ts";
import { countText, durationText, numberText, STATE_WORDS } from "./format.ts";
import type { RunActions, RunPanel } from "./panels/run_panel.ts";

/** Header of a run. */
export class RunHeader implements RunPanel {
  readonly parts: readonly ModelPart[] = ["info", "structures"];
  readonly root: HTMLElement;
  readonly #name: HTMLElement = h("h1", {}, "Loading …");
  readonly #state: HTMLElement = h("span.state", { role: "status" });
  readonly #progress: HTMLProgressElement = h("progress", { "aria-label": "Progress" });
  readonly #facts: HTMLElement = h("p.facts");
  readonly #pace = new Pace();
  readonly #pause: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;

  constructor(actions: RunActions, hasList: boolean) {
    this.#pause = h("button", {
      type: "button",
      onclick: async () => {
        const action = this.#pause.dataset.action === "resume" ? "resume" : "pause";
        this.#pause.disabled = true;
        await actions.send({ action });
        this.#pause.disabled = false;
      },
    }, "Pause");
    this.#stop = h("button", {
      type: "button",
      onclick: async () => {
        const question =
          "Stop this run? It ends after the current step, and writes its files. It can be resumed later.";
        if (await confirmed(question, "Stop the run")) await actions.send({ action: "stop" });
      },
    }, "Stop");
    this.root = h(
      "div.run-header",
      {},
      h(
        "div.title",
        {},
        hasList ? h("a.back", { href: "#", "aria-label": "All runs" }, "‹ Runs") : undefined,
        this.#name,
        this.#state,
      ),
      h("div.progress", {}, this.#progress, this.#facts),
      h("div.controls", {}, this.#pause, this.#stop),
    );
    setShown(this.#pause, false);
    setShown(this.#stop, false);
  }

  update({ run: known, structures }: RunModel): void {
    if (known === undefined) return;
    // Screenings count structures, which come with their rows.
    const run = known.kind === "screen" ? { ...known, step: structures.size } : known;
    const { name, state, step, steps, isControllable } = run;
    setText(this.#name, name);
    this.#name.title = name;
    setText(this.#state, STATE_WORDS[state]);
    this.#state.dataset.state = state;
    document.title = `${name} · ${STATE_WORDS[state]} · Hooke`;
    setShown(this.#progress, steps !== undefined && steps > 0);
    if (steps !== undefined && steps > 0) {
      this.#progress.max = steps;
      this.#progress.value = Math.min(step, steps);
    }
    const canChange = isControllable && !isEnded(run) && state !== "interrupted";
    setShown(this.#pause, canChange);
    setShown(this.#stop, canChange);
    this.#pause.dataset.action = state === "paused" ? "resume" : "pause";
    setText(this.#pause, state === "paused" ? "Resume" : "Pause");
    this.#pace.see(state === "running" ? step : undefined, performance.now() / 1000);
    setText(this.#facts, factsOf(run, this.#pace.rate).join(" · "));
  }
}

function factsOf(
  { kind, step, steps, dt, state, systems }: NonNullable<RunModel["run"]>,
  rate: number | undefined,
): string[] {
  const unit = kind === "screen" ? "structures" : "steps";
  const facts = [
    steps === undefined
      ? `${countText(step)} ${unit}`
      : `${countText(step)} of ${countText(steps)} ${unit}`,
  ];
  if (dt !== undefined) facts.push(`${numberText(step * dt / 1000, 4)} ps`);
  if (systems > 1 && kind !== "screen") facts.push(`${countText(systems)} systems`);
  if (state !== "running" || rate === undefined || rate <= 0) return facts;
  facts.push(`${numberText(rate, 3)} ${unit}/s`);
  if (dt !== undefined) facts.push(`${numberText(rate * dt * 86_400 / 1e6, 3)} ns/day`);
  if (steps !== undefined && steps > step) {
    facts.push(`${durationText((steps - step) / rate)} left`);
  }
  return facts;
}
