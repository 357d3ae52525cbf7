"""A small FastAPI service with the kit: `uvicorn fastapi_app:app`."""

import asyncio
import os

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse

from quarterdeck_kit import quarterdeck

app = FastAPI()
app = quarterdeck(app, name=os.environ.get("NAME", "hello"))


@app.get("/", response_class=PlainTextResponse)
async def home():
    return "hello\n"


@app.get("/items/{item_id}")
async def item(item_id: str):
    return {"id": item_id}


@app.get("/slow", response_class=PlainTextResponse)
async def slow(s: float = 1):
    await asyncio.sleep(s)
    return "slow\n"
