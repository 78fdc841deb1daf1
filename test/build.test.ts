import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeOpenFolder } from './open-folder.js'

const ROOT = resolve(import.meta.dirname, '..')

/** A small project in the shape of ours, which `scripts/build.js` of this checkout builds. */
function createProject() {
  const folder = makeOpenFolder('build')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const name of ['src', 'sim', 'demo', 'bench', 'examples', 'test/universes'])
    write(`${name}/main.ts`, 'export {}\n')
  write('test/universes/child.ts', 'export {}\n')
  write('client/src/index.ts', 'export {}\n')
  write('web/src/main.tsx', 'export {}\n')
  write('web/index.html', '<script type="module" src="/src/main.tsx"></script>')
  write('web/package.json', '{"type": "module"}')
  write(
    'web/vite.config.ts',
    "export default { root: 'web', build: { outDir: '../dist/src/web', emptyOutDir: true } }\n",
  )
  for (const name of ['package-lock.json', 'scripts/build.js', 'scripts/bundle.js']) write(name, '{}')
  write('client/package.json', '{"type": "module"}')
  // In place of the documents of the service, and of the types that are generated from them.
  const makesFolder = (path: string) =>
    `import { appendFileSync, mkdirSync } from 'node:fs'
     mkdirSync('${path}', { recursive: true })
     appendFileSync('runs.txt', '${path}\\n')`
  write('scripts/write-documents.js', makesFolder('dist/documents'))
  write('client/scripts/generate-types.js', makesFolder('client/src/generated'))
  write('client/tsconfig.json', '{"compilerOptions": {"rootDir": "src", "outDir": "dist", "types": []}}')
  write('tsconfig.json', '{"compilerOptions": {"rootDir": ".", "skipLibCheck": true}}')
  const options = { noEmit: false, outDir: 'dist', incremental: true, types: [] }
  write('tsconfig.build.json', JSON.stringify({ extends: './tsconfig.json', compilerOptions: options }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const build = (...options: string[]) => {
    const args = [join(ROOT, 'scripts/build.js'), ...options]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
    })
    return { status, shown: stdout + stderr }
  }
  return { folder, write, build }
}

test('a build says what the wait is for, and repeats nothing that did not change', () => {
  const { folder, write, build } = createProject()
  write('src/store/migrations/000001_first.sql', 'select 1')
  const line = expect.stringMatching(/^Building Auspex: [^\n]+\n$/)
  expect(build()).toEqual({ status: 0, shown: line })
  expect(existsSync(join(folder, 'dist/src/main.js'))).toBe(true)
  expect(existsSync(join(folder, 'dist/bin/auspex.js'))).toBe(true)
  expect(existsSync(join(folder, 'client/dist/index.js'))).toBe(true)
  const copy = join(folder, 'dist/src/store/migrations/000001_first.sql')
  expect(existsSync(copy)).toBe(true)

  const startMs = performance.now()
  expect(build()).toEqual({ status: 0, shown: '' })
  expect(performance.now() - startMs).toBeLessThan(2_000)

  // The copy of a file that is gone goes too.
  rmSync(join(folder, 'src/store/migrations/000001_first.sql'))
  expect(build()).toEqual({ status: 0, shown: line })
  expect(existsSync(copy)).toBe(false)

  // The client is built again when it or the documents changed, not with every change of the service.
  const generated = () => readFileSync(join(folder, 'runs.txt'), 'utf8').match(/generated/g)?.length
  expect(generated()).toBe(1)
  write('client/src/index.ts', 'export const isNew = true\n')
  expect(build()).toEqual({ status: 0, shown: line })
  expect(readFileSync(join(folder, 'client/dist/index.js'), 'utf8')).toContain('isNew')
  expect(generated()).toBe(2)

  // What checks the types itself leaves them out here; the next build of all checks them.
  write('src/main.ts', 'export const n: number = "text"\n')
  expect(build('--unchecked')).toEqual({ status: 0, shown: line })
  expect(build('--unchecked')).toEqual({ status: 0, shown: '' })
  expect(build()).toMatchObject({ status: 2, shown: expect.stringContaining('TS2322') })
  expect(build()).toMatchObject({ status: 2, shown: expect.stringContaining('TS2322') })
})

test('this checkout is installed without a warning about the version of Node.js', () => {
  const args = ['ci', '--dry-run', '--offline', '--ignore-scripts']
  const { status, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  expect(stderr).not.toContain('EBADENGINE')
})
