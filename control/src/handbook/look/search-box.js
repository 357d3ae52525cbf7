// Searching while typing: `/` begins, arrows choose, Enter goes there, Escape ends. Without it, the form does it.
// What finds is loaded on first use and runs here; the host is asked where the handbook is too large for that.
const shownAtMost = 8
const turnMs = 10
const input = document.querySelector('input[type=search]')
const { finder: finderPath, index: indexPath } = input.form.dataset
const panel = document.createElement('div')
const list = document.createElement('ul')
const told = document.createElement('p')
let finding
let asked = 0
let chosen = -1
let timer

panel.className = 'found'
list.id = 'found'
list.setAttribute('role', 'listbox')
list.setAttribute('aria-label', 'Pages found')
told.setAttribute('role', 'status')
panel.append(list, told)
input.after(panel)
const settings = {
  role: 'combobox',
  autocomplete: 'off',
  'aria-controls': 'found',
  'aria-autocomplete': 'list',
  'aria-haspopup': 'listbox',
}
for (const [name, value] of Object.entries(settings)) input.setAttribute(name, value)
close()

/** Gives what finds: loaded once, and tried again if that failed. */
function begin() {
  finding ??= finderPath
    ? load().catch(() => {
        finding = undefined
        return ask
      })
    : Promise.resolve(ask)
  return finding
}

async function load() {
  const [{ Finder }, reply] = await Promise.all([import(finderPath), fetch(indexPath)])
  const { pages } = await reply.json()
  const finder = new Finder()
  let since = performance.now()
  for (const page of pages) {
    finder.add({ ...page, path: new URL(page.url).pathname })
    if (performance.now() - since < turnMs) continue
    // Whoever types meanwhile sees the letters.
    await (globalThis.scheduler?.yield?.() ?? new Promise(next => setTimeout(next)))
    since = performance.now()
  }
  return (query, limit) => finder.find(query, limit)
}

async function ask(query, limit) {
  const reply = await fetch(`/search.json?limit=${limit}&q=${encodeURIComponent(query)}`)
  if (!reply.ok) throw new Error(reply.statusText)
  return (await reply.json()).items
}

async function look() {
  const query = input.value.trim()
  const turn = ++asked
  if (query === '') return close()
  const items = await begin()
    .then(find => find(query, shownAtMost))
    .catch(() => undefined)
  // Answers may overtake one another: the newest question counts.
  if (turn === asked) show(items, query)
}

function show(items, query) {
  list.replaceChildren(...(items ?? []).map(option))
  list.hidden = list.children.length === 0
  told.textContent = items ? summary(items.length, query) : 'Search does not answer. Try again.'
  told.classList.toggle('unseen', !list.hidden)
  panel.hidden = false
  input.setAttribute('aria-expanded', String(!list.hidden))
  choose(list.hidden ? -1 : 0)
}

const summary = (count, query) =>
  count === 0 ? `Nothing was found for “${query}”.` : `${count} found for “${query}”.`

function close() {
  asked++
  list.replaceChildren()
  told.textContent = ''
  panel.hidden = true
  input.setAttribute('aria-expanded', 'false')
  choose(-1)
}

function option(found, index) {
  const item = document.createElement('li')
  item.id = `found-${index}`
  item.dataset.url = found.url
  item.setAttribute('role', 'option')
  const name = document.createElement('b')
  name.textContent = nameOf(found)
  const text = document.createElement('span')
  text.append(...marked(found))
  item.append(name, text)
  item.addEventListener('click', () => open(found.url))
  return item
}

const nameOf = ({ title, section }) => (section ? `${title} › ${section}` : title)

const marked = ({ excerpt }) =>
  excerpt.map(({ text, match }) => {
    if (!match) return text
    const part = document.createElement('mark')
    part.textContent = text
    return part
  })

/** It may be on this very page. */
function open(url) {
  close()
  input.blur()
  location.assign(url)
}

function choose(index) {
  chosen = index
  for (const [i, item] of [...list.children].entries()) {
    item.setAttribute('aria-selected', String(i === index))
    if (i === index) item.scrollIntoView({ block: 'nearest' })
  }
  if (index < 0) input.removeAttribute('aria-activedescendant')
  else input.setAttribute('aria-activedescendant', `found-${index}`)
}

// The field keeps the focus.
panel.addEventListener('mousedown', event => event.preventDefault())
input.addEventListener('focus', begin)
input.addEventListener('input', () => {
  clearTimeout(timer)
  if (finderPath) look()
  else timer = setTimeout(look, 80)
})
input.addEventListener('keydown', event => {
  const count = list.children.length
  if (event.isComposing) return
  if (event.key === 'Escape' && !panel.hidden) close()
  else if (event.key === 'ArrowDown' && count === 0 && input.value.trim() !== '') look()
  else if (event.key === 'ArrowDown' && count > 0) choose((chosen + 1) % count)
  else if (event.key === 'ArrowUp' && count > 0) choose((chosen + count - 1) % count)
  else if (event.key === 'Enter' && chosen >= 0) open(list.children[chosen].dataset.url)
  else return
  event.preventDefault()
})
input.addEventListener('blur', close)
document.addEventListener('keydown', event => {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (key !== '/' || ctrlKey || metaKey || altKey || /^(input|textarea|select)$/i.test(target.tagName)) return
  event.preventDefault()
  input.focus()
  input.select()
})

// The list is long, and the page that is shown may be far down in it. Where the list is below the page, nothing moves.
const current = document.querySelector('.pages [aria-current]')
const pages = document.querySelector('.pages')
if (current && current.offsetTop > pages.clientHeight - 80)
  pages.scrollTop = current.offsetTop - pages.clientHeight / 2

// Of a handbook that is files, nobody else makes the page of results.
const results = document.querySelector('.results[data-fill]')
const query = new URLSearchParams(location.search).get('q')?.trim()
if (results && query) {
  input.value = query
  const lead = document.querySelector('.lead')
  const items = await begin()
    .then(find => find(query, 50))
    .catch(() => undefined)
  lead.textContent = items ? summary(items.length, query) : 'Search does not answer. Try again.'
  results.replaceChildren(...(items ?? []).map(result))
}

function result(found) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = found.url
  link.textContent = nameOf(found)
  const text = document.createElement('p')
  text.append(...marked(found))
  item.append(link, text)
  return item
}
