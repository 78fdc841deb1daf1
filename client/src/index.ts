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
export { verifyWebhook, type WebhookDelivery, type WebhookEvent } from './verify-webhook.js'
