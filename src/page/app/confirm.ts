/**
 * Questions before commands that cannot be undone.
 *
 * @module
 */

import { h } from "./element.ts";

/** Asks a question in a dialog, and returns whether the answer is yes. */
export function confirmed(question: string, yes: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const dialog = h(
    "dialog",
    { "aria-labelledby": "question" },
    h(
      "form",
      { method: "dialog" },
      h("p", { id: "question" }, question),
      h(
        "div.actions",
        {},
        h("button", { value: "no", autofocus: true }, "Cancel"),
        h("button.danger", { value: "yes" }, yes),
      ),
    ),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "yes");
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}
