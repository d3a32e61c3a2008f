"""The Helm chart: what it renders is what Kubernetes takes, and says what a cell needs."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.infra.containers.tools import CONTAINERS, program, schemas

KUBERNETES = "1.37.0"
DIGEST = "sha256:" + "0" * 64
NEEDED = {
    **{f"images.{name}": f"{name}@{DIGEST}" for name in ("agent", "web", "pipeline", "models")},
    "livekit.url": "wss://livekit.example.org",
    "existingSecret": "aura-keys",
    "web.host": "aura.example.org",
    "web.ingress.tlsSecret": "aura-tls",
}
ON_GPUS = {
    "cells.profile": "vllm",
    "cells.stageConfig": "/opt/aura/deployment/aura_80gb.yaml",
    "cells.gpus": "1",
    "cells.maxSessions": "16",
    "models.fetch": "false",
    "models.existingClaim": "checkpoints",
    "autoscaling.enabled": "true",
    "phone.enabled": "true",
    "phone.addresses": "192.0.2.0/24",
    "networkPolicy.metricsFrom.team": "watching",
    "cells.env.AURA_PERSONA_NAME": "Ada",
}


def render(values: dict[str, str]) -> subprocess.CompletedProcess[str]:
    said = [word for name, value in values.items() for word in (_option(name), f"{name}={value}")]
    command: list[str | Path] = [
        program("helm"),
        "template",
        "one",
        CONTAINERS / "chart",
        "--kube-version",
        KUBERNETES,
        *said,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _option(name: str) -> str:
    return "--set-string" if ".env." in name else "--set"  # a variable is a text, also where it is a number


def resources(values: dict[str, str]) -> dict[tuple[str, str], dict[str, Any]]:
    done = render(values)
    assert done.returncode == 0, done.stderr
    found = [each for each in yaml.safe_load_all(done.stdout) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


@pytest.fixture(scope="module")
def schema_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The schemas with references to files beside them, as kubeconform follows."""
    folder = tmp_path_factory.mktemp("schemas")
    for name in (
        *("_definitions", "service-v1", "statefulset-apps-v1", "deployment-apps-v1", "ingress-networking-v1"),
        *("networkpolicy-networking-v1", "poddisruptionbudget-policy-v1", "horizontalpodautoscaler-autoscaling-v2"),
        "job-batch-v1",
    ):
        file = schemas() / f"v{KUBERNETES}-local-strict" / f"{name}.json"
        schema = json.loads(file.read_text().replace("/api/_definitions.json", "_definitions.json"))
        schema.pop("$id", None)
        (folder / file.name).write_text(json.dumps(schema))
    return folder


