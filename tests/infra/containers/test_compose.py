"""The compose files as Compose's own parser reads them: two profiles, hardened, no key that somebody could guess."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.infra.containers.tools import CONTAINERS, ROOT, program

EMBEDDED, GPU, SIP = ("compose.yaml",), ("compose.yaml", "compose.gpu.yaml"), ("compose.yaml", "compose.sip-tls.yaml")
OURS = {"livekit", "models", "pipeline", "agent", "web", "redis", "sip", "trunks", "prometheus", "grafana"}
VARIABLE = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")


def read(names: tuple[str, ...], folder: Path) -> dict[str, Any]:
    """The services by name, all profiles of them, with each variable's default, or its name."""
    for name in names:
        text = VARIABLE.sub(lambda found: found[3] if found[2] == "-" else found[1], (CONTAINERS / name).read_text())
        (folder / name).write_text(re.sub(r"\n    profiles: .*", "", text))
    command: list[str | Path] = [program("compose-spec"), "-no-interpolation", "-format", "json", *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["services"])


@pytest.mark.parametrize("names", [EMBEDDED, GPU, SIP])
def test_compose_takes_the_files_and_each_container_is_hardened(names: tuple[str, ...], tmp_path: Path) -> None:
    services = read(names, tmp_path)
    assert set(services) == OURS
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"], name
        assert not service.get("privileged") and "ports" not in service, name


def test_the_gpu_is_the_pipelines_and_its_checkpoints_are_only_read(tmp_path: Path) -> None:
    services = read(GPU, tmp_path)
    asking = [name for name, service in services.items() if "deploy" in service]
    assert asking == ["pipeline"]
    assert services["pipeline"]["build"]["dockerfile"] == "infra/containers/pipeline-gpu.Dockerfile"
    assert "--profile" in services["pipeline"]["command"] and "vllm" in services["pipeline"]["command"]
    targets = {volume["target"]: volume.get("read_only", False) for volume in services["pipeline"]["volumes"]}
    assert targets == {"/models": True, "/var/cache/aura": False}
    assert (ROOT / "pipeline" / "deployment" / "files" / "aura_80gb.yaml").is_file()


def test_who_writes_into_a_volume_of_an_image_is_that_images_user(tmp_path: Path) -> None:
    """A new volume is as the folder in the image: Prometheus' is of nobody, Grafana's of 472; others cannot write."""
    writing = {
        name: service
        for name, service in read(EMBEDDED, tmp_path).items()
        if "build" not in service and any(volume["type"] == "volume" for volume in service.get("volumes", ()))
    }
    assert {name: service.get("user") for name, service in writing.items()} == {"prometheus": None, "grafana": None}


def test_no_key_has_a_default() -> None:
    text = "".join((CONTAINERS / name).read_text() for name in {*GPU, *SIP})
    secret = [found for found in VARIABLE.findall(text) if re.search(r"KEY|SECRET|PASSWORD|IMAGE", found[0])]
    assert secret and all(mark != "-" for _, mark, _ in secret)
    needed = {name for name, mark, _ in secret if mark == "?"}
    assert {name for name, _, _ in secret} == needed, "one that lacks is told before anything starts"


def test_images_are_those_that_prepare_resolves() -> None:
    text = (CONTAINERS / "compose.yaml").read_text()
    asked = set(re.findall(r"\$\{(\w+_IMAGE)", text))
    assert asked == set(re.findall(r'"(\w+_IMAGE)":', (CONTAINERS / "prepare").read_text()))
    assert set(re.findall(r"^    image: (\S+?):", text, re.MULTILINE)) == {
        "${" + name for name in asked if name not in ("PYTHON_IMAGE", "NODE_IMAGE")
    }


def test_no_secret_stands_on_a_command_line(tmp_path: Path) -> None:
    for name, service in read(EMBEDDED, tmp_path).items():
        words = " ".join([*(service.get("command") or []), *(service.get("entrypoint") or [])])
        assert not re.search(r"(?<!\$)\bREDIS_PASSWORD=|_SECRET|_KEY", words), name


def test_places_count_while_the_agent_takes_calls(tmp_path: Path) -> None:
    services = read(EMBEDDED, tmp_path)
    told = [environment(services[name]) for name in ("agent", "web")]
    assert {each["AURA_CELLS"] for each in told} == {each["AURA_PIPELINE_URL"] for each in told}


def test_media_of_livekit_stay_on_this_machine(tmp_path: Path) -> None:
    settings = yaml.safe_load(environment(read(EMBEDDED, tmp_path)["livekit"])["LIVEKIT_CONFIG"])
    assert settings["bind_addresses"] == ["127.0.0.1"] and settings["rtc"]["node_ip"] == "127.0.0.1"
    assert settings["rtc"]["stun_servers"] == [f"127.0.0.1:{settings['rtc']['udp_port']}"]


def bridge_settings(names: tuple[str, ...], folder: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(environment(read(names, folder)["sip"])["SIP_CONFIG_BODY"]))


def environment(service: dict[str, Any]) -> dict[str, str]:
    told = service["environment"]
    pairs = told.items() if isinstance(told, dict) else (line.partition("=")[::2] for line in told)
    return dict(pairs)


def test_with_tls_the_bridge_is_told_the_same_and_all_who_let_calls_in_ask_for_it(tmp_path: Path) -> None:
    plain, encrypted = bridge_settings(EMBEDDED, tmp_path), bridge_settings(SIP, tmp_path)
    more = {"tls": encrypted.pop("tls"), "sip_hostname": encrypted.pop("sip_hostname")}
    assert more["sip_hostname"] == "AURA_SIP_NAME" and more["tls"]["min_version"] == "tls1.2"
    asked = {"listen_ip": "AURA_SIP_HOST", "nat_1_to_1_ip": "AURA_SIP_HOST"}
    assert {**plain, **asked} == encrypted, "the file says the rest as the other one does"
    services = read(SIP, tmp_path)
    for name in ("agent", "trunks"):
        assert environment(services[name])["AURA_SIP_ENCRYPTION"] == "require"
        assert environment(services[name])["AURA_PIPELINE_KEY"], "what the other file says stays"
