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
a { color: var(--accent) }
.auspex-bar { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 12px 20px; border-bottom: 1px solid var(--line); background: var(--panel) }
.auspex-bar a { color: var(--soft); text-decoration: none }
.auspex-bar a:first-child { color: var(--text); font-weight: 650 }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 52rem) 14rem; gap: 2.5rem; max-width: 90rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem }
.guides, aside { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: .9rem }
.guides h2, aside h2 { margin: 1.2rem 0 .3rem; font-size: .78rem; text-transform: uppercase; letter-spacing: .05em; color: var(--soft) }
.guides p { margin: .6rem 0 0 }
.guides ul, aside ul { list-style: none; margin: 0; padding: 0 }
.guides li a, .guides p a, aside li a { display: block; padding: .15rem .5rem; border-radius: .3rem; color: var(--text); text-decoration: none }
.guides a:hover, aside a:hover, .guides a[aria-current] { background: var(--shade) }
.guides a[aria-current] { font-weight: 600 }
.guides input { width: 100%; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--panel); color: var(--text); font: inherit }
button { padding: .2rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--panel); color: var(--soft); font: .8rem system-ui, sans-serif; cursor: pointer }
#theme { margin-top: 1.5rem }
main h1 { margin: 0 0 1rem; font-size: 2rem; line-height: 1.2 }
main h2 { margin: 2.5rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--line); font-size: 1.4rem }
main h3 { margin: 1.8rem 0 .4rem; font-size: 1.1rem }
main :is(h1, h2, h3, h4) > a { color: inherit; text-decoration: none }
code { padding: .1em .3em; border-radius: .25em; background: var(--shade); font-size: .88em; overflow-wrap: anywhere }
pre { position: relative; margin: 1em 0; padding: .9em 1em; border: 1px solid var(--line); border-radius: .4rem; background: var(--panel); overflow-x: auto }
pre code { padding: 0; background: none; overflow-wrap: normal }
pre button { position: absolute; top: .4rem; right: .4rem; opacity: 0 }
pre:hover button, pre button:focus { opacity: 1 }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: 1em 0; font-size: .92rem }
td, th { padding: .35em .8em .35em 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top }
.found { padding-left: 1.2rem } .found p { margin: .2rem 0 1rem; color: var(--soft) } small { color: var(--soft) }
@media (max-width: 1100px) { .columns { grid-template-columns: 15rem minmax(0, 1fr) } aside { display: none } }
@media (max-width: 720px) { .columns { display: flex; flex-direction: column-reverse } .guides { position: static; max-height: none } }
`

/** The theme is the one that the other pages keep. Without scripts everything else works. */
export const SCRIPT = `
const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')
const apply = () => {
  const theme = localStorage.getItem('auspex-theme')
  root.dataset.theme = theme === 'dark' || (theme !== 'light' && dark.matches) ? 'dark' : 'light'
}
apply()
dark.addEventListener('change', apply)
addEventListener('DOMContentLoaded', () => {
  document.getElementById('theme').addEventListener('click', () => {
    localStorage.setItem('auspex-theme', root.dataset.theme === 'dark' ? 'light' : 'dark')
    apply()
  })
  for (const block of document.querySelectorAll('pre')) {
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
