/** Prints a warning: the default of `onWarning`. */
export function printWarning(message: string): void {
  // deno-lint-ignore no-console house/no-console -- an unseen warning would be worse; `onWarning` replaces this
  console.warn(message);
}
