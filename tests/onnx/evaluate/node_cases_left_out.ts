/**
 * Node tests of the Python package onnx that the evaluator does not pass, by the reason why; names without "test_".
 */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "what is expected was typed in with four digits": `
    averagepool_2d_ceil_last_window_starts_on_pad
  `,
  "floats of 4 or 8 bits": `
    cast_FLOAT16_to_FLOAT4E2M1 cast_FLOAT16_to_FLOAT8E4M3FN cast_FLOAT16_to_FLOAT8E4M3FNUZ
    cast_FLOAT16_to_FLOAT8E5M2 cast_FLOAT16_to_FLOAT8E5M2FNUZ cast_FLOAT4E2M1_to_FLOAT
    cast_FLOAT4E2M1_to_FLOAT16 cast_FLOAT8E4M3FNUZ_to_FLOAT cast_FLOAT8E4M3FNUZ_to_FLOAT16
    cast_FLOAT8E4M3FN_to_FLOAT cast_FLOAT8E4M3FN_to_FLOAT16 cast_FLOAT8E5M2FNUZ_to_FLOAT
    cast_FLOAT8E5M2FNUZ_to_FLOAT16 cast_FLOAT8E5M2_to_FLOAT cast_FLOAT8E5M2_to_FLOAT16
    cast_FLOAT_to_FLOAT4E2M1 cast_FLOAT_to_FLOAT8E4M3FN cast_FLOAT_to_FLOAT8E4M3FNUZ
    cast_FLOAT_to_FLOAT8E5M2 cast_FLOAT_to_FLOAT8E5M2FNUZ cast_e8m0_FLOAT16_to_FLOAT8E8M0
    cast_e8m0_FLOAT8E8M0_to_FLOAT cast_e8m0_FLOAT8E8M0_to_FLOAT16 cast_e8m0_FLOAT_to_FLOAT8E8M0
    cast_no_saturate_FLOAT16_to_FLOAT8E4M3FN cast_no_saturate_FLOAT16_to_FLOAT8E4M3FNUZ
    cast_no_saturate_FLOAT16_to_FLOAT8E5M2 cast_no_saturate_FLOAT16_to_FLOAT8E5M2FNUZ
    cast_no_saturate_FLOAT_to_FLOAT8E4M3FN cast_no_saturate_FLOAT_to_FLOAT8E4M3FNUZ
    cast_no_saturate_FLOAT_to_FLOAT8E5M2 cast_no_saturate_FLOAT_to_FLOAT8E5M2FNUZ
    castlike_FLOAT16_to_FLOAT4E2M1 castlike_FLOAT16_to_FLOAT4E2M1_expanded
    castlike_FLOAT16_to_FLOAT8E4M3FN castlike_FLOAT16_to_FLOAT8E4M3FNUZ
    castlike_FLOAT16_to_FLOAT8E4M3FNUZ_expanded castlike_FLOAT16_to_FLOAT8E4M3FN_expanded
    castlike_FLOAT16_to_FLOAT8E5M2 castlike_FLOAT16_to_FLOAT8E5M2FNUZ
    castlike_FLOAT16_to_FLOAT8E5M2FNUZ_expanded castlike_FLOAT16_to_FLOAT8E5M2_expanded
    castlike_FLOAT4E2M1_to_FLOAT castlike_FLOAT4E2M1_to_FLOAT16
    castlike_FLOAT4E2M1_to_FLOAT16_expanded castlike_FLOAT4E2M1_to_FLOAT_expanded
    castlike_FLOAT8E4M3FNUZ_to_FLOAT castlike_FLOAT8E4M3FNUZ_to_FLOAT16
    castlike_FLOAT8E4M3FNUZ_to_FLOAT16_expanded castlike_FLOAT8E4M3FNUZ_to_FLOAT_expanded
    castlike_FLOAT8E4M3FN_to_FLOAT castlike_FLOAT8E4M3FN_to_FLOAT16
    castlike_FLOAT8E4M3FN_to_FLOAT16_expanded castlike_FLOAT8E4M3FN_to_FLOAT_expanded
    castlike_FLOAT8E5M2FNUZ_to_FLOAT castlike_FLOAT8E5M2FNUZ_to_FLOAT16
    castlike_FLOAT8E5M2FNUZ_to_FLOAT16_expanded castlike_FLOAT8E5M2FNUZ_to_FLOAT_expanded
    castlike_FLOAT8E5M2_to_FLOAT castlike_FLOAT8E5M2_to_FLOAT16
    castlike_FLOAT8E5M2_to_FLOAT16_expanded castlike_FLOAT8E5M2_to_FLOAT_expanded
    castlike_FLOAT_to_FLOAT4E2M1 castlike_FLOAT_to_FLOAT4E2M1_expanded
    castlike_FLOAT_to_FLOAT8E4M3FN castlike_FLOAT_to_FLOAT8E4M3FNUZ
    castlike_FLOAT_to_FLOAT8E4M3FNUZ_expanded castlike_FLOAT_to_FLOAT8E4M3FN_expanded
    castlike_FLOAT_to_FLOAT8E5M2 castlike_FLOAT_to_FLOAT8E5M2FNUZ
    castlike_FLOAT_to_FLOAT8E5M2FNUZ_expanded castlike_FLOAT_to_FLOAT8E5M2_expanded
    castlike_no_saturate_FLOAT16_to_FLOAT8E4M3FN castlike_no_saturate_FLOAT16_to_FLOAT8E4M3FNUZ
    castlike_no_saturate_FLOAT16_to_FLOAT8E4M3FNUZ_expanded
    castlike_no_saturate_FLOAT16_to_FLOAT8E4M3FN_expanded
    castlike_no_saturate_FLOAT16_to_FLOAT8E5M2 castlike_no_saturate_FLOAT16_to_FLOAT8E5M2FNUZ
    castlike_no_saturate_FLOAT16_to_FLOAT8E5M2FNUZ_expanded
    castlike_no_saturate_FLOAT16_to_FLOAT8E5M2_expanded
    castlike_no_saturate_FLOAT_to_FLOAT8E4M3FN castlike_no_saturate_FLOAT_to_FLOAT8E4M3FNUZ
    castlike_no_saturate_FLOAT_to_FLOAT8E4M3FNUZ_expanded
    castlike_no_saturate_FLOAT_to_FLOAT8E4M3FN_expanded castlike_no_saturate_FLOAT_to_FLOAT8E5M2
    castlike_no_saturate_FLOAT_to_FLOAT8E5M2FNUZ
    castlike_no_saturate_FLOAT_to_FLOAT8E5M2FNUZ_expanded
    castlike_no_saturate_FLOAT_to_FLOAT8E5M2_expanded
  `,
  "whole numbers of 2 or 4 bits": `
    cast_FLOAT16_to_INT2 cast_FLOAT16_to_INT4 cast_FLOAT16_to_UINT2 cast_FLOAT16_to_UINT4
    cast_FLOAT_to_INT2 cast_FLOAT_to_INT4 cast_FLOAT_to_UINT2 cast_FLOAT_to_UINT4
    cast_INT2_to_FLOAT cast_INT2_to_FLOAT16 cast_INT2_to_INT8 cast_INT4_to_FLOAT
    cast_INT4_to_FLOAT16 cast_INT4_to_INT8 cast_UINT2_to_FLOAT cast_UINT2_to_FLOAT16
    cast_UINT2_to_UINT8 cast_UINT4_to_FLOAT cast_UINT4_to_FLOAT16 cast_UINT4_to_UINT8
    castlike_FLOAT16_to_INT2 castlike_FLOAT16_to_INT2_expanded castlike_FLOAT16_to_INT4
    castlike_FLOAT16_to_INT4_expanded castlike_FLOAT16_to_UINT2
    castlike_FLOAT16_to_UINT2_expanded castlike_FLOAT16_to_UINT4
    castlike_FLOAT16_to_UINT4_expanded castlike_FLOAT_to_INT2 castlike_FLOAT_to_INT2_expanded
    castlike_FLOAT_to_INT4 castlike_FLOAT_to_INT4_expanded castlike_FLOAT_to_UINT2
    castlike_FLOAT_to_UINT2_expanded castlike_FLOAT_to_UINT4 castlike_FLOAT_to_UINT4_expanded
    castlike_INT2_to_FLOAT castlike_INT2_to_FLOAT16 castlike_INT2_to_FLOAT16_expanded
    castlike_INT2_to_FLOAT_expanded castlike_INT2_to_INT8 castlike_INT2_to_INT8_expanded
    castlike_INT4_to_FLOAT castlike_INT4_to_FLOAT16 castlike_INT4_to_FLOAT16_expanded
    castlike_INT4_to_FLOAT_expanded castlike_INT4_to_INT8 castlike_INT4_to_INT8_expanded
    castlike_UINT2_to_FLOAT castlike_UINT2_to_FLOAT16 castlike_UINT2_to_FLOAT16_expanded
    castlike_UINT2_to_FLOAT_expanded castlike_UINT2_to_UINT8 castlike_UINT2_to_UINT8_expanded
    castlike_UINT4_to_FLOAT castlike_UINT4_to_FLOAT16 castlike_UINT4_to_FLOAT16_expanded
    castlike_UINT4_to_FLOAT_expanded castlike_UINT4_to_UINT8 castlike_UINT4_to_UINT8_expanded
  `,
  "texts": `
    equal_string equal_string_broadcast
  `,
  "sequences": `
    identity_opt identity_sequence
  `,
  "training draws random numbers": `
    training_dropout training_dropout_default training_dropout_default_mask
    training_dropout_mask
  `,
};
