/**
 * Numbers, times and sizes as text.
 *
 * @module
 */

import type { RunCommand, RunInfo } from "../protocol.ts";

/** Returns a number with up to `digits` significant digits and a real minus sign; a dash if it is missing. */
export function numberText(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e9)
    ? value.toExponential(Math.max(0, Math.min(3, digits - 1))).replace("e+", "e")
    : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−");
}

/** Returns a whole number with thin spaces between groups of three digits. */
export function countText(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/** Returns a number of bytes as text. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000, unit = 0;
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

/** Returns a duration in its two largest units. */
export function durationText(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor(s / 3600) % 24} h`;
}

/** Words for the states of a run. */
export const STATE_WORDS: Readonly<Record<RunInfo["state"], string>> = {
  running: "Running",
  paused: "Paused",
  completed: "Completed",
  warned: "Completed with warnings",
  interrupted: "Interrupted",
  failed: "Failed",
};

/** Words for the kinds of runs. */
export const KIND_WORDS: Readonly<Record<RunInfo["kind"], string>> = {
  md: "Molecular dynamics",
  relax: "Relaxation",
  screen: "Screening",
  train: "Training",
  run: "Run",
};

/** Describes a command that was carried out. */
export function commandText(command: RunCommand): string {
  switch (command.action) {
    case "stop":
      return "Run stopped";
    case "pause":
      return "Run paused";
    case "resume":
      return "Run resumed";
    case "hook":
      return `Hook ${command.name} ${command.enabled ? "enabled" : "disabled"}`;
  }
}
