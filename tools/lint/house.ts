/**
 * The house rules as a plugin of `deno lint`: what the recommended rules do not know about this package.
 *
 * Unused variables, `any` and the like are theirs. `erasableSyntaxOnly` and the architecture test cover some
 * of the same ground later and more slowly; here the editor shows it while one types.
 *
 * @module
 */

import { decodedPath } from "./decoded_path.ts";
import { errorWording } from "./error_wording.ts";
import { fileName } from "./file_name.ts";
import { functionLength } from "./function_length.ts";
import { hotLoops } from "./hot.ts";
import { imports } from "./imports.ts";
import { erasable, ignoreWithReason, inheritance, noConsole } from "./language.ts";
import { mutableFields } from "./mutable_fields.ts";
import { spreadLiteral } from "./spread_literal.ts";

const house: Deno.lint.Plugin = {
  name: "house",
  rules: {
    "decoded-path": decodedPath,
    "erasable": erasable,
    "error-wording": errorWording,
    "file-name": fileName,
    "function-length": functionLength,
    "hot-loops": hotLoops,
    "ignore-with-reason": ignoreWithReason,
    "imports": imports,
    "inheritance": inheritance,
    "mutable-fields": mutableFields,
    "no-console": noConsole,
    "spread-literal": spreadLiteral,
  },
};

export default house;
