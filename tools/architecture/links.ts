import { codeOf } from "./code.ts";

const LINK = /\{@link(?:code|plain)? +(\w+)/g;
const EXPORTED =
  /\bexport (?:declare |abstract |async )*(?:class|const|function\*?|interface|type) +(\w+)/g;

/**
 * Returns the links of comments whose name neither the file itself has in its code nor any file exports, such as the
 * old name of something that was renamed.
 */
export function findBrokenLinks(sources: ReadonlyMap<string, string>): string[] {
  const code = new Map([...sources].map(([file, text]) => [file, codeOf(text)]));
  const exported = new Set(
    [...code.values()].flatMap((text) => [...text.matchAll(EXPORTED)].map(([, name]) => name!)),
  );
  return [...sources].flatMap(([file, text]) => {
    const names = new Set([...text.matchAll(LINK)].map(([, name]) => name!));
    const words = new Set(names.size === 0 ? [] : code.get(file)!.match(/\w+/g));
    return [...names].filter((name) => !exported.has(name) && !words.has(name))
      .map((name) => `${file} links to ${name}, which does not exist`);
  });
}
