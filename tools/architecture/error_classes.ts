import { codeOf } from "./code.ts";

/** The error classes in these sources, by name, with the file that declares each. */
export function errorClasses(sources: ReadonlyMap<string, string>): Map<string, string> {
  const classes = new Map<string, string>();
  for (const [file, text] of sources) {
    for (const [, name] of codeOf(text).matchAll(/\bclass (\w+)[^{]*\bextends \w*Error\b/g)) {
      classes.set(name!, file);
    }
  }
  return classes;
}

/**
 * Returns faults of error classes: classes that are not exported, so that programs cannot catch them, and classes
 * that are never thrown.
 */
export function findIdleErrors(
  sources: ReadonlyMap<string, string>,
  exported: ReadonlySet<string>,
): string[] {
  const all = [...sources.values()].map(codeOf).join("\n");
  return [...errorClasses(sources)].flatMap(([name, file]) => [
    ...exported.has(name) ? [] : [`${file} declares ${name}, which no entry point exports`],
    ...new RegExp(`\\bnew ${name}\\b`).test(all) ? [] : [`${file} declares ${name}, never made`],
  ]);
}
