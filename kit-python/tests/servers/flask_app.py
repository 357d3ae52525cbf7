"""A small Flask service with the kit: `gunicorn -w 3 flask_app:app`."""

import os
import time

from flask import Flask, jsonify, request

from quarterdeck_kit import quarterdeck

app = Flask(__name__)
app = quarterdeck(app, name=os.environ.get("NAME", "hello"))


@app.get("/")
def home():
    return "hello\n", 200, {"Content-Type": "text/plain; charset=utf-8"}


@app.get("/items/<item_id>")
def item(item_id):
    return jsonify(id=item_id)


@app.get("/slow")
def slow():
    time.sleep(float(request.args.get("s", "1")))
    return "slow\n"
