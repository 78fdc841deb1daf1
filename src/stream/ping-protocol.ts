import type { Connection, Protocol } from './connection.js'

/** Answers `{"action":"ping"}` and refuses everything else. */
export const createPingProtocol = (connection: Connection): Protocol => ({
  onMessage: (text) =>
    connection.send(
      text.includes('"ping"')
        ? { type: 'pong', ts: Date.now() }
        : { type: 'error', code: 'invalid_message', message: 'Allowed actions: ping' },
    ),
  onClose: () => undefined,
})
