/**
 * Error thrown if machines that train together have lost one of them. The training can go on: open the group again,
 * and load the last checkpoint.
 *
 * @example
 * ```ts
 * import { GroupLostError } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new GroupLostError("machine 2 has sent nothing for 60 s");
 * assertEquals(error.reason, "machine 2 has sent nothing for 60 s");
 * ```
 */
export class GroupLostError extends Error {
  /** Name of the error. */
  override readonly name = "GroupLostError";
  /** Cause in words. */
  readonly reason: string;

  /** Creates the error. The message contains the reason. */
  constructor(reason: string) {
    super(
      `Cannot continue to train on many machines: ${reason}. ` +
        "Open the group again, and resume from the last checkpoint",
    );
    this.reason = reason;
  }
}
