/** The public door: every export by name, no logic. */
export type { Archive, ArchivedFrame, ArchiveSource } from './archive/archive.js';
export { type ArchiveOptions, archiveHistory } from './archive/archive-history.js';
export type { Budget, BudgetOptions, Purpose } from './archive/budget.js';
export {
  type ContextBlock,
  type ContextOptions,
  contextBlocks,
  type SendLimits,
} from './archive/context-blocks.js';
export { createFrameCache, type FrameCache, type FrameCacheOptions } from './archive/frame-cache.js';
export { type LoadOptions, loadArchive } from './archive/load-archive.js';
export { type ArchivePlan, type PlanRow, planArchive } from './archive/plan-archive.js';
export { type RearchiveOptions, rearchive } from './archive/rearchive.js';
export {
  type RecoveredPiece,
  type RecoveredText,
  type RecoverOptions,
  type RecoverQuery,
  recoverText,
} from './archive/recover.js';
export { countFrames, type RenderedText, type RenderOptions, renderText } from './archive/render-text.js';
export { type SaveOptions, saveArchive } from './archive/save-archive.js';
export { type FrameFiles, type UploadOptions, uploadFrames } from './archive/transport.js';
export {
  type AnthropicOptions,
  type CacheOptions,
  type OpenAIOptions,
  toAISDK,
  toAnthropic,
  toGoogle,
  toOpenAIChat,
  toOpenAIResponses,
  toPi,
} from './archive/wire-forms.js';
export { estimateImageTokens } from './billing/image-tokens.js';
export { type ArchivePrice, priceArchive } from './billing/price-archive.js';
export { requestLimits } from './billing/request-limits.js';
export { estimateTextTokens } from './billing/text-tokens.js';
export { type ErrorCode, SnapcompactError } from './errors.js';
export { createRenderer, type RendererOptions } from './frame/create-renderer.js';
export { type DecodedFrame, type DecodeOptions, decodeFrame } from './frame/decode.js';
export type { Frame } from './frame/frame.js';
export type { Renderer } from './frame/renderer.js';
export { fromWebp } from './frame/webp.js';
export type { Block, History, Message, Role } from './history/history.js';
export { type FrameSize, type Geometry, shapeGeometry } from './page/geometry.js';
export { type Reader, type ReaderTarget, resolveReader } from './page/readers.js';
export { getShape, type Shape, shapes } from './page/shapes.js';
export { type NormalizedText, type NormalizeOptions, normalizeText } from './text/normalize.js';
export type { Segment } from './text/segment.js';
export { type SerializeOptions, serializeHistory } from './text/serialize.js';
export { detectFormat } from './transcript/detect-format.js';
export { transcriptFormats } from './transcript/formats.js';
export type { Importer, ImportReport, Transcript } from './transcript/importer.js';
export { type ReadTranscriptOptions, readTranscript } from './transcript/read-transcript.js';
