import { quarterdeck } from '@quarterdeck/kit/express'
import express from 'express'

const app = express()
const kept = quarterdeck({ name: process.env.NAME ?? 'hello' })
app.use(kept)
app.get('/', (_request, response) => void response.type('text').send('hello\n'))
app.get('/items/:id', ({ params }, response) => void response.json({ id: params.id }))
app.get('/slow', ({ query }, response) => {
  setTimeout(() => response.type('text').send('slow\n'), Number(query.s ?? 1) * 1000)
})
await kept.kit.listen(app)
