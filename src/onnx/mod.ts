/**
 * Reads, builds, edits, differentiates and runs ONNX models.
 *
 * @example Prepare a model for capture on WebGPU
 * ```ts
 * import { captureSafe, decodeModel, Graph, int64ToInt32, lennardJonesModel } from "@hooke/hooke/onnx";
 *
 * const graph = new Graph(decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 })));
 * int64ToInt32(graph);
 * captureSafe(graph);
 * const bytes = graph.encode();
 * ```
 *
 * @module
 */

export type { Attributes, AttributeValue } from "./codec/attributes.ts";
export {
  floatAttribute,
  floatsAttribute,
  intAttribute,
  intsAttribute,
  textAttribute,
} from "./codec/attributes.ts";
export type { DecodeOptions } from "./codec/codec.ts";
export { decodeModel, encodeModel } from "./codec/codec.ts";
export type { DescribeOptions, ModelDescription, ValueMemory } from "./describe/describe_model.ts";
export { describeModel, showModel } from "./describe/describe_model.ts";
export { acosToAtan } from "./passes/acos_to_atan.ts";
export type { AuditOptions, RootWarning } from "./passes/audit_roots.ts";
export { auditRoots } from "./passes/audit_roots.ts";
export { clipCosines } from "./passes/clip_cosines.ts";
export { captureSafe } from "./passes/capture_safe.ts";
export { constantOfShapeToExpand } from "./passes/constant_of_shape_to_expand.ts";
export { dropIdentities } from "./passes/drop_identities.ts";
export { contractSmallFirst } from "./passes/products/contract_small_first.ts";
export { einsumToMatMul } from "./passes/products/einsum_to_mat_mul.ts";
export type { FoldConstantsOptions } from "./passes/fold_constants.ts";
export { foldConstants } from "./passes/fold_constants.ts";
export type { Int64ToInt32Options } from "./passes/int64_to_int32.ts";
export { int64ToInt32 } from "./passes/int64_to_int32.ts";
export { matMulToMul } from "./passes/products/mat_mul_to_mul.ts";
export { multiplySmallFirst } from "./passes/products/multiply_small_first.ts";
export { mergeEquals } from "./passes/merge_equals.ts";
export type { Pass, PassOptions, PassReport } from "./passes/pass.ts";
export {
  PROCESSOR_PASSES,
  runPasses,
  showPasses,
  SIMPLIFYING_PASSES,
  WEBGPU_PASSES,
} from "./passes/passes.ts";
export { reduceLastAxis } from "./passes/reduce_last_axis.ts";
export { multiplyBeforeGather } from "./passes/products/multiply_before_gather.ts";
export { repeatShortAxes } from "./passes/products/repeat_short_axes.ts";
export { indexWholeRows } from "./passes/rows/index_whole_rows.ts";
export { selectRowsFirst } from "./passes/rows/select_rows_first.ts";
export { shareActivations } from "./passes/slopes/share_activations.ts";
export { shareNormalized } from "./passes/slopes/share_normalized.ts";
export { sigmoidFromParts } from "./passes/sigmoid_from_parts.ts";
export type { StrainInputOptions } from "./passes/strain_input.ts";
export { strainInput } from "./passes/strain_input.ts";
export type { ElementType } from "./codec/element_type.ts";
export type { Evaluator, EvaluatorOptions } from "./evaluate/evaluator.ts";
export { openEvaluator } from "./evaluate/evaluator.ts";
export type { PlainFeeds } from "./evaluate/feeds.ts";
export type { Evaluate, EvaluateContext, Operators } from "./evaluate/operator.ts";
export type { PlainTensor } from "./evaluate/plain_tensor.ts";
export type { ReadExternal } from "./codec/external_data.ts";
export type { EvaluatorSessionOptions } from "./session/evaluator_session.ts";
export { evaluatorSession } from "./session/evaluator_session.ts";
export { externalFiles, loadExternalData } from "./codec/external_data.ts";
export type { GpuFormOptions } from "./session/gpu_form.ts";
export { gpuForm } from "./session/gpu_form.ts";
export type { GradientGraph } from "./grad/gradient.ts";
export { gradient } from "./grad/gradient.ts";
export type { GradientOptions } from "./grad/gradient_options.ts";
export type { GradientWriter, WriterOperand } from "./grad/gradient_writer.ts";
export type { OperatorGradient, Placed, Share, Step } from "./grad/rule.ts";
export type { GradientRuleSet } from "./grad/rules.ts";
export { gradientRules } from "./grad/rules.ts";
export type { NodeOptions } from "./graph/graph_nodes.ts";
export { Graph } from "./graph/graph.ts";
export type { Use } from "./graph/graph_links.ts";
export type { GraphBuilderOptions, NumericType, Operand, Value } from "./graph/graph_builder.ts";
export { GraphBuilder } from "./graph/graph_builder.ts";
export type { Fact, KnownShape } from "./infer/fact.ts";
export { GraphFacts } from "./infer/facts.ts";
export type { KnownLength } from "./infer/length.ts";
export type { LennardJonesModelOptions } from "./forces/lennard_jones_model.ts";
export { lennardJonesModel } from "./forces/lennard_jones_model.ts";
export type {
  AttributeProto,
  GraphProto,
  ModelProto,
  NodeProto,
  TensorProto,
  ValueInfoProto,
} from "./codec/messages.ts";
export { expose } from "./taps/expose.ts";
export type { HistogramOptions } from "./taps/histogram.ts";
export type { FedPatchOptions, Patch, PatchOptions } from "./taps/patch.ts";
export type { DeltaOptions } from "./taps/patches.ts";
export { addTo, replaceBy, scaleBy, zero } from "./taps/patches.ts";
export type { PointKind, TensorPoint } from "./taps/points.ts";
export { points, showPoints } from "./taps/points.ts";
export type {
  ScalarStatistic,
  StatisticName,
  StatisticsOptions,
  TensorStatistics,
} from "./taps/statistics.ts";
export { statistics } from "./taps/statistics.ts";
export type { TensorElements } from "./codec/tensor_proto.ts";
export { makeTensorProto, tensorValues } from "./codec/tensor_proto.ts";
export type { UnsupportedNode } from "./graph/unsupported_node_error.ts";
export { UnsupportedNodeError } from "./graph/unsupported_node_error.ts";
export type { Length, Shape, ValueDescription } from "./codec/value_info.ts";
export { valueInfo } from "./codec/value_info.ts";
export { openSession } from "./session/open_session.ts";
export type { SessionCheck, SessionCheckOptions, SessionFinding } from "./session/check_session.ts";
export { checkSession } from "./session/check_session.ts";
export type {
  Comparison,
  Difference,
  FeedsByInput,
  Tolerance,
} from "./session/compare_sessions.ts";
export { compareSessions, compareTensors } from "./session/compare_sessions.ts";
export type { WorkerSession, WorkerSessionOptions } from "./session/workers/session_in_worker.ts";
export { openSessionInWorker } from "./session/workers/session_in_worker.ts";
export { withRuntime } from "./session/session_lock.ts";
export type { OutputLocation, SessionOptions } from "./session/session_options.ts";
export type { DownloadOptions } from "./session/download.ts";
export type { ExternalTensor, ModelOutline, OperatorUse } from "./describe/model_outline.ts";
export { outlineModel } from "./describe/model_outline.ts";
export type { Session } from "./session/session_run.ts";
export type { SessionDevice } from "./session/session_runtime.ts";
export type { ModelSource } from "./session/session_source.ts";
export type {
  ArrayByDtype,
  Feeds,
  Fetches,
  GpuFeed,
  GpuTensor,
  HostFeed,
  HostFetch,
  HostTensor,
  Outputs,
  TensorArray,
  TensorDtype,
  TensorInfo,
} from "./session/session_tensor.ts";
export { createTensorBuffer, dataOf } from "./session/session_tensor.ts";
export type { WorkerSessionInfo } from "./session/workers/worker_messages.ts";
export type { FallbackOperator } from "./describe/webgpu_operators.ts";
export { webgpuFallbacks } from "./describe/webgpu_operators.ts";
export type { PairList, StrainedValues } from "./forces/strained_values.ts";
export type { ForcesModel, ForcesReport } from "./forces/forces_report.ts";
export { showForces } from "./forces/forces_report.ts";
export type { WithForcesOptions } from "./forces/with_forces.ts";
export { FORCE_PASSES, PROCESSOR_FORCE_PASSES, withForces } from "./forces/with_forces.ts";
