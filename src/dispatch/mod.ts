/**
 * Multiple dispatch: overload sets that pick the most specific row over all arguments, find ambiguity when a
 * row is added, and name the nearest rows when nothing matches.
 *
 * @module
 */

export { AmbiguousOverloadError, NoOverloadError } from "./rows.ts";
export { any } from "./matcher.ts";
export type { Class, Guard, KindLike, Literal, Match, MatchAll, Matcher } from "./matcher.ts";
export { overloads } from "./overload.ts";
export type { Overload } from "./overload.ts";
