"""Why a request is refused, as JSON that the page can show."""

from aiohttp import web


async def body_of(request: web.Request, most: int) -> bytes:
    """All of a request's body, in however many pieces it comes.

    Raises:
        Problem: It is longer than so many bytes.
    """
    body = bytearray()
    async for piece in request.content.iter_any():
        body += piece
        if len(body) > most:
            raise Problem(413, "too_long", f"The request is longer than {most} bytes.")
    return bytes(body)


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
