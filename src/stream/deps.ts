import type { Accounts } from '../accounts/domain.js'
import type { BookSource } from '../books/live-books.js'
import type { Bus } from '../bus/bus.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { EventLog } from '../events/event-log.js'
import type { Platform } from '../platform.js'
import type { ReplayRecord } from '../replay/replay-record.js'
import type { LiveScores } from '../scores/live-scores.js'
import type { SocketSessions } from '../sessions/socket-sessions.js'

/** What the sockets need of the platform and of other domains. */
export type StreamDeps = Pick<
  Platform,
  'config' | 'clock' | 'log' | 'floodLog' | 'store' | 'answerSql' | 'metrics' | 'statusParts'
> &
  Pick<Accounts, 'admission' | 'keyRing' | 'usage' | 'shares' | 'reads'> & {
    socketSessions: SocketSessions
    bus: Bus
    eventLog: EventLog
    priceBus: Bus
    scoreBus: Bus
    scores: LiveScores
    books: BookSource
    catalogue: Catalogue
    /** What was published, for replays. */
    replayRecord: ReplayRecord
  }