def conforms(manifests: str, folder: Path) -> subprocess.CompletedProcess[str]:
    where = f"{folder}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    command: list[str | Path] = [
        program("kubeconform"),
        "-strict",
        "-kubernetes-version",
        KUBERNETES,
        "-schema-location",
        where,
    ]
    return subprocess.run(command, input=manifests, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("more", [{}, ON_GPUS], ids=["embedded", "gpus"])
def test_kubernetes_takes_what_it_renders(more: dict[str, str], schema_folder: Path) -> None:
    manifests = render({**NEEDED, **more}).stdout
    done = conforms(manifests, schema_folder)
    assert done.returncode == 0, done.stdout
    wrong = conforms(manifests.replace("serviceName:", "servicename:"), schema_folder)
    assert wrong.returncode and "servicename" in wrong.stdout, "it would find something"


def test_helm_finds_nothing_to_say() -> None:
    said = [word for name, value in NEEDED.items() for word in ("--set", f"{name}={value}")]
    command: list[str | Path] = [program("helm"), "lint", "--strict", CONTAINERS / "chart", *said]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_installed_without_what_has_no_default() -> None:
    for name in NEEDED:
        done = render({key: value for key, value in NEEDED.items() if key != name})
        assert done.returncode, name
        assert f"{name} is needed" in done.stderr


def test_an_image_without_a_digest_and_an_unknown_value_are_refused_by_name() -> None:
    done = render({**NEEDED, "images.agent": "agent:latest"})
    assert done.returncode and "/images/agent" in done.stderr
    done = render({**NEEDED, "cells.place": "4"})
    assert done.returncode and "place" in done.stderr


def test_a_cell_waits_for_its_longest_call_and_its_pipeline_ends_after_its_agent() -> None:
    found = resources({**NEEDED, "cells.longestCallS": "1800"})
    cells = found["StatefulSet", "one-aura-cells"]["spec"]
    pod = cells["template"]["spec"]
    (agent,) = pod["containers"]
    told = {each["name"]: each["value"] for each in agent["env"]}
    assert pod["terminationGracePeriodSeconds"] > int(told["AURA_AGENT_DRAIN_S"]) == 1800
    pipeline = next(each for each in pod["initContainers"] if each["name"] == "pipeline")
    assert pipeline["restartPolicy"] == "Always", "a sidecar: Kubernetes ends it when the others have ended"
    assert pipeline["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert cells["updateStrategy"]["type"] == "RollingUpdate"
    assert found["PodDisruptionBudget", "one-aura-cells"]["spec"]["maxUnavailable"] == 1


def test_cells_are_found_by_a_name_behind_which_are_all_of_them() -> None:
    found = resources(NEEDED)
    service = found["Service", "one-aura-cells"]["spec"]
    assert service["clusterIP"] == "None"
    pod = found["StatefulSet", "one-aura-cells"]["spec"]["template"]["spec"]
    told = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
    assert told["AURA_CELLS"] == "http://one-aura-cells.default.svc:8100"
    web = found["Deployment", "one-aura-web"]["spec"]["template"]["spec"]["containers"][0]
    assert told["AURA_CELLS"] in {each["value"] for each in web["env"]}


@pytest.mark.parametrize(("more", "told"), [({}, "require"), ({"phone.encryption": "allow"}, "allow")])
def test_calls_by_phone_are_encrypted_unless_somebody_says_otherwise(more: dict[str, str], told: str) -> None:
    found = resources({**NEEDED, **ON_GPUS, **more})
    for kind, name in (("StatefulSet", "one-aura-cells"), ("Job", "one-aura-trunks")):
        (container,) = found[kind, name]["spec"]["template"]["spec"]["containers"]
        assert {"name": "AURA_SIP_ENCRYPTION", "value": told} in container["env"], "who lets calls in asks for the same"
    assert "AURA_SIP_ENCRYPTION" not in str(resources(NEEDED))
    done = render({**NEEDED, **ON_GPUS, "phone.encryption": "some"})
    assert done.returncode and "/phone/encryption" in done.stderr


def test_the_bridge_leaves_calls_as_long_as_the_agents_may_take() -> None:
    for more, told in (({}, []), ({"cells.env.AURA_SIP_LONGEST_S": "3600"}, ["3600"])):
        found = resources({**NEEDED, **ON_GPUS, **more})
        for kind, name in (("StatefulSet", "one-aura-cells"), ("Job", "one-aura-trunks")):
            (container,) = found[kind, name]["spec"]["template"]["spec"]["containers"]
            assert [each["value"] for each in container["env"] if each["name"] == "AURA_SIP_LONGEST_S"] == told, name


def test_who_may_read_metrics_reads_those_of_pipeline_and_agent() -> None:
    rules = resources({**NEEDED, **ON_GPUS})["NetworkPolicy", "one-aura-cells"]["spec"]["ingress"]
    watching = {"namespaceSelector": {"matchLabels": {"team": "watching"}}}
    ports = {port["port"] for rule in rules if watching in rule["from"] for port in rule["ports"]}
    assert ports == {"realtime", "health"}
    (alone,) = resources(NEEDED)["NetworkPolicy", "one-aura-cells"]["spec"]["ingress"]
    assert [port["port"] for port in alone["ports"]] == ["realtime"]


def test_a_cell_on_gpus_asks_for_them_and_scales_on_places_in_use() -> None:
    found = resources({**NEEDED, **ON_GPUS})
    pod = found["StatefulSet", "one-aura-cells"]["spec"]["template"]["spec"]
    pipeline = next(each for each in pod["initContainers"] if each["name"] == "pipeline")
    assert pipeline["resources"]["limits"]["nvidia.com/gpu"] == 1
    scaler = found["HorizontalPodAutoscaler", "one-aura-cells"]["spec"]
    assert scaler["metrics"][0]["pods"]["metric"]["name"] == "aura_sessions"
    assert scaler["metrics"][0]["pods"]["target"]["averageValue"] == "12000m", "three quarters of 16 places"
    assert "replicas" not in found["StatefulSet", "one-aura-cells"]["spec"], "else each upgrade undoes it"
    assert "models" not in {each["name"] for each in pod["initContainers"]}


@pytest.mark.parametrize("more", [{}, ON_GPUS], ids=["embedded", "gpus"])
def test_no_container_is_root_or_writes_its_root_and_no_secret_stands_in_a_manifest(more: dict[str, str]) -> None:
    for (kind, _), each in resources({**NEEDED, **more}).items():
        if kind not in ("StatefulSet", "Deployment", "Job"):
            assert kind != "Secret"
            continue
        pod = each["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert not [env for env in container.get("env", ()) if "KEY" in env["name"] or "SECRET" in env["name"]]
