// tsc emits only what it compiles; the plain-SQL migrations travel beside the compiled store.
import { cpSync } from 'node:fs'

const root = new URL('..', import.meta.url)
cpSync(new URL('src/store/migrations', root), new URL('dist/src/store/migrations', root), {
  recursive: true,
})
