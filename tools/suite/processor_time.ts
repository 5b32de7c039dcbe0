/** The seconds that all ended processes which this one started took on processors; `undefined` off Linux. */
export function childProcessorSeconds(): number | undefined {
  let stat: string;
  try {
    stat = Deno.readTextFileSync("/proc/self/stat");
  } catch {
    return undefined;
  }
  // The name of the program is in parentheses and may contain spaces; the fields after it are numbers. Fields 16 and
  // 17 of the line are the children's times in user and system mode, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

let counted = 0;

/**
 * The processor seconds of the processes that ended since the last call, 0 off Linux. Called as soon as one process has
 * ended, it gives the seconds of that one, with the processes that it started.
 */
export function endedProcessorSeconds(): number {
  const all = childProcessorSeconds() ?? 0, ended = all - counted;
  counted = all;
  return ended;
}
