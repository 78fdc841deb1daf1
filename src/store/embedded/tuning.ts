const MIB = 1024 * 1024

export type ServerSettings = Record<string, string | number>

/**
 * Settings for a server that shares the machine with Auspex. `memoryBytes` is what the machine, or
 * the container around us, may use.
 */
export function tuneServer(memoryBytes: number): ServerSettings {
  const memoryMb = Math.max(256, Math.floor(memoryBytes / MIB))
  const share = (fraction: number, minMb: number, maxMb: number) =>
    `${Math.round(Math.min(maxMb, Math.max(minMb, memoryMb * fraction)))}MB`
  return {
    shared_buffers: share(0.15, 32, 8192),
    effective_cache_size: share(0.5, 128, 65_536),
    maintenance_work_mem: share(0.04, 16, 1024),
    work_mem: share(0.002, 4, 64),
    // More than AUSPEX_DATABASE_CONNECTIONS may ask for.
    max_connections: 250,
    max_wal_size: share(0.25, 256, 8192),
    min_wal_size: '80MB',
    checkpoint_timeout: '15min',
    random_page_cost: 1.1,
    // Queries are short and many; compiling them costs more than it saves.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
  }
}
