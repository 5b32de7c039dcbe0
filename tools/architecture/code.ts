/** Comments, strings and regular expressions, and the code between the quotes of templates. */
const TOKENS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/**
 * Source text without comments and without the contents of strings, for questions about names. Expressions
 * inside templates are lost too, which the callers can afford.
 */
export function codeOf(text: string): string {
  return text.replace(TOKENS, (token) => token.startsWith("/") ? " " : '""');
}
