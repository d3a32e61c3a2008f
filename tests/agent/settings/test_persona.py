"""Who the agent is, from a file and from variables."""

from pathlib import Path

import pytest

from agent.persona.changes import OF_STRANGERS
from agent.persona.persona import AURA, ON_THE_PHONE
from agent.settings.agent import worker_settings
from agent.settings.environment import SettingsError
from tests.agent.conftest import AuraAgent
from tests.agent.settings.test_agent import ENVIRON

FILE = """
name = "Nova"
instructions = "You are Nova. Be brief."
voice = "vivian"
context = ["Wouter", "Siobhan"]
proactive = false

[greeting]
en = "Hi, Nova here."
fr = "Bonjour, ici Nova."
"""


def faults(**environ: str) -> list[str]:
    with pytest.raises(SettingsError) as raised:
        worker_settings({**ENVIRON, **environ})
    return raised.value.faults


def written(folder: Path, text: str | bytes) -> str:
    path = folder / "persona.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_without_anything_it_is_aura() -> None:
    settings = worker_settings(ENVIRON).persona
    assert settings.persona(AURA) == (AURA, ())
    assert settings.strangers == OF_STRANGERS


def test_a_file_says_who_it_is_in_a_room_and_on_the_phone(tmp_path: Path) -> None:
    settings = worker_settings({**ENVIRON, "AURA_PERSONA": written(tmp_path, FILE)}).persona
    for base in (AURA, ON_THE_PHONE):
        nova, _ = settings.persona(base)
        assert (nova.name, nova.voice, nova.context, nova.proactive) == ("Nova", "vivian", "Wouter, Siobhan", False)
        assert nova.instructions == "You are Nova. Be brief."
        assert nova.greeting_in(("fr",)).text == "Bonjour, ici Nova."


def test_variables_go_over_the_file_and_a_dispatch_over_both(tmp_path: Path) -> None:
    environ = {"AURA_PERSONA": written(tmp_path, FILE), "AURA_PERSONA_NAME": "Ada", "AURA_PERSONA_PROACTIVE": "on"}
    settings = worker_settings({**ENVIRON, **environ, "AURA_PERSONA_LANGUAGE": "fr"}).persona
    ada, _ = settings.persona(AURA)
    assert (ada.name, ada.voice, ada.language, ada.proactive) == ("Ada", "vivian", "fr", True)
    called, refusals = settings.persona(AURA, '{"aura.persona": {"name": "Eve", "voice": 7}}')
    assert (called.name, called.voice) == ("Eve", "vivian")
    assert [str(refusal) for refusal in refusals] == ["voice: it must be text"]


