export type {
  Answer,
  DownloadPath,
  ListPath,
  OptionsArgument,
  PathOf,
  RequestOptions,
  Row,
  Schemas,
} from './api-types.js'
export { AuspexClient, type ClientOptions, type DownloadFormat } from './auspex-client.js'
export { AuspexError } from './auspex-error.js'
export type { Book, BookSet } from './book-set.js'
export type { BookLevel } from './proven-book.js'
export type { WebSocketConstructor, WebSocketLike } from './reliable-socket.js'
export type { Replay } from './replay.js'
export type {
  BookMessage,
  BookMessagesOptions,
  EventStream,
  ReplayEnd,
  ReplayOptions,
  ReplayState,
  ReplayTime,
  StatusDetails,
  StatusListener,
  StreamEvent,
  StreamGap,
  StreamSchemas,
  StreamStatus,
  SubscribeOptions,
} from './stream-types.js'
export { verifyWebhook, type WebhookDelivery, type WebhookEvent } from './verify-webhook.js'
