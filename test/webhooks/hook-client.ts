/** What services encrypt secrets with: the same in all processes on a database. */
export const SECRET_KEY = '5f'.repeat(32)

/** A webhook as its owner has it. */
export type Hook = { id: string; secret: string }

/** A row of the delivery history. */
export type HistoryRow = {
  event_type: string
  event_id: string
  status_code: number | null
  latency_ms: number
  attempt: number
  success: boolean
  error: string | null
  delivered_at: string
}

type HookDraft = { url: string; event_types: readonly string[]; filters?: object }

const PAGE = 200

/** Manages webhooks over HTTP, as an account would. */
export function createHookClient(baseUrl: string, key: string) {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await fetch(`${baseUrl}/v3/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
  return {
    ask,
    create: async (draft: HookDraft) => (await ask('POST', '', draft)) as Hook,
    /** The whole history of a webhook, the newest first. */
    readHistory: async ({ id }: Hook): Promise<HistoryRow[]> => {
      const rows: HistoryRow[] = []
      for (;;) {
        const page = `/${id}/deliveries?limit=${PAGE}&offset=${rows.length}`
        const { deliveries } = (await ask('GET', page)) as { deliveries: HistoryRow[] }
        rows.push(...deliveries)
        if (deliveries.length < PAGE) return rows
      }
    },
  }
}

export type HookClient = ReturnType<typeof createHookClient>
