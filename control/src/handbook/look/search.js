// Searching while typing: `/` begins, arrows choose, Enter goes there, Escape ends. Without it, the form does it.
const input = document.querySelector('input[type=search]')
const list = document.createElement('ul')
let asked = 0
let chosen = -1
let timer

list.className = 'found'
list.id = 'found'
list.hidden = true
list.setAttribute('role', 'listbox')
list.setAttribute('aria-label', 'Pages found')
input.after(list)
const settings = {
  role: 'combobox',
  autocomplete: 'off',
  'aria-controls': 'found',
  'aria-expanded': 'false',
  'aria-autocomplete': 'list',
}
for (const [name, value] of Object.entries(settings)) input.setAttribute(name, value)

// The list is long, and the page that is shown may be far down in it. Where the list is below the page, nothing moves.
const current = document.querySelector('.pages [aria-current]')
const pages = document.querySelector('.pages')
if (current && current.offsetTop > pages.clientHeight - 80)
  pages.scrollTop = current.offsetTop - pages.clientHeight / 2

async function look() {
  const query = input.value.trim()
  const turn = ++asked
  if (query === '') return show([])
  const reply = await fetch(`/search.json?limit=8&q=${encodeURIComponent(query)}`).catch(() => undefined)
  // Answers may overtake one another: the newest question counts.
  if (turn !== asked || !reply?.ok) return
  show((await reply.json()).items)
}

function show(items) {
  list.replaceChildren(...items.map(option))
  list.hidden = items.length === 0
  input.setAttribute('aria-expanded', String(items.length > 0))
  choose(items.length > 0 ? 0 : -1)
}

function option({ url, title, section, excerpt }, index) {
  const item = document.createElement('li')
  item.id = `found-${index}`
  item.dataset.url = url
  item.setAttribute('role', 'option')
  const name = document.createElement('b')
  name.textContent = section ? `${title} › ${section}` : title
  const text = document.createElement('span')
  text.append(
    ...excerpt.map(piece => {
      const part = document.createElement(piece.match ? 'mark' : 'i')
      part.textContent = piece.text
      return piece.match ? part : document.createTextNode(piece.text)
    }),
  )
  item.append(name, text)
  item.addEventListener('mousedown', event => {
    event.preventDefault()
    location.assign(url)
  })
  return item
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

input.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(look, 80)
})
input.addEventListener('keydown', event => {
  const count = list.children.length
  if (event.key === 'Escape') show([])
  else if (event.key === 'ArrowDown' && count > 0) choose((chosen + 1) % count)
  else if (event.key === 'ArrowUp' && count > 0) choose((chosen + count - 1) % count)
  else if (event.key === 'Enter' && chosen >= 0) location.assign(list.children[chosen].dataset.url)
  else return
  event.preventDefault()
})
input.addEventListener('blur', () => show([]))
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(input|textarea)$/i.test(event.target.tagName))
    return
  event.preventDefault()
  input.focus()
  input.select()
})
