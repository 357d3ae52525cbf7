"""Two small services, each with the kit and without, for the figures of kit-python."""

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from flask import Flask

from quarterdeck_kit import quarterdeck


def flask_service():
    app = Flask(__name__)
    app.get("/items/<item_id>")(lambda item_id: "an item")
    return app


def fastapi_service():
    app = FastAPI()

    @app.get("/items/{item_id}", response_class=PlainTextResponse)
    async def item(item_id: str):
        return "an item"

    return app


flask_without = flask_service()
flask_with = quarterdeck(flask_service(), name="hello")
fastapi_without = fastapi_service()
fastapi_with = quarterdeck(fastapi_service(), name="hello")