def test_every_fault_of_a_file_is_told_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        f'instuctions = "x"\nvoice = 7\ninstructions = "{"x" * 100_000}"\n[greeting]\nxx-! = "a"\n'.replace(
            "xx-!", '"x!"'
        ),
    )
    assert faults(AURA_PERSONA=path, AURA_PERSONA_LANGUAGE="?", AURA_PERSONA_PROACTIVE="yes") == [
        f"AURA_PERSONA: {path}: instuctions: there is no such field; did you mean `instructions`?",
        f"AURA_PERSONA: {path}: voice: it must be text",
        f"AURA_PERSONA: {path}: instructions: it has 100,000 letters, of which 8,000 have room",
        f"AURA_PERSONA: {path}: greeting: `x!` is no code of a language, such as `en`",
        "AURA_PERSONA_LANGUAGE: `?` is no code of a language, such as `en` or `de-AT`, nor `auto`",
        "AURA_PERSONA_PROACTIVE must be `on` or `off`",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"\xff\xfe", "it is no UTF-8"),
        ("name = ", "it is no TOML: Invalid value (at end of document)"),
        ("# " + "x" * 300_000, "it has more than 262,144 bytes"),
    ],
    ids=["bytes", "syntax", "size"],
)
def test_a_file_that_cannot_be_read_is_one_line(text: str | bytes, why: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    assert faults(AURA_PERSONA=path) == [f"AURA_PERSONA: {path}: {why}"]


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.toml"
    assert faults(AURA_PERSONA=str(path)) == [f"AURA_PERSONA: {path}: it cannot be read (No such file or directory)"]
    assert faults(AURA_PERSONA=str(tmp_path)) == [f"AURA_PERSONA: {tmp_path}: it is no file"]


def test_the_operator_says_what_strangers_may_set() -> None:
    def strangers(value: str) -> frozenset[str]:
        return worker_settings({**ENVIRON, "AURA_PERSONA_STRANGERS": value}).persona.strangers

    assert strangers("voice, name") == {"voice", "name"}
    assert strangers("none") == frozenset()
    assert faults(AURA_PERSONA_STRANGERS="none,voice") == ["AURA_PERSONA_STRANGERS: `none` stands alone"]
    (fault,) = faults(AURA_PERSONA_STRANGERS="voice,voise")
    assert fault.startswith("AURA_PERSONA_STRANGERS: `voise` is none of name, instructions,")


def test_the_worker_does_not_start_with_a_file_that_is_wrong(aura_agent: AuraAgent, tmp_path: Path) -> None:
    path = written(tmp_path, "voise = 1")
    code, _, said = aura_agent("start", environ={**ENVIRON, "AURA_PERSONA": path})
    assert code == 2
    assert f"aura-agent: AURA_PERSONA: {path}: voise: there is no such field; did you mean `voice`?\n" in said


def others(folder: Path, **texts: str) -> str:
    """The value of AURA_PERSONAS for files of these texts."""
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    return ", ".join(str(folder / f"{name}.toml") for name in texts)


def test_people_choose_among_the_first_persona_and_those_of_the_other_files(tmp_path: Path) -> None:
    listed = others(tmp_path, nova='name = "Nova"\nvoice = "vivian"', chef='name = "Chef"\nlanguage = "fr"')
    settings = worker_settings({**ENVIRON, "AURA_PERSONA_VOICE": "eric", "AURA_PERSONAS": listed}).persona
    assert settings.persona(AURA)[0].voice == "eric"
    assert settings.catalogue(AURA).names == ("Aura", "Nova", "Chef")
    ada, _ = settings.persona(AURA, '{"aura.persona": {"name": "Ada"}}')
    assert settings.catalogue(AURA, ada).names == ("Ada", "Aura", "Nova", "Chef")


def test_nobody_chooses_where_there_is_one_persona_or_the_operator_forbids_it(tmp_path: Path) -> None:
    assert worker_settings(ENVIRON).persona.catalogue(AURA).names == ()
    listed = others(tmp_path, nova='name = "Nova"')
    forbidden = {"AURA_PERSONAS": listed, "AURA_PERSONA_STRANGERS": "voice"}
    assert worker_settings({**ENVIRON, **forbidden}).persona.catalogue(AURA).names == ()


def test_a_dispatch_chooses_a_persona_or_is_told_that_there_is_none_of_that_name(tmp_path: Path) -> None:
    settings = worker_settings({**ENVIRON, "AURA_PERSONAS": others(tmp_path, nova='name = "Nova"')}).persona
    chosen, refusals = settings.persona(AURA, '{"aura.persona": {"persona": "Nova", "voice": "eric"}}')
    assert (chosen.name, chosen.voice, refusals) == ("Nova", "eric", ())
    chosen, refusals = settings.persona(AURA, '{"aura.persona": {"persona": "Eve", "voice": "eric"}}')
    assert (chosen.name, chosen.voice) == ("Aura", "eric")
    assert [str(each) for each in refusals] == ["persona: `Eve` is not offered; there is: Aura, Nova"]


def test_every_fault_of_the_other_files_is_told(tmp_path: Path) -> None:
    listed = others(tmp_path, a='name = "A"\npersona = "B"', b="voice = 7", c='name = "C"', d='name = "C"')
    a, b, _, d = listed.split(", ")
    assert faults(AURA_PERSONAS=listed) == [
        f"AURA_PERSONAS: {a}: persona: a file says who a persona is, and chooses none",
        f"AURA_PERSONAS: {b}: voice: it must be text",
        f"AURA_PERSONAS: {d}: name: `C` is the name of another one",
    ]
    assert faults(AURA_PERSONAS=others(tmp_path, e="")) == [
        f"AURA_PERSONAS: {tmp_path / 'e.toml'}: name: a persona that is to be chosen needs one"
    ]
    assert faults(AURA_PERSONAS="x.toml," * 17) == ["AURA_PERSONAS: 17 files, of which 16 have room"]
