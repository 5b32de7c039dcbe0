/** Openings of doc comments that are clauses: readers expect a verb or a noun. */
export const CLAUSE: RegExp =
  /^(What|Whatever|Whether|Who|Whoever|Whose|Whom|How|Where|When|Which|Why|Something that)\b/;

/**
 * Openings of headings that readers do not search for, and phrases that they do not use. "How" and "When" are allowed,
 * as in "How data flows".
 */
export const ODD_HEADING: RegExp =
  /^(What|Whether|Who|Whom|Where|Why|The way of|Is|Are|Has)\b|\bone's own\b|\bthe same bits\b|\b(told|goes|waits|comes)\b|^When$/i;

/** Words and phrases to avoid, by the name of their column. */
export const WORDS: Readonly<Record<string, RegExp>> = {
  told: /\btold\b/gi,
  nobody: /\b(nobody|somebody|whoever)\b/gi,
  "so many": /\bso many\b/gi,
  // People are "who"; systems and errors are not.
  who:
    /(?<!\b(?:users?|readers?|people|those|anyone|engineers?|scientists?|authors?) )\b(who|whom)\b/gi,
  "is none": /@default none\b|(?<!\bthere )\b(is|are|be|was|were) none\b(?! of\b)/gi,
  "what is no": /\bwhat (is|are) no\b/gi,
  "one's own": /\bone's own\b/gi,
  "to the bit": /\bto the bit\b/gi,
  heed: /\b(heed|heeded|comers?|leaps?)\b/gi,
  "as it must": /\bas (it|they|there|each|all) must\b/gi,
  "Cannot … as … must": /\bCannot\b[^:]*\bas\b[^:]*\bmust\b/g,
  "current value": /: current \w+/g,
};
