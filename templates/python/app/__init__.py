"""hello-quarterdeck: turns titles into parts of addresses. `python -m app` serves it."""
