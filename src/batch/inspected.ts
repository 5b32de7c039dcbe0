/** Lets `console.log` show what `toString` says, in Deno and Node. */
export function inspected(prototype: { toString(): string }): void {
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: { toString(): string }): string {
      return this.toString();
    },
  });
}
