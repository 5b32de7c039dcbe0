/**
 * Pictures of structures, as parts of a report.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type {
  ReportBlock,
  ReportContent,
  ReportPicture,
  ReportSection,
} from "../../config/report/report_content.ts";
import { atomsSvg } from "../draw/atoms.ts";

/** Largest number of atoms in a picture. */
const LARGEST = 200_000;

/** A structure, and its title. */
export interface Shown {
  readonly system: System;
  readonly title: string;
}

/** Blocks of the pictures, and a warning if they cannot be made. */
export interface StructurePictures {
  readonly blocks: readonly ReportBlock[];
  readonly warning?: string;
}

/** A structure that cannot be read is a warning: the rest of the report is worth having. */
export async function pictured(read: () => Promise<readonly Shown[]>): Promise<StructurePictures> {
  try {
    const all = await read();
    const small = all.filter(({ system }) => system.nodeCount <= LARGEST);
    const pictures = small.map(({ system, title }, i): ReportPicture => ({
      kind: "plot",
      name: `structure_${i === 0 ? "first" : "last"}`,
      title,
      svg: atomsSvg(system, { title }),
    }));
    return {
      blocks: pictures.length === 0 ? [] : [{ kind: "row", pictures }],
      ...(small.length < all.length &&
        { warning: `There is no picture of structures with more than ${LARGEST} atoms.` }),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { blocks: [], warning: `There is no picture of the structures: ${reason}` };
  }
}

/** Returns the warnings of a report. */
export function warningsOf({ sections }: ReportContent): readonly string[] {
  return sections.filter(({ title }) => title === "Warnings").flatMap(({ blocks }) => blocks)
    .flatMap((block) => block.kind === "list" ? block.items : []);
}

/** Returns the content with pictures after the facts and the warnings. */
export function withPictures(
  content: ReportContent,
  { blocks, warning }: StructurePictures,
): ReportContent {
  const isBefore = ({ title }: ReportSection) => title === "Run" || title === "Warnings";
  const warnings = [...warningsOf(content), ...(warning === undefined ? [] : [warning])];
  const sections: ReportSection[] = [
    ...content.sections.filter(({ title }) => title === "Run"),
    { title: "Warnings", blocks: warnings.length === 0 ? [] : [{ kind: "list", items: warnings }] },
    { title: "Structures", blocks },
    ...content.sections.filter((section) => !isBefore(section)),
  ];
  return { ...content, sections: sections.filter(({ blocks }) => blocks.length > 0) };
}
