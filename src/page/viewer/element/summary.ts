/**
 * Descriptions of frames and atoms in words, on the screen and for screen readers.
 *
 * @module
 */

import type { ViewerFrame } from "../../protocol.ts";
import type { AtomView } from "../atom_view.ts";
import { formulaOf, symbolOf, unitOf } from "../color_by.ts";
import { shortNumber } from "./legend.ts";
import { measurementText } from "../measuring.ts";
import type { PickedAtom } from "../picking.ts";

/** Returns a description of a frame: formula, number of atoms, and step. */
export function summaryOf(frame: ViewerFrame, index: number, count: number): string {
  const { numbers, step, label } = frame;
  return [
    `${formulaOf(frame)}, ${numbers.length} ${numbers.length === 1 ? "atom" : "atoms"}`,
    ...(label === undefined ? [] : [label]),
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(count > 1 ? [`frame ${index + 1} of ${count}`] : []),
  ].join(", ");
}

/** Returns a description of the selected atoms, and of what is measured between them; an empty text without any. */
export function selectionText(view: AtomView): string {
  const { selection, frame } = view, measured = view.measured();
  if (selection.length === 0 || frame === undefined) return "";
  const names = selection.map(({ atom }) => nameOf(frame, atom)).join(" – ");
  if (measured !== undefined) return `${names}: ${measured.kind} ${measurementText(measured)}`;
  return `${names}: ${atomText(frame, selection[0]!)}`;
}

/** Returns the element and the index of an atom, counted from 0 as in files of Hooke. */
function nameOf({ numbers }: ViewerFrame, atom: number): string {
  return `${symbolOf(numbers[atom]!)} ${atom}`;
}

function atomText({ fields = {}, numbers }: ViewerFrame, { atom, position }: PickedAtom): string {
  const values = Object.entries(fields).map(([name, all]) => {
    const unit = unitOf(name), width = Math.round(all.length / numbers.length);
    const own = Array.from(all.subarray(width * atom, width * (atom + 1)), shortNumber);
    return `${name} ${own.length === 1 ? own[0] : `(${own.join(", ")})`}${
      unit === "" ? "" : ` ${unit}`
    }`;
  });
  const place = `(${position.map((x) => x.toFixed(3)).join(", ")}) Å`;
  return [place, ...values.slice(0, 4)].join(", ");
}
