/** The colours are those of the other pages. */
export const STYLE = `
:root {
  --back: #f7f8fa; --panel: #fff; --line: #dde1e8; --text: #182033; --soft: #566073; --accent: #1b5fc4; --shade: #eef1f5;
  color-scheme: light;
}
:root[data-theme="dark"] {
  --back: #10141d; --panel: #181e2a; --line: #2c3547; --text: #e8ecf4; --soft: #a3adbf; --accent: #7db3ff; --shade: #202838;
  color-scheme: dark;
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, "Segoe UI", Roboto, sans-serif }
.prose a { color: var(--accent) }
.skip { position: absolute; left: -999px } .skip:focus { left: 1rem; top: .5rem; background: var(--panel) }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.2rem; padding: .6rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--panel); font-size: .94rem }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem }
header a { color: var(--soft); text-decoration: none }
header nav a:first-child { color: var(--text); font-weight: 650 }
header form { flex: 1 1 14rem; max-width: 26rem; margin-left: auto }
header input { width: 100%; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--back); color: var(--text); font: inherit }
.to-navigation { display: none }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 52rem) 14rem; gap: 2.5rem; max-width: 90rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem }
.columns.broad { grid-template-columns: 15rem minmax(0, 1fr) }
.navigation, aside { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: .9rem }
.navigation h2, aside h2 { margin: 1.2rem 0 .3rem; font-size: .78rem; text-transform: uppercase; letter-spacing: .05em; color: var(--soft) }
.navigation h2:first-child, aside h2 { margin-top: 0 }
.navigation ul, aside ul { list-style: none; margin: 0; padding: 0 }
.navigation a, aside a { display: block; padding: .15rem .5rem; border-radius: .3rem; color: var(--text); text-decoration: none }
.navigation a:hover, aside a:hover, .navigation a[aria-current] { background: var(--shade) }
.navigation a[aria-current] { font-weight: 600 }
#theme, .prose button { padding: .2rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--panel); color: var(--soft); font: .8rem system-ui, sans-serif; cursor: pointer }
.prose h1 { margin: 0 0 1rem; font-size: 2rem; line-height: 1.2 }
.prose h2 { margin: 2.5rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--line); font-size: 1.4rem }
.prose h3 { margin: 1.8rem 0 .4rem; font-size: 1.1rem }
.prose :is(h1, h2, h3, h4) > a { color: inherit; text-decoration: none }
.prose code { padding: .1em .3em; border-radius: .25em; background: var(--shade); font-size: .88em; overflow-wrap: anywhere }
.prose pre { position: relative; margin: 1em 0; padding: .9em 1em; border: 1px solid var(--line); border-radius: .4rem; background: var(--panel); overflow-x: auto }
.prose pre code { padding: 0; background: none; overflow-wrap: normal }
.prose pre button { position: absolute; top: .4rem; right: .4rem; opacity: 0 }
.prose pre:hover button, .prose pre button:focus { opacity: 1 }
.prose .wide { overflow-x: auto }
.prose table { border-collapse: collapse; margin: 1em 0; font-size: .92rem }
.prose :is(td, th) { padding: .35em .8em .35em 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top }
.prose details { margin: .6rem 0 } summary { cursor: pointer } mark { background: none; color: var(--accent); font-weight: 600 }
.found { padding-left: 1.2rem; overflow-wrap: anywhere } .found p { margin: .2rem 0 1rem; color: var(--soft) } small { color: var(--soft) }
@media (max-width: 1100px) { .columns { grid-template-columns: 15rem minmax(0, 1fr) } aside { display: none } }
@media (max-width: 720px) {
  .columns, .columns.broad { display: flex; flex-direction: column-reverse }
  .navigation { position: static; max-height: none }
  .to-navigation { display: block; flex-basis: 100% }
}
`

/** The theme is the one that the other pages keep. Without scripts everything else works. */
export const SCRIPT = `
const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')
const apply = () => {
  const theme = localStorage.getItem('auspex-theme')
  const isDark = theme === 'dark' || (theme !== 'light' && dark.matches)
  root.dataset.theme = isDark ? 'dark' : 'light'
  // Swagger UI knows its own name of it.
  root.classList.toggle('dark-mode', isDark)
}
apply()
dark.addEventListener('change', apply)
addEventListener('DOMContentLoaded', () => {
  document.getElementById('theme').addEventListener('click', () => {
    localStorage.setItem('auspex-theme', root.dataset.theme === 'dark' ? 'light' : 'dark')
    apply()
  })
  for (const block of document.querySelectorAll('.prose pre')) {
    const button = document.createElement('button')
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').innerText)
      button.textContent = 'Copied'
    })
    block.append(button)
  }
})
`
