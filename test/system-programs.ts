import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs of the system with which tests try the service. `.ci/run` installs them from Debian's packages. */
export type SystemProgram =
  | 'java'
  | 'redis-server'
  | 'nginx'
  | 'haproxy'
  | 'promtool'
  | 'systemd-analyze'
  | 'zsh'
  | 'fish'

/** Where packages put servers; the PATH of a user may lack it. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin']

/** The path of a program; `undefined`: it is not installed, and the tests that need it are skipped. */
export function findProgram(name: SystemProgram): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SERVER_FOLDERS]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
