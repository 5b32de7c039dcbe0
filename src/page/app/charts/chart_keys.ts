/**
 * Keys of a chart: arrows move the cursor, Enter shows the structure, + and − zoom.
 *
 * @module
 */

import type { Series } from "../data/series.ts";
import type { View } from "./chart_data.ts";
import type { CursorStore } from "./cursor.ts";

/** Makes an element with a chart react to keys. */
export function keysOf(stage: HTMLElement, series: readonly Series[], cursor: CursorStore): void {
  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = series.reduce((a, b) => b.length > a.length ? b : a).steps;
    if (steps.length === 0 || !press(event.key, event.shiftKey, steps, cursor)) return;
    event.preventDefault();
  });
  stage.addEventListener("blur", () => cursor.set("step", undefined));
}

/** Carries out a key, and returns whether it means something. */
function press(key: string, isFar: boolean, steps: Float64Array, cursor: CursorStore): boolean {
  const { step, pinned, view } = cursor.state;
  const all = { from: steps[0]!, to: steps.at(-1)! };
  const now = step ?? pinned ?? all.to;
  const move = (points: number) => {
    const index = indexNear(steps, now) + points;
    cursor.set("step", steps[Math.max(0, Math.min(steps.length - 1, index))]!);
  };
  const far = Math.max(1, Math.round(steps.length / 20));
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      move(isFar ? -far : -1);
      break;
    case "ArrowRight":
    case "ArrowUp":
      move(isFar ? far : 1);
      break;
    case "PageDown":
      move(-far);
      break;
    case "PageUp":
      move(far);
      break;
    case "Home":
      cursor.set("step", all.from);
      break;
    case "End":
      cursor.set("step", all.to);
      break;
    case "Enter":
    case " ":
      cursor.pick(now);
      break;
    case "+":
    case "=":
      cursor.set("view", zoomed(view ?? all, now, 0.5));
      break;
    case "-":
      cursor.set("view", widened(zoomed(view ?? all, now, 2), all));
      break;
    case "0":
    case "Escape":
      cursor.set("view", undefined);
      break;
    default:
      return false;
  }
  return true;
}

function indexNear(steps: Float64Array, step: number): number {
  let low = 0, high = steps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]! < step) low = middle + 1;
    else high = middle;
  }
  return low > 0 && step - steps[low - 1]! < steps[low]! - step ? low - 1 : low;
}

/** Returns a view that is `factor` times as wide, with a step at the same place if it is visible. */
export function zoomed({ from, to }: View, step: number, factor: number): View {
  const center = step >= from && step <= to ? step : (from + to) / 2;
  return { from: center - (center - from) * factor, to: center + (to - center) * factor };
}

/** Returns a view within all; undefined if it shows everything. */
export function widened(view: View, all: View): View | undefined {
  const from = Math.max(all.from, view.from), to = Math.min(all.to, view.to);
  return from <= all.from && to >= all.to ? undefined : { from, to };
}
