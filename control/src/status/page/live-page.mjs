/**
 * What the status page does beyond being read: times in the reader's zone, days one by one, and changes as they happen.
 * Everything is there without it.
 */
const { body } = document
const words = JSON.parse(body.dataset.words)

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const dated = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

function localise(root) {
  for (const time of root.querySelectorAll('time')) {
    const at = new Date(time.dateTime)
    time.textContent = zoned.format(at)
    time.title = `${utc.format(at)} UTC`
  }
}

/** Bars become a control that pointers and arrow keys move over; what it says stands in the table beside it. */
function tellDays(bars) {
  const rows = [...bars.parentElement.querySelectorAll('tr[data-n]')]
  const days = rows.flatMap(row => Array(Number(row.dataset.n)).fill(row))
  const last = days.length - 1
  const first = Date.parse(`${bars.dataset.from}T00:00:00Z`)
  let tip
  let mark
  let day = last

  const textOf = index => {
    const [state, details] = [...days[index].querySelectorAll('td')].map(cell => cell.textContent)
    return { date: dated.format(new Date(first + index * 86_400_000)), state, details }
  }
  const show = index => {
    day = Math.max(0, Math.min(last, index))
    const { date, state, details } = textOf(day)
    if (!tip) {
      tip = Object.assign(document.createElement('div'), { className: 'tip' })
      mark = Object.assign(document.createElement('div'), { className: 'mark' })
      bars.append(tip, mark)
    }
    const strong = Object.assign(document.createElement('b'), { textContent: date })
    tip.replaceChildren(strong, details ? `${state}: ${details}` : state)
    const share = (day + 0.5) / days.length
    const room = bars.clientWidth - tip.offsetWidth
    tip.style.left = `${Math.max(0, Math.min(room, share * bars.clientWidth - tip.offsetWidth / 2))}px`
    mark.style.left = `${(day / days.length) * 100}%`
    bars.setAttribute('aria-valuenow', day + 1)
    bars.setAttribute('aria-valuetext', `${date}: ${state}${details ? `, ${details}` : ''}`)
  }
  const hide = () => {
    tip?.remove()
    mark?.remove()
    tip = mark = undefined
  }
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -7, PageUp: 7 }
  const onKey = event => {
    const to =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? last
          : event.key in steps
            ? day + steps[event.key]
            : undefined
    if (event.key === 'Escape') hide()
    if (to === undefined) return
    event.preventDefault()
    show(to)
  }
  const onPointer = event => {
    const { left, width } = bars.getBoundingClientRect()
    show(Math.floor(((event.clientX - left) / width) * days.length))
  }
  const { date, state } = textOf(last)
  const attributes = {
    ...{ role: 'slider', tabindex: 0, 'aria-label': bars.dataset.label },
    ...{ 'aria-valuemin': 1, 'aria-valuemax': days.length, 'aria-valuenow': days.length },
    'aria-valuetext': `${date}: ${state}`,
  }
  for (const [name, value] of Object.entries(attributes)) bars.setAttribute(name, value)
  bars.addEventListener('keydown', onKey)
  bars.addEventListener('focus', () => show(day))
  bars.addEventListener('blur', hide)
  bars.addEventListener('pointermove', onPointer)
  bars.addEventListener('pointerdown', onPointer)
  bars.addEventListener('pointerleave', event => event.pointerType === 'mouse' && hide())
}

/** Rows of thousands of services become controls as they come into view. */
const seen = new IntersectionObserver(
  entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      seen.unobserve(target)
      tellDays(target)
    }
  },
  { rootMargin: '400px' },
)

function prepare(root) {
  localise(root)
  for (const bars of root.querySelectorAll('.bars')) seen.observe(bars)
}

function setShape(element, status) {
  element.dataset.status = status
  element.querySelector('.shape use').setAttribute('href', `#${status}`)
}

function changeService({ id, status, since, reason }) {
  const row = document.getElementById(id)
  if (!row?.dataset.status) return false
  setShape(row, status)
  row.querySelector('.state b').textContent = words.status[status]
  const place = row.querySelector('.since')
  place.replaceChildren()
  if (since) {
    const time = Object.assign(document.createElement('time'), { dateTime: since })
    place.append(`${words.since} `, time)
    localise(place)
  }
  const why = row.querySelector('.reason')
  why.textContent = reason?.message ?? ''
  why.hidden = !reason
  return true
}

const shapeOf = { none: 'operational', minor: 'degraded', major: 'outage', critical: 'outage' }

function changeOverall({ indicator, description }, at) {
  const overall = document.getElementById('overall')
  if (!overall) return
  setShape(overall, shapeOf[indicator] ?? indicator)
  overall.querySelector('h1').textContent = description
  const time = overall.querySelector('time')
  time.dateTime = at
  localise(overall)
}

let isRenewing = false

/** Reads the page again and puts its parts in place. Not everybody at once. */
async function renew() {
  if (isRenewing) return
  isRenewing = true
  await new Promise(resolve => setTimeout(resolve, Math.random() * 1000))
  isRenewing = false
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!answer.ok) return
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const focused = document.activeElement?.closest('[data-status]')?.id
  const main = document.querySelector('main')
  main.replaceChildren(...next.querySelector('main').childNodes)
  prepare(main)
  if (focused) document.getElementById(focused)?.querySelector('a, .bars')?.focus()
}

function listen() {
  const events = new EventSource(`/events?after=${encodeURIComponent(body.dataset.place)}`)
  const line = document.getElementById('live')
  const say = text => {
    if (line.textContent !== text) line.textContent = text
  }
  events.addEventListener('open', () => say(words.live))
  events.addEventListener('error', () => say(words.notLive))
  events.addEventListener('services', ({ data }) => {
    const { services, removed, status, at } = JSON.parse(data)
    changeOverall(status, at)
    const isWhole = services.every(changeService) && !removed.some(id => document.getElementById(id))
    // A page of one service shows no others.
    if (!isWhole && document.getElementById('overall')) renew()
  })
  events.addEventListener('notices', ({ data }) => {
    const { status, at } = JSON.parse(data)
    changeOverall(status, at)
    renew()
  })
  events.addEventListener('reset', renew)
  addEventListener('pagehide', () => events.close())
  addEventListener('pageshow', event => event.persisted && location.reload())
}

prepare(document)
listen()
