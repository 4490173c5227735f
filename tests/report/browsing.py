"""A page in a real browser that notes errors and requests."""

from __future__ import annotations


class Watched:
    """A page that notes errors and requests."""

    def __init__(self, browser, file, width=1280, scheme="light", *, height=900, script=True):
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            java_script_enabled=script,
            accept_downloads=True,
        )
        self.page = self.context.new_page()
        self.errors, self.requests = [], []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()
