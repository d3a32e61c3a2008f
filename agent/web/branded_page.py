"""The files of the page that a brand changes: made once at the start, and sent in place of those of the build."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from agent.settings.brand import Brand, BrandColours, ColourPair, Logo
from agent.settings.environment import SettingsError

OWN_NAME = "AURA"  # in the files of the build
STYLE, SCRIPT, MANIFEST = "/brand/brand.css", "/aura.js", "/manifest.webmanifest"
TABLES = "words.json"  # of the build: the words of its tables in which no figures stand, by language and key
# A logo that is opened by itself is a document of ours: it may run and load nothing.
OF_LOGO = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"


@dataclass(frozen=True, slots=True)
class BrandedFile:
    """What is sent at one address."""

    content: bytes
    kind: str
    headers: Mapping[str, str] = field(default_factory=dict)


def branded_routes(brand: Brand, static: Path) -> list[web.RouteDef]:
    """Routes for what the brand changes of the built page, which `static` holds.

    Raises:
        SettingsError: The brand has words for keys that the page has not, or there is no page.
    """
    return [web.get(path, _sends(file)) for path, file in branded_files(brand, static).items()]


def branded_files(brand: Brand, static: Path) -> Mapping[str, BrandedFile]:
    """What the brand changes of the built page, by address.

    Raises:
        SettingsError: The brand has words for keys that the page has not, or there is no page.
    """
    if not (static / "index.html").is_file():
        raise SettingsError([f"AURA_WEB_BRAND: there is no built page in {static}"])
    _check_words(brand, _json(static / TABLES))
    logo = f"/brand/logo{'.svg' if brand.logo.kind == 'image/svg+xml' else '.png'}" if brand.logo else None
    page = BrandedFile(_page(brand, logo, (static / "index.html").read_text("utf-8")).encode(), "text/html")
    files = {"/": page, "/index.html": page, STYLE: BrandedFile(style(brand.colours).encode(), "text/css")}
    if (script := static / SCRIPT.lstrip("/")).exists():
        files[SCRIPT] = BrandedFile((_told(brand) + script.read_text("utf-8")).encode(), "text/javascript")
    if manifest := _json(static / MANIFEST.lstrip("/")):
        made = json.dumps(_manifest(brand, logo, manifest)).encode()
        files[MANIFEST] = BrandedFile(made, "application/manifest+json")
    if brand.logo and logo:
        files[logo] = BrandedFile(brand.logo.data, brand.logo.kind, {"Content-Security-Policy": OF_LOGO})
    return files


def style(colours: BrandColours | None) -> str:
    """The style sheet that comes after the page's own."""
    if colours is None:
        return ""

    accent, paper, ink, person = map(_both, (colours.accent, colours.paper, colours.ink, colours.person))
    tokens = {
        "paper": paper,
        "raised": _mixed(colours.paper, "#fff 60%", "#fff 5%"),
        "sunken": _mixed(colours.paper, "#000 5%", "#000 25%"),
        "ink": ink,
        "soft": f"color-mix(in srgb, {ink} 85%, {paper})",
        "hair": f"color-mix(in srgb, {ink} 18%, {paper})",
        "outline": f"color-mix(in srgb, {ink} 58%, {paper})",
        "agent": accent,
        "agent-bar": accent,
        "sunlit": f"color-mix(in srgb, {accent} 45%, #fff)",
        "person": person,
        "person-bar": person,
        "primary": accent,
        "on-primary": _both(colours.on_accent),
    }
    return ":root {\n" + "".join(f"  --{name}: {value};\n" for name, value in tokens.items()) + "}\n"


def _both(pair: ColourPair) -> str:
    return f"light-dark({pair.light}, {pair.dark})"


def _mixed(pair: ColourPair, light: str, dark: str) -> str:
    return f"light-dark(color-mix(in srgb, {pair.light}, {light}), color-mix(in srgb, {pair.dark}, {dark}))"


def _page(brand: Brand, logo: str | None, html: str) -> str:
    """The page's document: nothing of the brand in it can be anything but text."""
    html = html.replace(OWN_NAME, escape(brand.name))
    if brand.colours:
        for look in ("light", "dark"):
            theme = rf'(<meta name="theme-color"[^>]*{look}\)"[^>]*content=")#\w+'
            html = re.sub(theme, rf"\g<1>{getattr(brand.colours.paper, look)}", html)
    if logo:
        html = re.sub(r'<link rel="icon"[^>]*>', f'<link rel="icon" href="{logo}" />', html)
    if tagline := _tagline(brand):
        described = r'(<meta (?:name|property)="(?:og:)?description" content=")[^"]*'
        html = re.sub(described, lambda found: found[1] + escape(tagline), html)
    told = {"name": brand.name, "logo": logo, "words": brand.words}
    head = (
        f'<link rel="stylesheet" href="{STYLE}" />\n'
        f'    <meta name="aura-brand" content="{escape(json.dumps(told))}" />\n  </head>'
    )
    return html.replace("</head>", head, 1)


def _tagline(brand: Brand) -> str | None:
    return brand.words.get("en", {}).get("about.tagline")


def _told(brand: Brand) -> str:
    """What the script for other pages knows of the brand; it stands in front of it."""
    told: dict[str, object] = {"name": brand.name, "words": brand.words}
    if colours := brand.colours:
        told["accent"] = {"light": colours.accent.light, "dark": colours.accent.dark}
        told["onAccent"] = {"light": colours.on_accent.light, "dark": colours.on_accent.dark}
    return f"document.currentScript.auraBrand = {json.dumps(told)};\n"


def _manifest(brand: Brand, logo: str | None, manifest: dict[str, Any]) -> dict[str, Any]:
    named = {"name": brand.name, "short_name": brand.name}
    paper = brand.colours and brand.colours.paper.light
    coloured = {"theme_color": paper, "background_color": paper} if paper else {}
    icons = [_icon(brand.logo, logo), *manifest.get("icons", [])] if brand.logo and logo else manifest.get("icons", [])
    described = {"description": tagline} if (tagline := _tagline(brand)) else {}
    return {**manifest, **named, **described, **coloured, "icons": icons}


def _icon(logo: Logo, address: str) -> dict[str, str]:
    size = "x".join(map(str, logo.size)) if logo.size else "any"
    return {"src": address, "sizes": size, "type": logo.kind}


def _check_words(brand: Brand, tables: Mapping[str, Any]) -> None:
    unknown = [
        f"AURA_WEB_BRAND: the page has no word without figures for `{key}` - at `$.words.{language}`"
        for language, words in brand.words.items()
        for key in words
        if key not in tables.get(language, {})
    ]
    if unknown:
        raise SettingsError(unknown)


def _json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_bytes())) if path.exists() else {}


def _sends(file: BrandedFile) -> Handler:
    tag = sha256(file.content).hexdigest()[:32]

    async def send(request: web.Request) -> web.StreamResponse:
        headers = {"Cache-Control": "no-cache", "ETag": f'"{tag}"', **file.headers}
        if request.if_none_match and any(each.value == tag for each in request.if_none_match):
            return web.Response(status=304, headers=headers)
        charset = None if file.kind.startswith("image/png") else "utf-8"
        return web.Response(body=file.content, content_type=file.kind, charset=charset, headers=headers)

    return send
