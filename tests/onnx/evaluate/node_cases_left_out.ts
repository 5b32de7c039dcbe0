/** Node tests of the Python package onnx that the evaluator does not pass, by the reason why. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  "what is expected was typed in with four digits": [
    "test_averagepool_2d_ceil_last_window_starts_on_pad",
  ],
};
