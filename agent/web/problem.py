"""Why a request is refused, as JSON that the page can show."""

from aiohttp import web


class Problem(Exception):
    """Why a request is refused."""

    def __init__(self, status: int, code: str, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry_after_s = status, code, message, retry_after_s

    def response(self) -> web.Response:
        """`{"error": {code, message, retry_after_s}}`; the last one only where asking again is worth it."""
        error: dict[str, object] = {"code": self.code, "message": self.message}
        headers = {}
        if self.retry_after_s is not None:
            error["retry_after_s"] = self.retry_after_s
            headers["Retry-After"] = str(self.retry_after_s)
        return web.json_response({"error": error}, status=self.status, headers=headers)
