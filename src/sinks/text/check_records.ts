import { CHANGED, type CheckedPart, MISSING } from "../damage.ts";
import type { TextFormat } from "./text_format.ts";

/**
 * Compares records with their checksums, and reads them. A record without a checksum is damaged if a later record
 * states that it was written with one; other records without a checksum were written by other programs.
 *
 * @param lines the number of the first line of each record, from 1, and of the line after the last record
 * @param textOf returns the text of a record, which may end with blank lines
 */
export async function* checkRecords<T>(
  format: TextFormat<T>,
  lines: readonly number[],
  textOf: (record: number) => Promise<string>,
): AsyncGenerator<CheckedPart, void> {
  /**
   * Records without a checksum. Whether they were written with one is not known until a later record with a
   * checksum is read.
   */
  let open: number[] = [];
  const partOf = (record: number) => ({
    place: placeOf(record, lines[record]!, lines[record + 1]!),
    isSummed: false,
    systems: 1,
  });
  for (let record = 0; record < lines.length - 1; record++) {
    const text = await textOf(record), line = lines[record]!;
    const { isRight, from } = format.sumOf?.(text) ?? { isRight: undefined, from: undefined };
    const part = partOf(record), reason = isRight === false ? CHANGED : wrongIn(format, text, line);
    if (isRight === undefined) {
      if (reason !== undefined) yield { ...part, reason };
      else if (from !== undefined) yield { ...part, reason: MISSING };
      else open.push(record);
      continue;
    }
    if (isRight) {
      for (const one of open) {
        yield one < (from ?? 0) ? partOf(one) : { ...partOf(one), reason: MISSING };
      }
      open = [];
    }
    yield { ...part, isSummed: true, ...(reason !== undefined && { reason }) };
  }
  yield* open.map(partOf);
}

/** Returns the location of a record as text for human readers. Records and lines are counted from 1. */
function placeOf(record: number, line: number, next: number): string {
  const last = next - 1;
  return last > line ? `frame ${record + 1}, lines ${line} to ${last}` : `line ${line}`;
}

function wrongIn<T>(format: TextFormat<T>, text: string, line: number): string | undefined {
  try {
    format.decode(text, line);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
