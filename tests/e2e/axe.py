"""Asks axe-core, in the page, what of it breaks the Web Content Accessibility Guidelines 2.2, levels A and AA.

Rules: https://github.com/dequelabs/axe-core/blob/develop/doc/rule-descriptions.md
"""

import json

from tests.e2e.chromium import Page
from tests.e2e.stack import ROOT

SCRIPT = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
FOUND = """
axe.run(document, {runOnly: %s, resultTypes: ['violations']}).then(({violations}) => violations.flatMap(
  ({id, nodes}) => nodes.map(({target, failureSummary}) => `${id} at ${target.join(' ')}: ${failureSummary}`)))
"""


async def violations(page: Page) -> list[str]:
    """What is wrong with what is shown now, each with its rule and the element."""
    if not await page.run("Boolean(window.axe)"):
        await page.run(SCRIPT.read_text(encoding="utf-8") + "; true")
    found = await page.run(FOUND % json.dumps(LEVELS))
    assert isinstance(found, list)
    return found
