// The page: what it can be asked for, by global names. A page of a user's own would import the same.
import * as values from "./values.ts";

Object.assign(globalThis, values);
