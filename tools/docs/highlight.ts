/**
 * Colors for source code in the site.
 *
 * @module
 */

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const KEYWORDS = "abstract|as|async|await|break|case|catch|class|const|continue|default|do|else|" +
  "export|extends|false|finally|for|from|function|if|implements|import|in|instanceof|interface|" +
  "let|new|null|of|private|readonly|return|satisfies|static|super|switch|this|throw|true|try|" +
  "type|typeof|undefined|using|var|void|while|yield";

/** Comments, strings, words of the language, and numbers. */
const TOKENS = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|` + "`(?:\\\\.|[^`\\\\])*`)",
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b)`,
    String.raw`(?<number>\b\d[\d_.]*(?:e[+-]?\d+)?\b)`,
  ].join("|"),
  "g",
);

/** Languages that share the tokens of TypeScript closely enough. */
const COLORED = /^(ts|js|typescript|javascript|json|rust|rs)$/;

/** Returns source code as HTML. Code in a language without colors is escaped. */
export function highlight(code: string, language: string): string {
  if (!COLORED.test(language)) return escapeHtml(code);
  let html = "", at = 0;
  for (const match of code.matchAll(TOKENS)) {
    const kind = Object.entries(match.groups!).find(([, text]) => text !== undefined)![0];
    html += escapeHtml(code.slice(at, match.index));
    html += `<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}
