import type { IncomingHttpHeaders } from 'node:http'

export type HttpRequest = {
  method: string
  /** Decoded, without the query. */
  path: string
  query: URLSearchParams
  /** Path and query as they were sent. */
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export type HttpReply = {
  status: number
  /** A string goes out as it is, anything else as JSON. */
  body: unknown
  headers?: Record<string, string>
}

/** One WebSocket client. */
export type Peer = {
  /** The handshake. */
  readonly request: HttpRequest
  /** A string goes out as it is, anything else as JSON. Passes through the faults of the host. */
  send(message: unknown): void
  close(code: number, reason: string): void
  onText(listener: (text: string) => void): void
  onClose(listener: () => void): void
  bufferedBytes(): number
}

export type HostParts = {
  http?: (request: HttpRequest) => HttpReply | Promise<HttpReply>
  /** Refuses a handshake by returning a reply. */
  refuse?: (request: HttpRequest) => HttpReply | undefined
  connect?: (peer: Peer) => void
  /** Handshakes wait for it. */
  opened?: Promise<void>
}
